#include "compiler/body/BodyReader.h"
#include "compiler/body/Conversation.h"
#include "compiler/body/ReplyCache.h"
#include "compiler/body/SharedDiagnostics.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"

namespace tsk::body {

constexpr Diagnostic<std::string> BodyError{kind::BodyError, "{}"};
constexpr Diagnostic<std::string> BodyWarning{kind::BodyWarning, "{}"};
constexpr Diagnostic<std::string> HeaderNotFound{
    kind::HeaderNotFound, "`{}` was not found, so the bodies are judged by their tokens only; name "
                          "its folder with `-I`"};
constexpr Diagnostic<std::string> HeaderNotRead{
    kind::HeaderNotRead,
    "what the `cpp` blocks include cannot be read, so the bodies are judged by "
    "their tokens only: {}"};
constexpr Diagnostic<std::string> UnknownBuiltin{
    kind::UnknownBuiltin,
    "`{}` is not known to the reader of bodies; it is taken for a function of nvcc's that touches "
    "nothing but what it is given"};
constexpr Diagnostic<std::string> ReaderStopped{
    kind::ReaderStopped,
    "the reader of bodies stopped, so they are judged by their tokens only: {}"};
constexpr Diagnostic<> ReaderMissing{
    kind::ReaderMissing,
    "`tskc-bodies` is missing from this installation of tskc: bodies are judged "
    "by their tokens only, and Clang does not check them"};

std::optional<Reply> readBodies(const Request &request, llvm::StringRef program, bool usesCache,
                                DiagnosticEngine &diags) {
  if (!llvm::sys::fs::can_execute(program)) {
    diags.report({}, ReaderMissing);
    return std::nullopt;
  }
  const std::string question = toJson(request);
  std::optional<ReplyCache> cache;
  if (usesCache)
    cache.emplace(question, program);
  if (cache)
    if (std::optional<Reply> known = cache->find(); known && isAnswer(*known, request))
      return known;
  std::string failure;
  std::optional<std::string> answer = ask(program, question, failure);
  std::optional<Reply> reply = answer ? replyFromJson(*answer) : std::nullopt;
  if (!reply || !isAnswer(*reply, request)) {
    diags.report({}, ReaderStopped, failure.empty() ? "its answer cannot be read" : failure);
    return std::nullopt;
  }
  if (cache)
    cache->store(*answer);
  return reply;
}

namespace {

// Clang's messages in the words and places of the .tsk file.
class MessageReporter {
public:
  MessageReporter(const ir::Module &m, const Request &request, const SourceManager &s,
                  DiagnosticEngine &d)
      : module(m), sources(s), diags(d) {
    for (const Function &function : request.functions) {
      names[function.nameInText] = function.name;
      names[function.nameInText + "_results"] = "the results of " + function.name;
    }
  }

  void report(const CxxMessage &message) {
    ReportBuilder builder = start(message);
    for (const CxxMessage::Note &note : message.notes)
      builder.note(rangeOf(note.place, sources), "{}", worded(note.text));
    offerConst(message, builder);
  }

private:
  ReportBuilder start(const CxxMessage &message) {
    const SourceRange range = rangeOf(message.place, sources);
    switch (message.about) {
    case CxxMessage::About::MissingHeader:
      return diags.report(range, HeaderNotFound, message.text);
    case CxxMessage::About::Header:
      return diags.report(range, HeaderNotRead, message.text);
    case CxxMessage::About::Builtin:
      if (llvm::StringRef(message.text).contains("barrier"))
        return diags.report(range, BodyAsmProtocol, message.text);
      return diags.report(range, UnknownBuiltin, message.text);
    case CxxMessage::About::Body:
      break;
    }
    return diags.report(range, message.isError ? BodyError : BodyWarning, worded(message.text));
  }

  // A parameter of the work that stands where C++ wants a constant can be one.
  void offerConst(const CxxMessage &message, ReportBuilder &builder) const {
    for (const CxxMessage::Note &note : message.notes) {
      llvm::StringRef name = note.text;
      if (!name.consume_front("function parameter '"))
        continue;
      name = name.take_until([](char c) { return c == '\''; });
      const SourceLoc at = rangeOf(note.place, sources).begin;
      for (const auto &kernel : module.kernels)
        for (const ir::Work &work : kernel->works)
          for (const ir::WorkParam &param : work.params)
            if (param.name == name && !param.isConst && work.bodyLoc.begin <= at &&
                at < work.bodyLoc.end) {
              builder.fixit({param.loc.begin, param.loc.begin}, "const ",
                            fmt::format("make `{}` known while compiling", param.name));
              return;
            }
    }
  }

  // With works by the names that the user gave them.
  std::string worded(llvm::StringRef text) const {
    std::string result;
    while (!text.empty()) {
      const llvm::StringRef word =
          text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
      if (auto known = names.find(word); known != names.end())
        result += known->second;
      else
        result += word.empty() ? text.take_front() : word;
      text = text.drop_front(std::max<size_t>(word.size(), 1));
    }
    return result;
  }

  const ir::Module &module;
  const SourceManager &sources;
  DiagnosticEngine &diags;
  llvm::StringMap<std::string> names;
};

} // namespace

// A name that nobody declares, or a primitive with a wrong operand, is told in our words.
static bool isKnown(const CxxMessage &message, SourceRange range, llvm::ArrayRef<Report> known,
                    const SourceManager &sources) {
  return llvm::any_of(known, [&](const Report &report) {
    if (!message.isError || !range.isValid() || !report.range.isValid() ||
        report.severity != Severity::Error)
      return false;
    if (report.range.begin < range.end && range.begin < report.range.end)
      return true;
    if (sources.presumed(range.begin).line != sources.presumed(report.range.begin).line)
      return false;
    const llvm::StringRef text = message.text;
    if (report.kind == kind::PrimitiveArgument || report.kind == kind::TmaWithoutTensor ||
        report.kind == kind::BodyUnknownField)
      return text.starts_with("no matching function");
    return report.kind == kind::BodyConsumeWrites && // fields are const there
           (text.starts_with("no viable overloaded '") || text.starts_with("cannot assign to ") ||
            text.starts_with("read-only variable"));
  });
}

void reportMessages(const ir::Module &module, const Reading &reading, llvm::ArrayRef<Report> known,
                    const SourceManager &sources, DiagnosticEngine &diags) {
  MessageReporter reporter(module, reading.request, sources, diags);
  for (const CxxMessage &message : reading.reply.messages)
    if (!isKnown(message, rangeOf(message.place, sources), known, sources))
      reporter.report(message);
}

void reportTestMessages(const ir::Module &module, const Reading &reading,
                        const SourceManager &sources, DiagnosticEngine &diags) {
  const auto &messages = reading.reply.messages;
  if (llvm::any_of(messages, [](const CxxMessage &message) {
        return message.about != CxxMessage::About::Body;
      }))
    return;
  MessageReporter reporter(module, reading.request, sources, diags);
  for (const CxxMessage &message : messages)
    if (message.isError)
      reporter.report(message);
}

} // namespace tsk::body
