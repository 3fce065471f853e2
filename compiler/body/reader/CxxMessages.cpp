#include "compiler/body/reader/CxxMessages.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace tsk::body {

using llvm::StringRef;

// ---- What users need not read -------------------------------------------------------------------

static void replaceAll(std::string &text, StringRef from, StringRef to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// `tsk::array<tsk::f16, 64> (aka 'array<__half, 64>')`: the second name is ours, not the user's.
static void dropAliases(std::string &text) {
  for (size_t at = text.find(" (aka '"); at != std::string::npos; at = text.find(" (aka '", at)) {
    const size_t end = text.find("')", at);
    if (end == std::string::npos)
      return;
    text.erase(at, end + 2 - at);
  }
}

// `kernels::copy_impl::Load::box_works::load`: of the names around a work, none is the user's.
static void dropNamespaces(std::string &text) {
  for (StringRef around : {"kernels::", "(anonymous namespace)::"})
    replaceAll(text, around, "");
  for (StringRef mark : {"_impl::", "_works::"})
    for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark)) {
      size_t begin = at;
      while (begin > 0 && (llvm::isAlnum(text[begin - 1]) || text[begin - 1] == '_'))
        --begin;
      text.erase(begin, at + mark.size() - begin);
    }
}

std::string worded(std::string text) {
  dropAliases(text);
  dropNamespaces(text);
  replaceAll(text, "tsk::reading::field<", "field<");
  for (auto [from, to] : {std::pair<StringRef, StringRef>{"__half2", "\1"},
                          {"__half", "tsk::f16"},
                          {"\1", "__half2"},
                          {"__nv_bfloat162", "\1"},
                          {"__nv_bfloat16", "tsk::bf16"},
                          {"\1", "__nv_bfloat162"}})
    replaceAll(text, from, to);
  return text;
}

// A static_assert of a header says what is wrong; the condition is the header's own business.
static std::string assertedText(StringRef text) {
  if (!text.starts_with("static assertion failed"))
    return text.str();
  const size_t colon = text.rfind("': ");
  return colon == StringRef::npos ? text.str() : text.drop_front(colon + 3).str();
}

// `expression evaluates to '1 == 2'`, which Clang notes at an assertion: so many are given, and so
// many needed. Empty for other notes.
static std::string countsText(StringRef note) {
  if (!note.consume_front("expression evaluates to '") || !note.consume_back("'"))
    return "";
  const auto [given, needed] = note.split(" == ");
  unsigned count = 0;
  if (given.getAsInteger(10, count) || needed.getAsInteger(10, count))
    return "";
  return (": found " + given + ", expected " + needed).str();
}

// What helps where Clang's own words name only what is wrong.
static std::string adviceFor(StringRef text) {
  static constexpr StringRef OfCmath[] = {"abs",  "ceil",  "cos", "erf",  "exp",  "exp2",
                                          "fabs", "floor", "fma", "fmax", "fmin", "log",
                                          "log2", "pow",   "sin", "sqrt", "tanh", "tan"};
  if (text.starts_with("type 'tsk::") && text.ends_with("does not provide a subscript operator"))
    return "; elements are written with parentheses: `x(i)`";
  if (text.consume_front("no member named '") && text.consume_back("' in namespace 'std'"))
    return llvm::is_contained(OfCmath, text)
               ? "; include its header: `cpp { #include <cmath> }`"
               : "; include the header that declares it: `cpp { #include <…> }`";
  return "";
}

// A name that only the implementation may have, and that our declarations do not: CUDA's, probably.
static std::optional<std::string> reservedName(StringRef text) {
  for (StringRef prefix : {"use of undeclared identifier '", "unknown type name '"})
    if (text.consume_front(prefix) && text.starts_with("__"))
      return text.take_until([](char c) { return c == '\''; }).str();
  return std::nullopt;
}

static bool isNoise(StringRef note) {
  return note.starts_with("built-in candidate") || note.starts_with("in instantiation of") ||
         note.starts_with("expanded from") || note.starts_with("while substituting") ||
         note.starts_with("in the instantiation of");
}

// ---- One after the other ------------------------------------------------------------------------

void CxxMessages::add(const RawMessage &message) {
  finish();
  errors += message.isError && !reservedName(message.text);
  pending = message;
}

void CxxMessages::addNote(const RawMessage &note) {
  if (!pending)
    return;
  if (StringRef(pending->text).ends_with(" a dimension"))
    pending->text += countsText(note.text);
  if (!note.place.isValid())
    return;
  if (!pending->place.isValid()) {
    pending->place = note.place;
    pending->text = assertedText(pending->text);
  } else if (!isNoise(note.text)) {
    notes.push_back({note.place, worded(note.text)});
  }
}

void CxxMessages::finish() {
  if (!pending)
    return;
  RawMessage message = std::move(*pending);
  pending.reset();
  std::vector<CxxMessage::Note> itsNotes = std::move(notes);
  notes.clear();
  if (!message.isError && !message.place.isValid())
    return; // a warning about a header
  if (message.place.isValid() &&
      !seen.insert({message.place.file, message.place.line, message.place.column, message.id})
           .second)
    return;
  CxxMessage result;
  result.isError = message.isError;
  result.place = message.place;
  result.notes = std::move(itsNotes);
  if (message.isMissingFile) {
    result.about = CxxMessage::About::MissingHeader;
    const StringRef quoted = message.text;
    result.text = quoted.drop_front().take_until([](char c) { return c == '\''; }).str();
  } else if (std::optional<std::string> name = reservedName(message.text)) {
    result.about = CxxMessage::About::Builtin;
    result.text = *name;
  } else {
    if (!message.place.isValid())
      result.about = CxxMessage::About::Header;
    result.text = worded(message.text);
    result.text += adviceFor(result.text);
  }
  done.push_back(std::move(result));
}

// After an error of a header, nothing that follows can be trusted; after one of a body, errors
// inside headers are its consequences.
std::vector<CxxMessage> CxxMessages::take() {
  finish();
  auto isHeader = [](const CxxMessage &message) {
    return message.about == CxxMessage::About::Header;
  };
  auto first = llvm::find_if(done, [&](const CxxMessage &message) {
    return message.isError && (isHeader(message) || message.about == CxxMessage::About::Body);
  });
  if (first != done.end() && isHeader(*first))
    done = {*first};
  else
    llvm::erase_if(done, isHeader);
  return std::move(done);
}

} // namespace tsk::body
