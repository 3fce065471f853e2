#include "compiler/body/BodyMacros.h"
#include "compiler/body/BodyDiagnostics.h"
#include "compiler/body/BodyScan.h"
#include "compiler/body/BodyTokens.h"

#include "llvm/ADT/STLExtras.h"

#include <map>
#include <set>

namespace tsk::body {

constexpr Diagnostic<llvm::StringRef> MacroLeft{
    kind::MacroLeft, "macro `{0}` is still defined where its body ends; end it with `#undef {0}`"};

using Names = std::set<std::string>;

// ---- Directives, by tokens ----------------------------------------------------------------------

namespace {

struct Directives {
  struct Definition {
    bool takesArguments = false;
    bool isSure = true; // not in an #if
    size_t offset = 0;  // of its name
    Names names;        // that it stands for
  };
  std::map<std::string, Definition> macros;
  bool includes = false;
};

class DirectiveReader {
public:
  explicit DirectiveReader(llvm::StringRef t) : text(t), lexer(t) {}

  Directives read() {
    for (next(); token.kind != ir::CppToken::Kind::End;)
      if (token.is("#") && startsLine(token.offset))
        directive();
      else
        next();
    return std::move(found);
  }

private:
  void next() { token = lexer.next(); }

  bool startsLine(size_t offset) const {
    const size_t end = text.rfind('\n', offset);
    return text.slice(end == llvm::StringRef::npos ? 0 : end + 1, offset).trim().empty();
  }

  // Where the line ends, with those that `\` joins to it.
  size_t endOf(size_t offset) const {
    size_t end = text.find('\n', offset);
    while (end != llvm::StringRef::npos && text.take_front(end).rtrim("\r").ends_with("\\"))
      end = text.find('\n', end + 1);
    return std::min(end, text.size());
  }

  void directive() {
    const size_t end = endOf(token.offset);
    const auto isInside = [&] {
      return token.kind != ir::CppToken::Kind::End && token.offset < end;
    };
    next();
    if (!isInside())
      return;
    found.includes |= token.text.starts_with("include") || token.is("import");
    depth += token.text.starts_with("if");
    depth -= token.is("endif");
    const bool defines = token.is("define"), undefines = token.is("undef");
    next();
    if (!isInside() || (!defines && !undefines))
      return;
    const std::string name = token.text.str();
    if (undefines) {
      found.macros.erase(name);
      return;
    }
    Directives::Definition made{false, depth == 0, token.offset, {}};
    const size_t behind = token.offset + token.text.size();
    next();
    made.takesArguments = isInside() && token.is("(") && token.offset == behind;
    for (; isInside(); next())
      if (token.kind == ir::CppToken::Kind::Identifier)
        made.names.insert(token.text.str());
    if (made.takesArguments || made.names != Names{name})
      found.macros[name] = std::move(made);
  }

  llvm::StringRef text;
  ir::CppLexer lexer;
  ir::CppToken token;
  int depth = 0; // of #if
  Directives found;
};

Directives directivesOf(const ir::Module &module) {
  Directives all;
  for (const ir::CppBlock &block : module.cpp) {
    Directives own = DirectiveReader(block.text).read();
    all.includes |= own.includes;
    for (auto &[name, macro] : own.macros)
      all.macros[name] = std::move(macro);
  }
  return all;
}

Names spelledIn(llvm::StringRef text) {
  Names names;
  ir::CppLexer lexer(text);
  for (ir::CppToken token = lexer.next(); token.kind != ir::CppToken::Kind::End;
       token = lexer.next())
    if (token.kind == ir::CppToken::Kind::Identifier)
      names.insert(token.text.str());
  return names;
}

// ---- By tokens ----------------------------------------------------------------------------------

class TokenNames {
public:
  explicit TokenNames(ir::Module &m) : module(m), outer(directivesOf(m)) {}

  void note() {
    for (const auto &kernel : module.kernels) {
      for (ir::Work &work : kernel->works)
        work.hiddenNames = hiddenIn(work.body, *kernel);
      for (ir::Function &function : kernel->functions)
        function.hiddenNames = hiddenIn(function.body, *kernel);
    }
  }

private:
  Names hiddenIn(llvm::StringRef body, const ir::Kernel &kernel) const {
    const Directives own = DirectiveReader(body).read();
    Names reached = spelledIn(body);
    std::vector<std::string> open(reached.begin(), reached.end());
    Names hidden;
    while (!open.empty()) {
      const std::string name = std::move(open.back());
      open.pop_back();
      for (const Directives *from : {&outer, &own})
        if (const auto macro = from->macros.find(name); macro != from->macros.end())
          for (const std::string &other : macro->second.names)
            if (reached.insert(other).second) {
              hidden.insert(other);
              open.push_back(other);
            }
    }
    if (outer.includes || own.includes)
      addAll(hidden, kernel);
    return hidden;
  }

  // A field is no such name: that a body has it says what the body does.
  static void addAll(Names &names, const ir::Kernel &kernel) {
    names.insert("stage");
    for (const ir::Constant &constant : kernel.constants)
      names.insert(constant.name);
    for (const ir::Scalar &scalar : kernel.scalars)
      names.insert(scalar.name);
    for (const ir::Param &param : kernel.params)
      names.insert(param.name);
    for (const ir::Resource &resource : kernel.resources)
      for (const ir::Constant &constant : resource.constants)
        names.insert(constant.name);
  }

  ir::Module &module;
  const Directives outer;
};

// ---- What the names are -------------------------------------------------------------------------

template <typename OwnerT>
void useParams(OwnerT &owner, const ir::Kernel &kernel, const Names &names) {
  for (size_t i = 0; i < kernel.params.size(); ++i)
    if (const ir::ParamId id = kernel.params.idAt(i);
        kernel.params[id].shape != ir::Param::Shape::Scalar &&
        names.count(kernel.params[id].name) && !llvm::is_contained(owner.usedParams, id))
      owner.usedParams.push_back(id);
  for (size_t i = 0; i < kernel.scalars.size(); ++i)
    if (const ir::ScalarId id = kernel.scalars.idAt(i);
        names.count(kernel.scalars[id].name) && !llvm::is_contained(owner.usedScalars, id))
      owner.usedScalars.push_back(id);
}

// A field that a macro names is used as its work uses fields: nothing else is known of it here.
void useFields(ir::Work &work, const ir::Kernel &kernel, const Names &names) {
  const auto isTouched = [&](ir::FieldId id) {
    return llvm::any_of(work.accesses,
                        [&](const ir::Access &access) { return access.field == id; });
  };
  for (size_t i = 0; i < kernel.fields.size(); ++i) {
    const ir::FieldId id = kernel.fields.idAt(i);
    const ir::Field &field = kernel.fields[id];
    const bool isOwn = field.resource == work.resource;
    const bool isNamed =
        names.count(field.name) && (isOwn || names.count(kernel.nameIn(work, field.resource)));
    if (!isNamed || isTouched(id) || work.kind == ir::WorkKind::Setup)
      continue;
    const bool writes =
        isOwn && (work.kind == ir::WorkKind::Produce || work.kind == ir::WorkKind::Update);
    if (!writes || work.kind == ir::WorkKind::Update)
      addAccess(work, {id, {}, false, ir::Mechanism::Async, false});
    if (writes)
      addAccess(work, {id, {}, true, ir::Mechanism::Async, false});
  }
}

void apply(ir::Work &work, ir::Kernel &kernel) {
  Names names = work.hiddenNames;
  for (const auto *list : {&work.params, &work.results})
    for (const ir::WorkParam &own : *list)
      names.erase(own.name);
  if (names.empty())
    return;
  useFields(work, kernel, names);
  for (const ir::ParamAlias &alias : kernel.resources[work.resource].aliases)
    if (names.erase(alias.name) && !llvm::is_contained(work.usedParams, alias.param))
      work.usedParams.push_back(alias.param);
  useParams(work, kernel, names);
}

void apply(ir::Function &function, ir::Kernel &kernel) {
  Names names = function.hiddenNames;
  for (const std::string &own : function.params)
    names.erase(own);
  for (const ir::Constant &own : function.constants)
    names.erase(own.name);
  useParams(function, kernel, names);
}

bool hasReadAll(const Reading &reading) {
  return llvm::all_of(reading.reply.messages, [](const CxxMessage &message) {
    return message.about != CxxMessage::About::MissingHeader;
  });
}

void noteSeen(ir::Module &module, const Reading &reading) {
  for (const HiddenNames &hidden : reading.reply.hidden) {
    const Function &function = reading.request.functions[hidden.function];
    for (const auto &kernel : module.kernels)
      if (kernel->name == function.kernel)
        (function.userFunction ? kernel->functions[function.userFunction].hiddenNames
                               : kernel->works[function.work].hiddenNames)
            .insert(hidden.names.begin(), hidden.names.end());
  }
}

} // namespace

void noteHiddenNames(ir::Module &module, const Reading *reading) {
  if (reading && hasReadAll(*reading))
    noteSeen(module, *reading);
  else
    TokenNames(module).note();
  for (const auto &kernel : module.kernels) {
    for (ir::Work &work : kernel->works)
      apply(work, *kernel);
    for (ir::Function &function : kernel->functions)
      apply(function, *kernel);
  }
}

std::set<std::string> macrosOfBlocks(const ir::Module &module) {
  Names names;
  for (const auto &[name, macro] : directivesOf(module).macros)
    names.insert(name);
  return names;
}

// ---- Macros that are left -----------------------------------------------------------------------

// `range`: of the braces' inside, where known.
static void addMacros(std::vector<Macro> &macros, llvm::StringRef text, SourceRange range,
                      bool isInBody, const SourceManager &sources) {
  llvm::StringRef whole = range.isValid() ? sources.text(range) : "";
  const size_t skipped = whole.find(text);
  for (const auto &[name, macro] : DirectiveReader(text).read().macros) {
    if (!macro.isSure)
      continue;
    SourceRange place;
    if (range.isValid() && skipped != llvm::StringRef::npos) {
      place.begin = range.begin.advanced(static_cast<uint32_t>(skipped + macro.offset));
      place.end = place.begin.advanced(static_cast<uint32_t>(name.size()));
    }
    macros.push_back({name, macro.takesArguments, place, "", isInBody});
  }
}

static void addSeen(std::vector<Macro> &macros, const Reading &reading,
                    const SourceManager &sources) {
  for (const MacroFact &fact : reading.reply.macros) {
    const SourceRange range = rangeOf(fact.place, sources);
    macros.push_back({fact.name, fact.takesArguments, range, range.isValid() ? "" : fact.place.file,
                      fact.function.has_value()});
  }
}

std::vector<Macro> macrosLeft(const ir::Module &module, const Reading *reading,
                              const SourceManager &sources) {
  std::vector<Macro> macros;
  if (reading && hasReadAll(*reading)) {
    addSeen(macros, *reading, sources);
  } else {
    for (const ir::CppBlock &block : module.cpp)
      addMacros(macros, block.text, block.loc, false, sources);
    for (const auto &kernel : module.kernels) {
      for (const ir::Work &work : kernel->works)
        addMacros(macros, work.body, work.bodyLoc, true, sources);
      for (const ir::Function &function : kernel->functions)
        addMacros(macros, function.body, function.bodyLoc, true, sources);
    }
  }
  llvm::stable_sort(macros,
                    [](const Macro &a, const Macro &b) { return a.range.begin < b.range.begin; });
  return macros;
}

bool checkMacrosOfBodies(llvm::ArrayRef<Macro> macros, DiagnosticEngine &diags) {
  std::set<std::pair<SourceLoc, std::string>> done; // a body stands in several tasks and instances
  for (const Macro &macro : macros)
    if (macro.isInBody && done.insert({macro.range.begin, macro.name}).second)
      diags.report(macro.range, MacroLeft, macro.name);
  return done.empty();
}

} // namespace tsk::body
