#include "compiler/sema/SourceFile.h"
#include "compiler/sema/SemaDiagnostics.h"

#include "compiler/sema/ExprResolver.h"
#include "compiler/syntax/Parser.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace tsk::sema {

constexpr Diagnostic<llvm::StringRef> ImportNotFound{kind::ImportNotFound,
                                                     "cannot find the import `{}`"};
constexpr Diagnostic<std::string, std::string> ImportUnreadable{kind::ImportUnreadable,
                                                                "cannot read `{}`: {}"};
constexpr Diagnostic<std::string> ImportCycle{kind::ImportCycle, "import cycle: {}"};
constexpr Diagnostic<size_t> ImportsTooDeep{kind::ImportsTooDeep,
                                            "imports nest deeper than {} files"};
constexpr Diagnostic<llvm::StringRef> ImportedTwice{
    kind::ImportedTwice, "this import brings a second `{}`; import one of the files with `as`"};
constexpr Diagnostic<llvm::StringRef> NotAConstantType{
    kind::NotAConstantType, "a constant is an integer, `f32`, `f64` or `bool`, not `{}`"};

namespace path = llvm::sys::path;

static constexpr size_t ImportDepthLimit = 100;
static constexpr size_t ImportBytesLimit = size_t{512} << 20;

// One file under two spellings is one file, and under two names.
static std::string keyOf(llvm::StringRef file) {
  if (llvm::sys::fs::UniqueID id; !llvm::sys::fs::getUniqueID(file, id))
    return fmt::format("{} {}", id.getDevice(), id.getFile());
  llvm::SmallString<128> key(file);
  path::remove_dots(key, /*remove_dot_dot=*/true);
  return key.str().str();
}

void FileSet::load(const ast::File &main, llvm::StringRef mainPath) {
  auto file = std::make_unique<SourceFile>();
  file->path = mainPath.str();
  file->ast = &main;
  stack.push_back({keyOf(mainPath), mainPath.str(), {}});
  loadImports(*file, main);
  stack.pop_back();
  declareNames(*file);
  all.push_back(std::move(file));
}

void FileSet::loadImports(SourceFile &file, const ast::File &ast) {
  for (const ast::Decl *decl : ast.decls)
    if (const auto *import = llvm::dyn_cast<ast::ImportDecl>(decl))
      if (const SourceFile *imported = importFile(*import, file))
        declareImport(file, *import, *imported);
}

std::vector<std::string> FileSet::candidates(const ast::ImportDecl &decl,
                                             const SourceFile &from) const {
  std::string relative = decl.target.str();
  std::vector<std::string> folders;
  if (!decl.isPath) {
    llvm::StringRef rest = decl.target;
    if (rest.consume_front("tsk.") && !context.options.libraryFolder.empty()) {
      folders.push_back(context.options.libraryFolder);
      relative = rest.str();
    }
    std::replace(relative.begin(), relative.end(), '.', '/');
    relative += ".tsk";
  }
  if (path::is_absolute(relative))
    return {relative};
  if (folders.empty()) {
    folders.push_back(path::parent_path(from.path).str());
    folders.insert(folders.end(), context.options.importFolders.begin(),
                   context.options.importFolders.end());
  }
  std::vector<std::string> result;
  for (const std::string &folder : folders) {
    llvm::SmallString<128> full(folder);
    path::append(full, relative);
    path::remove_dots(full);
    result.push_back(full.empty() ? "." : full.str().str());
  }
  return result;
}

const SourceFile *FileSet::importFile(const ast::ImportDecl &decl, const SourceFile &from) {
  if (decl.target.empty()) { // without a place: the parser has said what is missing
    if (decl.targetRange.isValid())
      context.report(decl.targetRange, ImportNotFound, decl.target);
    return nullptr;
  }
  std::vector<std::string> places = candidates(decl, from);
  for (const std::string &place : places) {
    std::string key = keyOf(place);
    for (size_t i = 0; i < stack.size(); ++i)
      if (stack[i].key == key) {
        reportCycle(decl, i);
        return nullptr;
      }
    if (auto it = byKey.find(key); it != byKey.end())
      return it->second;
    if (!context.options.readFile)
      continue;
    auto text = context.options.readFile(place);
    if (!text && text.getError() == std::errc::no_such_file_or_directory)
      continue;
    const SourceFile *&result = byKey[key];
    if (!text) {
      context.report(decl.targetRange, ImportUnreadable, displayName(place),
                     text.getError().message());
      return nullptr;
    }
    if (stack.size() >= ImportDepthLimit) {
      context.report(decl.targetRange, ImportsTooDeep, ImportDepthLimit);
      return nullptr;
    }
    const SourceFile *parsed = parse(std::move(*text), place, decl);
    result = parsed;
    return parsed;
  }
  ReportBuilder report = context.report(decl.targetRange, ImportNotFound, decl.target);
  for (const std::string &place : places)
    report.note({}, "there is no `{}`", displayName(place));
  return nullptr;
}

const SourceFile *FileSet::parse(std::unique_ptr<llvm::MemoryBuffer> text, const std::string &place,
                                 const ast::ImportDecl &decl) {
  bytes += text->getBufferSize();
  if (bytes > ImportBytesLimit) {
    context.report(decl.targetRange, ImportUnreadable, displayName(place),
                   "the imports are too large in all");
    return nullptr;
  }
  std::string name = displayName(place);
  SourceLoc begin = context.sources.addBuffer(std::move(text), name);
  auto file = std::make_unique<SourceFile>();
  file->path = place;
  file->owned = syntax::parseFile(context.sources, begin, context.diags);
  file->ast = file->owned.get();
  stack.push_back({keyOf(place), name, decl.targetRange});
  loadImports(*file, *file->ast);
  stack.pop_back();
  declareNames(*file);
  all.push_back(std::move(file));
  return all.back().get();
}

// The library's files are named as they are imported, wherever they are installed.
std::string FileSet::displayName(llvm::StringRef file) const {
  llvm::StringRef rest = file;
  const std::string &library = context.options.libraryFolder;
  if (!library.empty() && rest.consume_front(library) && rest.consume_front("/"))
    return "tsk/" + rest.str();
  return file.str();
}

void FileSet::reportCycle(const ast::ImportDecl &decl, size_t first) {
  std::string chain;
  for (size_t i = first; i < stack.size(); ++i)
    chain += fmt::format("`{}` → ", stack[i].name);
  chain += fmt::format("`{}`", stack[first].name);
  ReportBuilder report = context.report(decl.targetRange, ImportCycle, chain);
  for (size_t i = first + 1; i < stack.size(); ++i)
    report.note(stack[i].importedAt, "`{}` is imported here", stack[i].name);
}

void FileSet::declareImport(SourceFile &file, const ast::ImportDecl &decl,
                            const SourceFile &imported) {
  if (decl.alias) {
    if (Symbol *alias = declare(context, file.visible, decl.alias, Symbol::Kind::ImportAlias))
      alias->home = &imported;
    return;
  }
  for (const std::string &name : imported.exported.names()) {
    const Symbol *symbol = imported.exported.find(name);
    if (const Symbol *earlier = file.visible.findHere(name)) {
      if (earlier->loc != symbol->loc)
        context.report(decl.range, ImportedTwice, name)
            .note(earlier->loc, "the first is declared here")
            .note(symbol->loc, "the second is declared here");
      continue;
    }
    file.visible.insert(*symbol);
  }
  for (const SourceFile::Kernel &kernel : imported.kernels)
    if (kernel.home == &imported)
      file.addKernel(*kernel.decl, imported);
}

void FileSet::declareNames(SourceFile &file) {
  for (const ast::Decl *decl : file.ast->decls)
    if (const auto *constant = llvm::dyn_cast<ast::ConstDecl>(decl))
      file.visible.announce(constant->name);
  for (const ast::Decl *decl : file.ast->decls) {
    Symbol *symbol = nullptr;
    if (const auto *constant = llvm::dyn_cast<ast::ConstDecl>(decl)) {
      symbol = declareConstant(context, file.visible, *constant);
    } else if (const auto *function = llvm::dyn_cast<ast::FunctionDecl>(decl)) {
      symbol = declare(context, file.visible, function->name, Symbol::Kind::Function);
      if (symbol)
        symbol->function = function;
    } else if (const auto *type = llvm::dyn_cast<ast::ResourceTypeDecl>(decl)) {
      symbol = declare(context, file.visible, type->name, Symbol::Kind::ResourceType);
      if (symbol)
        symbol->resourceType = type;
    } else if (const auto *kernel = llvm::dyn_cast<ast::KernelDecl>(decl)) {
      declareKernel(file, *kernel);
    }
    if (!symbol)
      continue;
    symbol->home = &file;
    file.exported.insert(*symbol);
  }
}

void FileSet::declareKernel(SourceFile &file, const ast::KernelDecl &kernel) {
  if (!kernel.name || !checkName(context, kernel.name))
    return;
  if (const SourceFile::Kernel *earlier = file.findKernel(kernel.name.text))
    context.report(kernel.name.range, Redeclared, kernel.name.text)
        .note(earlier->decl->name.range, "`{}` is a kernel, declared here", kernel.name.text);
  else
    file.addKernel(kernel, file);
}

Symbol *declareConstant(Context &context, Scope &scope, const ast::ConstDecl &decl) {
  ir::ValueTables scratch;
  ExprResolver resolver(context, scratch, scope);
  std::optional<ir::ConstantScalar> value =
      resolver.constant(decl.value, fmt::format("the constant `{}`", decl.name.text));
  if (value && decl.type) {
    llvm::StringRef name = context.text(decl.type->range);
    std::optional<ir::ScalarType> type = ir::scalarTypeByName(name);
    bool isPossible = type && (*type == ir::ScalarType::Bool || ir::commonType(*type, *type));
    if (!isPossible) {
      context.report(decl.type->range, NotAConstantType, name);
      value.reset();
    } else {
      ir::ExprId id = ir::makeConstant(scratch, *value, decl.value->range);
      id = resolver.convertTo(id, ir::Type::ofScalar(*type), decl.value->range,
                              fmt::format("the constant `{}`", decl.name.text));
      value = id ? resolver.constantOf(id) : std::nullopt;
    }
  }
  Symbol *symbol = declare(context, scope, decl.name, Symbol::Kind::Constant);
  if (!symbol)
    return nullptr;
  if (value)
    symbol->constant = *value;
  else
    symbol->kind = Symbol::Kind::Broken;
  return symbol;
}

} // namespace tsk::sema
