#include "compiler/support/JsonRenderer.h"
#include "compiler/support/TextRenderer.h" // spelling, codeName

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace tsk {

using llvm::json::OStream;

// Names and messages may quote the user's bytes; JSON takes UTF-8 only.
static std::string utf8(llvm::StringRef text) { return llvm::json::fixUTF8(text); }

static void place(OStream &json, const SourceManager &sources, SourceRange range) {
  if (!range.isValid())
    return;
  PresumedLoc begin = sources.presumed(range.begin);
  PresumedLoc end = sources.presumed(std::max(range.begin, range.end));
  json.attribute("file", utf8(begin.file));
  json.attribute("line", begin.line);
  json.attribute("column", begin.column);
  json.attribute("endLine", end.line);
  json.attribute("endColumn", end.column);
}

void writeTimeline(OStream &json, const SourceManager &sources, const Timeline &run) {
  json.attribute("title", utf8(run.title));
  json.attributeArray("tasks", [&] {
    for (const std::string &name : run.columns)
      json.value(utf8(name));
  });
  json.attributeArray("steps", [&] {
    for (const Timeline::Entry &entry : run.entries)
      json.object([&] {
        json.attribute("task", entry.column);
        json.attribute("time", entry.time);
        json.attribute("text", utf8(entry.text));
        json.attribute("detail", utf8(llvm::StringRef(entry.detail).ltrim()));
        json.attribute("marked", entry.isMarked);
        json.attribute("blocked", entry.isBlocked);
        place(json, sources, entry.range);
      });
  });
}

void JsonRenderer::handle(const Report &report) {
  const DiagnosticInfo &info = diagnosticInfo(report.kind);
  {
    OStream json(os);
    json.object([&] {
      json.attribute("code", codeName(info.code));
      json.attribute("flag", info.flag);
      json.attribute("severity", spelling(report.severity));
      json.attribute("message", utf8(report.message));
      place(json, sources, report.range);
      json.attributeArray("notes", [&] {
        for (const Note &note : report.notes)
          json.object([&] {
            json.attribute("message", utf8(note.message));
            place(json, sources, note.range);
          });
      });
      json.attributeArray("fixits", [&] {
        for (const FixIt &fix : report.fixits)
          json.object([&] {
            json.attribute("title", utf8(fix.title));
            place(json, sources, fix.range);
            json.attribute("replacement", utf8(fix.replacement));
          });
      });
      if (report.timeline)
        json.attributeObject("timeline", [&] { writeTimeline(json, sources, *report.timeline); });
    });
  }
  os << '\n';
  os.flush();
}

void JsonRenderer::handleResult(const llvm::json::Object &result) {
  results << llvm::json::Value(llvm::json::Object(result)) << '\n';
}

} // namespace tsk
