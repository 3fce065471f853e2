#include "compiler/support/Source.h"

#include <catch2/catch.hpp>

using namespace tsk;

static SourceLoc add(SourceManager &sources, const char *text, const char *name) {
  return sources.addBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), name);
}

TEST_CASE("a location knows its file, line and column") {
  SourceManager sources;
  SourceLoc a = add(sources, "one\ntwo\n", "a.tsk");
  SourceLoc b = add(sources, "", "b.tsk");
  SourceLoc c = add(sources, "x\r\nyz", "c.tsk");

  PresumedLoc start = sources.presumed(a);
  CHECK(start.file == "a.tsk");
  CHECK(start.line == 1);
  CHECK(start.column == 1);

  PresumedLoc two = sources.presumed(a.advanced(6));
  CHECK(two.line == 2);
  CHECK(two.column == 3);

  // The end of a file is a place in that file, also of an empty one.
  CHECK(sources.presumed(a.advanced(8)).line == 3);
  CHECK(sources.presumed(b).file == "b.tsk");
  CHECK(sources.presumed(c).file == "c.tsk");
  CHECK(sources.lineText(c) == "x");
  CHECK(sources.lineText(c.advanced(3)) == "yz");
  CHECK(sources.text({c.advanced(3), c.advanced(5)}) == "yz");
  CHECK(sources.sameBuffer(a, a.advanced(8)));
  CHECK_FALSE(sources.sameBuffer(a, b));
}
