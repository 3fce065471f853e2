#include "compiler/support/TextRenderer.h"
#include "compiler/support/Check.h"
#include "compiler/support/DisplayLine.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

namespace tsk {

// Lines shown of a fix that replaces or inserts several.
static constexpr size_t MaxFixLines = 8;

llvm::StringRef spelling(Severity severity) {
  switch (severity) {
  case Severity::Note:
    return "note";
  case Severity::Remark:
    return "remark";
  case Severity::Warning:
    return "warning";
  case Severity::Error:
    return "error";
  }
  TSK_UNREACHABLE("a severity outside its enum");
}

std::string codeName(unsigned code) { return fmt::format("TSK{:04}", code); }

TextRenderer::Style TextRenderer::styleOf(Severity severity) {
  switch (severity) {
  case Severity::Note:
    return Style::Note;
  case Severity::Remark:
    return Style::Remark;
  case Severity::Warning:
    return Style::Warning;
  case Severity::Error:
    return Style::Error;
  }
  TSK_UNREACHABLE("a severity outside its enum");
}

void TextRenderer::styled(Style style, llvm::StringRef text) {
  static constexpr const char *Sequences[] = {
      "\x1b[1;31m", // Error: red
      "\x1b[1;35m", // Warning: magenta
      "\x1b[1;34m", // Remark: blue
      "\x1b[1;36m", // Note: cyan
      "\x1b[1;32m", // Fix: green
      "\x1b[1m",    // Bold
      "\x1b[32m",   // Mark
  };
  if (!hasColor) {
    os << text;
    return;
  }
  os << Sequences[static_cast<size_t>(style)] << text << "\x1b[0m";
}

void TextRenderer::handle(const Report &report) {
  std::string suffix = " [" + codeName(diagnosticInfo(report.kind).code);
  // What -Wno- would name.
  if (diagnosticInfo(report.kind).severity == Severity::Warning)
    suffix += ", -W" + diagnosticInfo(report.kind).flag.str();
  suffix += "]";
  heading(report.range, styleOf(report.severity), spelling(report.severity), report.message,
          suffix);
  excerpt(report.range);
  for (const Note &note : report.notes) {
    heading(note.range, Style::Note, "note", note.message);
    excerpt(note.range);
  }
  if (report.timeline) {
    heading({}, Style::Note, "note", report.timeline->title + ":");
    os << render(*report.timeline) << '\n';
  }
  for (const FixIt &fix : report.fixits)
    fixit(fix);
  os.flush();
}

// Names and values may come from anywhere: nothing in them commands the terminal.
static std::string clean(llvm::StringRef message) {
  std::string result;
  for (size_t end = 0; end != llvm::StringRef::npos; message = message.drop_front(end + 1)) {
    end = message.find('\n');
    result += printable(message.take_front(end));
    if (end == llvm::StringRef::npos)
      break;
    result += '\n';
  }
  return result;
}

void TextRenderer::heading(SourceRange range, Style style, llvm::StringRef label,
                           llvm::StringRef message, llvm::StringRef suffix) {
  std::string place = "tskc: ";
  if (range.isValid()) {
    PresumedLoc loc = sources.presumed(range.begin);
    place = fmt::format("{}:{}:{}: ", loc.file, loc.line, loc.column);
  }
  styled(Style::Bold, clean(place));
  styled(style, label.str() + ": ");
  styled(Style::Bold, clean(message));
  os << suffix << '\n';
}

void TextRenderer::gutter(unsigned line) {
  os << (line ? fmt::format("{:5} | ", line) : std::string("      | "));
}

void TextRenderer::excerpt(SourceRange range) {
  if (!range.isValid())
    return;
  PresumedLoc loc = sources.presumed(range.begin);
  size_t first = loc.column - 1;
  size_t length = range.end > range.begin ? range.end.offset - range.begin.offset : 0;
  // A range of several lines is marked to the end of its first.
  DisplayLine line = displayLine(sources.lineText(range.begin), first, first + length);
  gutter(loc.line);
  os << line.text << '\n';
  gutter(0);
  styled(Style::Mark, line.underline);
  os << '\n';
}

// Shows the lines that the fix touches as they would be afterwards.
void TextRenderer::fixit(const FixIt &fix) {
  heading(fix.range, Style::Fix, "fix", fix.title);
  if (!fix.range.isValid())
    return;
  PresumedLoc loc = sources.presumed(fix.range.begin);
  llvm::StringRef before = sources.lineText(fix.range.begin).take_front(loc.column - 1);
  unsigned endColumn = sources.presumed(fix.range.end).column;
  llvm::StringRef after = sources.lineText(fix.range.end).drop_front(endColumn - 1);
  // A fix in a monstrous line: its title says enough.
  if (before.size() + after.size() > 400)
    return;
  std::string patched = before.str() + fix.replacement + after.str();
  llvm::SmallVector<llvm::StringRef, 4> lines;
  llvm::StringRef(patched).rtrim('\n').split(lines, '\n');
  for (size_t i = 0; i < lines.size() && i < MaxFixLines; ++i) {
    gutter(loc.line + static_cast<unsigned>(i));
    styled(Style::Fix, displayLine(lines[i], 0, 0).text);
    os << '\n';
  }
  if (lines.size() > MaxFixLines)
    os << "      | …\n";
}

} // namespace tsk
