#include "compiler/codegen/cuda/UserText.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

#include <algorithm>

namespace tsk::codegen {

std::string displayedPath(llvm::StringRef path) {
  std::string text =
      llvm::sys::path::is_absolute(path) ? llvm::sys::path::filename(path).str() : path.str();
  std::string escaped;
  for (char c : text) {
    if (c == '"' || c == '\\')
      escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string lineDirective(unsigned line, llvm::StringRef file) {
  return fmt::format("#line {} \"{}\"\n", line, displayedPath(file));
}

static size_t indentation(llvm::StringRef line) {
  return std::min(line.find_first_not_of(" \t"), line.size());
}

// The margin that all lines have in common.
static size_t commonMargin(llvm::ArrayRef<llvm::StringRef> lines) {
  size_t margin = llvm::StringRef::npos;
  for (llvm::StringRef line : lines)
    if (!line.trim().empty())
      margin = std::min(margin, indentation(line));
  return margin;
}

void emitUserText(Writer &out, llvm::StringRef text, SourceLoc loc, const SourceManager &sources,
                  const CudaOptions &options) {
  if (text.trim().empty())
    return;
  llvm::SmallVector<llvm::StringRef, 16> lines;
  text.rtrim().split(lines, '\n');
  PresumedLoc place;
  if (loc.isValid())
    place = sources.presumed(loc);
  // The first line begins behind a brace: its column is part of its place.
  std::string first = std::string(place.column ? place.column - 1 : 0, ' ') + lines[0].str();
  lines[0] = first;
  unsigned skipped = 0;
  while (lines[skipped].trim().empty())
    ++skipped;
  const llvm::ArrayRef<llvm::StringRef> shown = llvm::ArrayRef(lines).drop_front(skipped);

  if (place.line)
    out.raw(lineDirective(place.line + skipped, place.file));
  const size_t margin = options.keepColumns ? 0 : commonMargin(shown);
  for (llvm::StringRef line : shown) {
    line = line.rtrim();
    const std::string own = options.keepColumns ? "" : "  ";
    out.raw(line.empty() ? "\n" : own + line.drop_front(margin).str() + "\n");
  }
  if (place.line)
    out.raw(lineDirective(out.nextLine() + 1, options.sourceName));
}

// The recorded range may include the brace.
static SourceLoc textBegin(const ir::CppBlock &block, const SourceManager &sources) {
  if (!block.loc.isValid())
    return {};
  const size_t offset = sources.text(block.loc).find(block.text);
  return block.loc.begin.advanced(offset == llvm::StringRef::npos ? 0 : offset);
}

void emitCppBlocks(Writer &out, const ir::Module &module, const SourceManager &sources,
                   const CudaOptions &options) {
  for (const ir::CppBlock &block : module.cpp) {
    std::string includes, rest;
    for (llvm::StringRef line : llvm::split(block.text, '\n')) {
      const bool isInclude =
          line.ltrim().starts_with("#") && line.ltrim().drop_front().ltrim().starts_with("include");
      (isInclude ? includes : rest) += line;
      includes += '\n'; // both keep the lines' places
      rest += '\n';
    }
    const SourceLoc begin = textBegin(block, sources);
    emitUserText(out, includes, begin, sources, options);
    if (llvm::StringRef(rest).trim().empty())
      continue;
    out.line("namespace {");
    emitUserText(out, rest, begin, sources, options);
    out.line("} // namespace");
    out.blank();
  }
}

} // namespace tsk::codegen
