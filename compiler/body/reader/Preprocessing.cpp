#include "compiler/body/reader/Preprocessing.h"

#include "llvm/ADT/STLExtras.h"

namespace tsk::body {

class Preprocessing::Definitions : public clang::PPCallbacks {
public:
  explicit Definitions(Preprocessing &p) : owner(p) {}

  void MacroDefined(const clang::Token &name, const clang::MacroDirective *directive) override {
    owner.see(name, directive->getMacroInfo());
  }
  void MacroUndefined(const clang::Token &name, const clang::MacroDefinition &,
                      const clang::MacroDirective *) override {
    owner.see(name, nullptr);
  }

private:
  Preprocessing &owner;
};

Preprocessing::Preprocessing(clang::Preprocessor &preprocessor, unsigned firstLine,
                             llvm::StringRef folder)
    : sources(preprocessor.getSourceManager()), first(firstLine), ownFolder(folder) {
  preprocessor.addPPCallbacks(std::make_unique<Definitions>(*this));
  preprocessor.setTokenWatcher([this](const clang::Token &token) { see(token); });
}

// The line in the request's text, 0 for what is not from there.
unsigned Preprocessing::lineOf(clang::SourceLocation loc, bool &isIncluded) const {
  loc = sources.getExpansionLoc(loc);
  clang::FileID file = sources.getFileID(loc);
  isIncluded = file != sources.getMainFileID();
  while (file != sources.getMainFileID()) {
    loc = sources.getIncludeLoc(file);
    if (loc.isInvalid())
      return 0;
    file = sources.getFileID(loc);
  }
  const unsigned line = sources.getSpellingLineNumber(loc);
  return line < first ? 0 : line - first + 1;
}

// Names in the text itself are known from there.
void Preprocessing::see(const clang::Token &token) {
  if (token.isNot(clang::tok::identifier))
    return;
  const clang::SourceLocation loc = token.getLocation();
  if (loc.isFileID() && sources.isInSystemHeader(loc))
    return;
  bool isIncluded = false;
  const unsigned line = lineOf(loc, isIncluded);
  if (line != 0 && (isIncluded || loc.isMacroID()))
    names.emplace(line, token.getIdentifierInfo()->getName().str());
}

bool Preprocessing::isUsers(clang::SourceLocation loc) const {
  return !sources.isInSystemHeader(loc) && !sources.getFilename(loc).starts_with(ownFolder + "/");
}

void Preprocessing::see(const clang::Token &name, const clang::MacroInfo *info) {
  const clang::IdentifierInfo *own = name.getIdentifierInfo();
  const clang::SourceLocation loc = name.getLocation();
  bool isIncluded = false;
  const unsigned line = lineOf(loc, isIncluded);
  if (line == 0 || (isIncluded && !isUsers(loc)))
    return;
  // `#define x x` changes nothing.
  if (info && info->isObjectLike() && info->getNumTokens() == 1 &&
      info->getReplacementToken(0).getIdentifierInfo() == own)
    info = nullptr;
  Event event{own->getName().str(), line, info != nullptr, info && info->isFunctionLike(), {}};
  const clang::PresumedLoc presumed = sources.getPresumedLoc(loc);
  if (presumed.isValid())
    event.place = {presumed.getFilename(), presumed.getLine(), presumed.getColumn(),
                   static_cast<unsigned>(event.name.size())};
  events.push_back(std::move(event));
}

void Preprocessing::report(const Request &request, Reply &reply) const {
  const auto functionAt = [&](unsigned line) -> std::optional<unsigned> {
    for (unsigned i = 0; i < request.functions.size(); ++i)
      if (request.functions[i].firstLine <= line && line <= request.functions[i].lastLine)
        return i;
    return std::nullopt;
  };
  // By the function, since what one defines is not the same as what a block does.
  std::map<std::pair<std::optional<unsigned>, std::string>, const Event *> defined;
  for (const Event &event : events) {
    const auto key = std::pair(functionAt(event.line), event.name);
    if (event.isDefined)
      defined[key] = &event;
    else
      defined.erase(key);
  }
  for (const auto &[key, event] : defined)
    reply.macros.push_back({event->name, event->takesArguments, event->place, key.first});
  for (unsigned i = 0; i < request.functions.size(); ++i) {
    std::set<std::string> found;
    for (auto it = names.lower_bound({request.functions[i].firstLine, ""});
         it != names.end() && it->first <= request.functions[i].lastLine; ++it)
      found.insert(it->second);
    if (!found.empty())
      reply.hidden.push_back({i, {found.begin(), found.end()}});
  }
}

} // namespace tsk::body
