#include "compiler/support/SarifRenderer.h"
#include "compiler/support/TextRenderer.h" // codeName

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

namespace tsk {

namespace {

using llvm::json::OStream;

std::string utf8(llvm::StringRef text) { return llvm::json::fixUTF8(text); }

// SARIF's levels; it has no remark.
llvm::StringRef levelOf(Severity severity) {
  switch (severity) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Remark:
  case Severity::Note:
    break;
  }
  return "note";
}

// A path as a relative URI reference.
std::string uriOf(llvm::StringRef path) {
  std::string result;
  for (unsigned char c : utf8(path)) {
    bool isPlain = llvm::isAlnum(static_cast<char>(c)) || llvm::StringRef("/._-~").contains(c);
    result += isPlain ? std::string(1, static_cast<char>(c)) : fmt::format("%{:02X}", c);
  }
  return result;
}

class Writer {
public:
  Writer(const SourceManager &sourceManager, OStream &stream,
         const SarifRenderer::Tool &describedTool, llvm::ArrayRef<Report> all,
         const llvm::json::Array &found)
      : sources(sourceManager), json(stream), tool(describedTool), reports(all), results(found) {
    for (const Report &report : reports)
      rules.try_emplace(diagnosticInfo(report.kind).code, 0);
    size_t index = 0;
    for (auto &[code, place] : rules)
      place = index++;
  }

  void write() {
    json.object([&] {
      json.attribute("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
      json.attribute("version", "2.1.0");
      json.attributeArray("runs", [&] { json.object([&] { run(); }); });
    });
  }

private:
  void run() {
    json.attributeObject("tool", [&] {
      json.attributeObject("driver", [&] {
        json.attribute("name", "tskc");
        json.attribute("version", tool.version);
        json.attributeArray("rules", [&] {
          for (const auto &[code, index] : rules)
            json.object([&, wanted = code] { rule(wanted); });
        });
      });
    });
    json.attribute("columnKind", "unicodeCodePoints");
    json.attributeArray("invocations", [&] {
      bool failed = llvm::any_of(
          reports, [](const Report &report) { return report.severity == Severity::Error; });
      json.object([&] { json.attribute("executionSuccessful", !failed); });
    });
    json.attributeArray("results", [&] {
      for (const Report &report : reports)
        json.object([&] { result(report); });
    });
    if (!results.empty())
      json.attributeObject("properties", [&] {
        json.attributeArray("verdicts", [&] {
          for (const llvm::json::Value &each : results)
            json.value(each);
        });
      });
  }

  void rule(unsigned code) {
    const auto *info = llvm::find_if(allDiagnostics(),
                                     [&](const DiagnosticInfo &each) { return each.code == code; });
    json.attribute("id", codeName(code));
    json.attribute("name", info->flag);
    if (tool.explanation)
      json.attributeObject("fullDescription",
                           [&] { json.attribute("text", utf8(tool.explanation(*info))); });
    json.attributeObject("defaultConfiguration",
                         [&] { json.attribute("level", levelOf(info->severity)); });
  }

  void message(llvm::StringRef text) {
    json.attributeObject("message", [&] { json.attribute("text", utf8(text)); });
  }

  // Columns count characters here, bytes everywhere else.
  unsigned columnOf(SourceLoc loc) const {
    PresumedLoc at = sources.presumed(loc);
    unsigned column = 1;
    for (char c : sources.lineText(loc).take_front(at.column - 1))
      column += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    return column;
  }

  void artifact(SourceRange range) {
    json.attributeObject("artifactLocation",
                         [&] { json.attribute("uri", uriOf(sources.presumed(range.begin).file)); });
  }

  void region(llvm::StringRef name, SourceRange range) {
    SourceLoc end = std::max(range.begin, range.end);
    json.attributeObject(name, [&] {
      json.attribute("startLine", sources.presumed(range.begin).line);
      json.attribute("startColumn", columnOf(range.begin));
      json.attribute("endLine", sources.presumed(end).line);
      json.attribute("endColumn", columnOf(end));
    });
  }

  void physicalLocation(SourceRange range) {
    if (!range.isValid())
      return;
    json.attributeObject("physicalLocation", [&] {
      artifact(range);
      region("region", range);
    });
  }

  void result(const Report &report) {
    unsigned code = diagnosticInfo(report.kind).code;
    json.attribute("ruleId", codeName(code));
    json.attribute("ruleIndex", static_cast<int64_t>(rules[code]));
    json.attribute("level", levelOf(report.severity));
    // Notes about no place have no location to stand at.
    std::string text = report.message;
    for (const Note &note : report.notes)
      if (!note.range.isValid())
        text += "\n" + note.message;
    message(text);
    json.attributeArray("locations", [&] {
      if (report.range.isValid())
        json.object([&] { physicalLocation(report.range); });
    });
    json.attributeArray("relatedLocations", [&] {
      int64_t id = 0;
      for (const Note &note : report.notes)
        if (note.range.isValid())
          json.object([&] {
            json.attribute("id", ++id);
            physicalLocation(note.range);
            message(note.message);
          });
    });
    if (!report.fixits.empty())
      fixes(report);
    if (report.timeline && !report.timeline->entries.empty())
      codeFlows(*report.timeline);
  }

  void fixes(const Report &report) {
    json.attributeArray("fixes", [&] {
      for (const FixIt &fix : report.fixits)
        if (fix.range.isValid())
          json.object([&] {
            json.attributeObject("description", [&] { json.attribute("text", utf8(fix.title)); });
            json.attributeArray("artifactChanges", [&] {
              json.object([&] {
                artifact(fix.range);
                json.attributeArray("replacements", [&] {
                  json.object([&] {
                    region("deletedRegion", fix.range);
                    json.attributeObject("insertedContent",
                                         [&] { json.attribute("text", utf8(fix.replacement)); });
                  });
                });
              });
            });
          });
    });
  }

  // One thread flow a task; `executionOrder` is the time, so that the rows of the table stay one.
  void codeFlows(const Timeline &timeline) {
    json.attributeArray("codeFlows", [&] {
      json.object([&] {
        message(timeline.title);
        json.attributeArray("threadFlows", [&] {
          for (unsigned column = 0; column < timeline.columns.size(); ++column)
            if (llvm::any_of(timeline.entries,
                             [&](const Timeline::Entry &entry) { return entry.column == column; }))
              json.object([&] { threadFlow(timeline, column); });
        });
      });
    });
  }

  void threadFlow(const Timeline &timeline, unsigned column) {
    json.attribute("id", utf8(timeline.columns[column]));
    json.attributeArray("locations", [&] {
      for (const Timeline::Entry &entry : timeline.entries) {
        if (entry.column != column)
          continue;
        json.object([&] {
          json.attributeObject("location", [&] {
            physicalLocation(entry.range);
            message(entry.text + entry.detail + (entry.isBlocked ? ": waits for ever" : ""));
          });
          json.attribute("executionOrder", entry.time);
          json.attribute("importance", entry.isMarked ? "essential" : "important");
        });
      }
    });
  }

  const SourceManager &sources;
  OStream &json;
  const SarifRenderer::Tool &tool;
  llvm::ArrayRef<Report> reports;
  const llvm::json::Array &results;
  std::map<unsigned, size_t> rules; // by code: place in the tool's list
};

} // namespace

SarifRenderer::~SarifRenderer() {
  {
    OStream json(os, /*IndentSize=*/2);
    Writer(sources, json, tool, reports, results).write();
  }
  os << '\n';
  os.flush();
}

} // namespace tsk
