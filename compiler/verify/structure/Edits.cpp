#include "compiler/verify/structure/Edits.h"

namespace tsk::verify {

namespace {

// The text of a buffer, and places in it as numbers.
struct Buffer {
  Buffer(const SourceManager &manager, SourceLoc loc)
      : sources(manager), text(manager.bufferText(loc)), origin(manager.bufferBegin(loc)) {}

  size_t at(SourceLoc loc) const { return loc.offset - origin.offset; }
  SourceLoc loc(size_t place) const { return origin.advanced(static_cast<uint32_t>(place)); }
  SourceRange range(size_t begin, size_t end) const { return {loc(begin), loc(end)}; }

  // A line break and the indentation of the line.
  std::string lineLike(SourceLoc place) const {
    const llvm::StringRef line = sources.lineText(place);
    return "\n" + line.take_while([](char c) { return c == ' ' || c == '\t'; }).str();
  }

  const SourceManager &sources;
  llvm::StringRef text;
  SourceLoc origin;
};

bool isPlain(llvm::StringRef text) {
  return text.find_first_of("\"'{}") == llvm::StringRef::npos && !text.contains("//") &&
         !text.contains("/*");
}

struct Span {
  size_t begin = 0, end = 0;
};

// The statement that a range is in, with its semicolon.
std::optional<Span> statementAround(const Buffer &buffer, SourceRange range) {
  const size_t first = buffer.at(range.begin), last = buffer.at(range.end);
  const size_t before = buffer.text.take_front(first).find_last_of(";{}");
  const size_t end = buffer.text.find(';', last);
  if (before == llvm::StringRef::npos || end == llvm::StringRef::npos)
    return std::nullopt;
  const size_t begin = buffer.text.find_first_not_of(" \t\n", before + 1);
  const size_t line = buffer.text.take_front(begin).rfind('\n') + 1;
  // What stands before it on its line is no comment, nor is anything in it.
  if (buffer.text.slice(line, begin).contains("//") || !isPlain(buffer.text.slice(begin, end)))
    return std::nullopt;
  return Span{begin, end + 1};
}

struct Statement {
  Buffer buffer;
  Span span;
};

// Nothing without sources, or where no whole statement stands around the place.
std::optional<Statement> statementAt(const SourceManager *sources, SourceRange place) {
  if (!sources || !place.isValid())
    return std::nullopt;
  const Buffer buffer(*sources, place.begin);
  const std::optional<Span> found = statementAround(buffer, place);
  return found ? std::optional(Statement{buffer, *found}) : std::nullopt;
}

// What parts a statement that begins there from one put before it: a line like its own, or a blank
// if others stand on its line.
std::string gapBefore(const Buffer &buffer, size_t begin) {
  const size_t line = buffer.text.take_front(begin).rfind('\n') + 1;
  const bool isFirst = buffer.text.slice(line, begin).trim(" \t").empty();
  return isFirst ? buffer.lineLike(buffer.loc(begin)) : " ";
}

} // namespace

std::optional<Edit> insertBehind(const SourceManager *sources, SourceRange place,
                                 llvm::StringRef statement) {
  const std::optional<Statement> found = statementAt(sources, place);
  if (!found)
    return std::nullopt;
  const auto &[buffer, span] = *found;
  return Edit{buffer.range(span.end, span.end), buffer.lineLike(place.begin) + statement.str()};
}

std::optional<Edit> insertBehindBound(const SourceManager *sources, SourceRange bound,
                                      llvm::StringRef words) {
  if (!sources || !bound.isValid())
    return std::nullopt;
  const Buffer buffer(*sources, bound.begin);
  llvm::StringRef rest = buffer.text.drop_front(buffer.at(bound.end));
  while (rest.ltrim(" \t\n").starts_with(")"))
    rest = rest.ltrim(" \t\n").drop_front();
  const llvm::StringRef next = rest.ltrim(" \t\n");
  if (!next.starts_with("{") && !next.starts_with("unroll"))
    return std::nullopt;
  const size_t place = buffer.text.size() - rest.size();
  return Edit{buffer.range(place, place), " " + words.str()};
}

std::optional<Edit> insertBefore(const SourceManager *sources, SourceRange place,
                                 llvm::StringRef statement) {
  const std::optional<Statement> found = statementAt(sources, place);
  if (!found)
    return std::nullopt;
  const auto &[buffer, span] = *found;
  return Edit{buffer.range(span.begin, span.begin),
              statement.str() + gapBefore(buffer, span.begin)};
}

std::optional<Edit> removeStatement(const SourceManager *sources, SourceRange place) {
  const std::optional<Statement> found = statementAt(sources, place);
  if (!found)
    return std::nullopt;
  return Edit{found->buffer.range(found->span.begin, found->span.end), ""};
}

std::optional<Edit> moveBehind(const SourceManager *sources, SourceRange moved, SourceRange place) {
  if (!sources || !moved.isValid() || !place.isValid() ||
      !sources->sameBuffer(moved.begin, place.begin) || place.begin < moved.end)
    return std::nullopt;
  const Buffer buffer(*sources, place.begin);
  const std::optional<Span> from = statementAround(buffer, moved);
  const std::optional<Span> to = statementAround(buffer, place);
  if (!from || !to || to->begin < from->end || !isPlain(buffer.text.slice(from->end, to->begin)))
    return std::nullopt;
  const size_t rest = buffer.text.find_first_not_of(" \t\n", from->end);
  return Edit{buffer.range(from->begin, to->end),
              buffer.text.slice(rest, to->end).str() + gapBefore(buffer, to->begin) +
                  buffer.text.slice(from->begin, from->end).str()};
}

} // namespace tsk::verify
