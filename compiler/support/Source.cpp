#include "compiler/support/Source.h"
#include "compiler/support/Check.h"

#include "llvm/Support/Path.h"

#include <algorithm>

namespace tsk {

struct SourceManager::Buffer {
  std::unique_ptr<llvm::MemoryBuffer> memory;
  std::string name;
  uint32_t begin = 0;
  bool hadLoneReturns = false;
  // Offsets of line starts relative to the buffer, filled on first use: most runs report nothing.
  mutable std::vector<uint32_t> lineStarts;

  llvm::StringRef text() const { return memory->getBuffer(); }
  uint32_t end() const { return begin + static_cast<uint32_t>(text().size()); }

  void fillLineStarts() const {
    if (!lineStarts.empty())
      return;
    lineStarts.push_back(0);
    llvm::StringRef all = text();
    for (size_t at = all.find('\n'); at != llvm::StringRef::npos; at = all.find('\n', at + 1))
      lineStarts.push_back(static_cast<uint32_t>(at + 1));
  }

  // Index of the line that holds `relative`.
  size_t lineOf(uint32_t relative) const {
    fillLineStarts();
    auto after = std::upper_bound(lineStarts.begin(), lineStarts.end(), relative);
    return static_cast<size_t>(after - lineStarts.begin()) - 1;
  }
};

// A carriage return alone ends a line, as it did on old systems. From here on it is a newline, in
// every part of the compiler and in what it emits; no offset changes. Null if there is none.
static std::unique_ptr<llvm::MemoryBuffer> withoutLoneReturns(const llvm::MemoryBuffer &memory) {
  llvm::StringRef text = memory.getBuffer();
  auto nextLone = [&](size_t from) {
    size_t at = text.find('\r', from);
    while (at != llvm::StringRef::npos && text.substr(at + 1).starts_with("\n"))
      at = text.find('\r', at + 1);
    return at;
  };
  size_t at = nextLone(0);
  if (at == llvm::StringRef::npos)
    return nullptr;
  std::string changed = text.str();
  for (; at != llvm::StringRef::npos; at = nextLone(at + 1))
    changed[at] = '\n';
  return llvm::MemoryBuffer::getMemBufferCopy(changed, memory.getBufferIdentifier());
}

SourceManager::SourceManager() = default;
SourceManager::~SourceManager() = default;

SourceLoc SourceManager::addBuffer(std::unique_ptr<llvm::MemoryBuffer> text, llvm::StringRef name) {
  TSK_CHECK(text->getBufferSize() < (1u << 30) && nextOffset < (3u << 30), "source text too large");
  auto buffer = std::make_unique<Buffer>();
  buffer->memory = withoutLoneReturns(*text);
  buffer->hadLoneReturns = buffer->memory != nullptr;
  if (!buffer->hadLoneReturns)
    buffer->memory = std::move(text);
  buffer->name = name.str();
  buffer->begin = nextOffset;
  // One offset past the end belongs to the buffer too: it is where "end of file" is.
  nextOffset = buffer->end() + 1;
  buffers.push_back(std::move(buffer));
  return {buffers.back()->begin};
}

const SourceManager::Buffer &SourceManager::find(SourceLoc loc) const {
  TSK_CHECK(loc.isValid() && loc.offset < nextOffset, "location outside every buffer");
  auto after = std::upper_bound(
      buffers.begin(), buffers.end(), loc.offset,
      [](uint32_t offset, const std::unique_ptr<Buffer> &b) { return offset < b->begin; });
  return **(after - 1);
}

PresumedLoc SourceManager::presumed(SourceLoc loc) const {
  const Buffer &buffer = find(loc);
  uint32_t relative = loc.offset - buffer.begin;
  size_t line = buffer.lineOf(relative);
  return {buffer.name, static_cast<unsigned>(line + 1), relative - buffer.lineStarts[line] + 1};
}

SourceLoc SourceManager::locate(llvm::StringRef name, unsigned line, unsigned column) const {
  namespace path = llvm::sys::path;
  for (const std::unique_ptr<Buffer> &buffer : buffers) {
    const llvm::StringRef own = buffer->name;
    if (own != name && !(path::is_absolute(own) && path::filename(own) == name))
      continue;
    buffer->fillLineStarts();
    if (line == 0 || line > buffer->lineStarts.size())
      return {};
    const uint32_t begin = buffer->lineStarts[line - 1];
    const llvm::StringRef rest = buffer->text().drop_front(begin);
    const size_t length = rest.take_until([](char c) { return c == '\n' || c == '\r'; }).size();
    const size_t shift = std::min<size_t>(column == 0 ? 0 : column - 1, length);
    return {buffer->begin + begin + static_cast<uint32_t>(shift)};
  }
  return {};
}

llvm::StringRef SourceManager::text(SourceRange range) const {
  const Buffer &buffer = find(range.begin);
  return buffer.text().slice(range.begin.offset - buffer.begin, range.end.offset - buffer.begin);
}

llvm::StringRef SourceManager::lineText(SourceLoc loc) const {
  const Buffer &buffer = find(loc);
  size_t line = buffer.lineOf(loc.offset - buffer.begin);
  llvm::StringRef rest = buffer.text().drop_front(buffer.lineStarts[line]);
  return rest.take_front(rest.find('\n')).split('\r').first; // lines may be long: two fast searches
}

llvm::StringRef SourceManager::bufferText(SourceLoc loc) const { return find(loc).text(); }
llvm::StringRef SourceManager::bufferName(SourceLoc loc) const { return find(loc).name; }
SourceLoc SourceManager::bufferBegin(SourceLoc loc) const { return {find(loc).begin}; }
bool SourceManager::hadLoneReturns(SourceLoc loc) const { return find(loc).hadLoneReturns; }

bool SourceManager::sameBuffer(SourceLoc a, SourceLoc b) const { return &find(a) == &find(b); }

} // namespace tsk
