// Sets Clang up for device code, runs it over the text, collects what it says. Clang's headers are
// seen here, in Lower*.cpp and in Preprocessing.cpp, nowhere else.
#include "compiler/body/reader/CxxMessages.h"
#include "compiler/body/reader/Interpreter.h"
#include "compiler/body/reader/Lower.h"
#include "compiler/body/reader/Preprocessing.h"
#include "compiler/body/reader/Reader.h"

#include "clang/AST/ASTConsumer.h"
#include "clang/Driver/Compilation.h"
#include "clang/Driver/Driver.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Lex/LexDiagnostic.h"
#include "clang/Lex/Preprocessor.h"
#include "clang/Sema/SemaDiagnostic.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/TargetParser/Host.h"

#include <map>

namespace tsk::body {

namespace {

constexpr llvm::StringLiteral ShimFolder = "/tsk-shim";
constexpr llvm::StringLiteral MainFile = "/tsk-shim/<bodies>";
constexpr llvm::StringLiteral Generated = "<bodies>"; // codegen::BodyTextName
constexpr unsigned LinesBefore = 2;                   // of the main file before a request's bodies

// ---- Messages -----------------------------------------------------------------------------------

// Clang's diagnostics with places as #line gives them; those of other files are attached to the
// place in the .tsk file that leads to them.
class Collector : public clang::DiagnosticConsumer {
public:
  explicit Collector(CxxMessages &to) : messages(to) {}

  void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                        const clang::Diagnostic &info) override {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    llvm::SmallString<128> text;
    info.FormatDiagnostic(text);
    RawMessage message;
    message.text = text.str().str();
    message.isError = level >= clang::DiagnosticsEngine::Error;
    message.isFatal = level == clang::DiagnosticsEngine::Fatal;
    if (info.hasSourceManager())
      message.place = place(info);
    message.id = info.getID();
    message.isMissingFile = info.getID() == clang::diag::err_pp_file_not_found;
    if (level == clang::DiagnosticsEngine::Note)
      messages.addNote(message);
    else if (level > clang::DiagnosticsEngine::Remark || message.isError)
      messages.add(message);
  }

private:
  CxxPlace place(const clang::Diagnostic &info) const {
    const clang::SourceManager &sources = info.getSourceManager();
    clang::SourceLocation at = info.getLocation();
    // What is assigned, not the sign.
    if (info.getID() == clang::diag::err_typecheck_assign_const && !info.getRanges().empty())
      at = info.getRange(0).getBegin();
    const clang::SourceLocation loc = inBody(sources, sources.getFileLoc(at));
    const clang::PresumedLoc presumed = sources.getPresumedLoc(loc);
    if (presumed.isInvalid() || sources.getFileID(loc) != sources.getMainFileID() ||
        presumed.getFilename() == Generated)
      return {};
    return {presumed.getFilename(), presumed.getLine(), presumed.getColumn(), length(info, loc)};
  }

  // The brace behind a body is ours: what Clang says of it, it says of the body's end.
  static clang::SourceLocation inBody(const clang::SourceManager &sources,
                                      clang::SourceLocation loc) {
    const clang::PresumedLoc presumed = sources.getPresumedLoc(loc);
    const auto [file, offset] = sources.getDecomposedLoc(loc);
    const llvm::StringRef before = sources.getBufferData(file).take_front(offset);
    if (file != sources.getMainFileID() || presumed.getFilename() != Generated)
      return loc;
    const size_t directive = before.rfind("\n#line ");
    if (directive == llvm::StringRef::npos || before.substr(directive).count('\n') > 2)
      return loc;
    const size_t last = before.take_front(directive).find_last_not_of(" \t\r\n");
    return last == llvm::StringRef::npos
               ? loc
               : loc.getLocWithOffset(static_cast<int>(last) - static_cast<int>(offset));
  }

  // Of the text that the message is about, as far as it stands on the line.
  static unsigned length(const clang::Diagnostic &info, clang::SourceLocation loc) {
    const clang::SourceManager &sources = info.getSourceManager();
    const clang::LangOptions options;
    unsigned token = clang::Lexer::MeasureTokenLength(loc, sources, options);
    for (const clang::CharSourceRange &range : info.getRanges()) {
      const clang::SourceLocation begin = sources.getFileLoc(range.getBegin());
      const clang::SourceLocation end = sources.getFileLoc(range.getEnd());
      if (begin != loc || sources.getPresumedLineNumber(end) != sources.getPresumedLineNumber(loc))
        continue;
      unsigned reach = sources.getFileOffset(end) - sources.getFileOffset(loc);
      if (range.isTokenRange())
        reach += clang::Lexer::MeasureTokenLength(end, sources, options);
      token = std::max(token, reach);
    }
    return std::max(token, 1U);
  }

  CxxMessages &messages;
};

// ---- Files --------------------------------------------------------------------------------------

// Which files the result depends on: those read, and those that would be read if they were there.
using Inputs = std::map<std::string, clang::OptionalFileEntryRef>;

class Inclusions : public clang::PPCallbacks {
public:
  Inclusions(clang::CompilerInstance &compiler, Inputs &names)
      : headers(compiler.getPreprocessor().getHeaderSearchInfo()),
        sources(compiler.getSourceManager()), files(names) {}

  void InclusionDirective(clang::SourceLocation hash, const clang::Token &, llvm::StringRef written,
                          bool isAngled, clang::CharSourceRange, clang::OptionalFileEntryRef file,
                          llvm::StringRef, llvm::StringRef, const clang::Module *, bool,
                          clang::SrcMgr::CharacteristicKind) override {
    search(hash, written, isAngled, file);
  }
  void HasInclude(clang::SourceLocation loc, llvm::StringRef written, bool isAngled,
                  clang::OptionalFileEntryRef file, clang::SrcMgr::CharacteristicKind) override {
    search(loc, written, isAngled, file);
  }

private:
  void search(clang::SourceLocation from, llvm::StringRef written, bool isAngled,
              clang::OptionalFileEntryRef file) {
    auto isFoundIn = [&](llvm::StringRef folder) {
      llvm::SmallString<256> path(folder);
      llvm::sys::path::append(path, written);
      const bool isIt = file && file->getName() == path;
      if (!isIt)
        add(path, std::nullopt);
      return isIt;
    };
    // The system's own headers find each other.
    if (!file || !sources.isInSystemHeader(from)) {
      const clang::OptionalFileEntryRef around =
          sources.getFileEntryRefForID(sources.getFileID(sources.getFileLoc(from)));
      bool isFound = !isAngled && around && isFoundIn(around->getDir().getName());
      const auto folders =
          isAngled ? llvm::make_range(headers.angled_dir_begin(), headers.system_dir_end())
                   : headers.search_dir_range();
      for (auto folder = folders.begin(); !isFound && folder != folders.end(); ++folder)
        isFound = isFoundIn(folder->getName());
    }
    if (file)
      add(file->getName(), file);
  }

  void add(llvm::StringRef path, clang::OptionalFileEntryRef file) {
    if (!isInside(path, ShimFolder))
      files.insert({path.str(), file});
  }

  const clang::HeaderSearch &headers;
  const clang::SourceManager &sources;
  Inputs &files;
};

// Keeps what the AST says before Clang lets go of it.
class TreeMaker : public clang::ASTConsumer {
public:
  TreeMaker(const Homes &h, const CxxMessages &m, tree::Tree &t) : homes(h), messages(m), tree(t) {}
  void HandleTranslationUnit(clang::ASTContext &context) override {
    if (messages.hasMeaning())
      tree = lower(context, homes);
  }

private:
  const Homes &homes;
  const CxxMessages &messages;
  tree::Tree &tree;
};

class ReadAction : public clang::ASTFrontendAction {
public:
  ReadAction(const Request &r, const Homes &h, const CxxMessages &m, Inputs &names, tree::Tree &t)
      : request(r), homes(h), messages(m), files(names), tree(t) {}

  bool BeginSourceFileAction(clang::CompilerInstance &compiler) override {
    compiler.getPreprocessor().addPPCallbacks(std::make_unique<Inclusions>(compiler, files));
    if (request.simulatorFolder.empty())
      preprocessing =
          std::make_unique<Preprocessing>(compiler.getPreprocessor(), LinesBefore + 1, ShimFolder);
    return true;
  }
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance &,
                                                        llvm::StringRef) override {
    return std::make_unique<TreeMaker>(homes, messages, tree);
  }

  // By what Clang has read, whatever has become of the file since.
  void EndSourceFileAction() override {
    clang::SourceManager &sources = getCompilerInstance().getSourceManager();
    for (const auto &[path, file] : files) {
      std::optional<llvm::MemoryBufferRef> text;
      if (file)
        text = sources.getMemoryBufferForFileOrNone(*file);
      inputs.push_back(text ? InputFile::holding(path, text->getBuffer())
                            : InputFile{path, std::nullopt, ""});
    }
    if (preprocessing)
      preprocessing->report(request, found);
  }

  std::vector<InputFile> inputs;
  Reply found; // by the preprocessor

private:
  const Request &request;
  const Homes &homes;
  const CxxMessages &messages;
  Inputs &files;
  tree::Tree &tree;
  std::unique_ptr<Preprocessing> preprocessing;
};

// ---- Setting up ---------------------------------------------------------------------------------

llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem> makeFiles(const Request &request) {
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (const ShimFile &file : shimFiles())
    memory->addFile(ShimFolder + "/" + file.name, 0,
                    llvm::MemoryBuffer::getMemBuffer(file.text, file.name));
  const llvm::StringRef prefix =
      request.simulatorFolder.empty() ? "#include \"tsk_reading.h\"\n" : "";
  memory->addFile(MainFile, 0,
                  llvm::MemoryBuffer::getMemBufferCopy(
                      (prefix + "#line 1 \"<bodies>\"\n" + request.text).str(), MainFile));
  auto overlay =
      llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(llvm::vfs::getRealFileSystem());
  overlay->pushOverlay(memory);
  return overlay;
}

// Clang 19 knows Hopper; a body for a later GPU is read as one for Hopper with more primitives.
std::string targetFor(llvm::StringRef target) {
  for (llvm::StringRef known : {"sm_70", "sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a"})
    if (target == known)
      return target.str();
  return "sm_90a";
}

// As the simulator's build has it (driver/SimulatorBuild).
std::vector<std::string> hostCommandLine(const Request &request) {
  std::vector<std::string> words = {
      "clang++",       "-xc++",           "--no-default-config", "-std=c++17",
      "-fsyntax-only", "-ferror-limit=0", "-D__constinit=",      "-w"};
  llvm::append_range(words, std::vector<std::string>{"-iquote", request.sourceFolder});
  for (const std::string &folder : request.includeFolders)
    words.push_back("-I" + folder);
  words.push_back("-isystem" + request.simulatorFolder);
  words.push_back("-isystem" + request.runtimeFolder);
  llvm::append_range(words, std::vector<std::string>{"-idirafter", request.sourceFolder});
  words.push_back(MainFile.str());
  return words;
}

std::vector<std::string> commandLine(const Request &request) {
  if (!request.simulatorFolder.empty())
    return hostCommandLine(request);
  std::vector<std::string> words = {"clang++",
                                    "-xcuda",
                                    "--cuda-device-only",
                                    "-nocudainc",
                                    "-nocudalib",
                                    "--cuda-path-ignore-env",
                                    "--cuda-path=/tsk-shim",
                                    "--no-default-config",
                                    "--cuda-gpu-arch=" + targetFor(request.target),
                                    "-std=c++17",
                                    "-fsyntax-only",
                                    "-ferror-limit=0",
                                    "-fbracket-depth=1024",
                                    "-Wno-unknown-cuda-version",
                                    "-Wno-unknown-pragmas",
                                    "-Werror=return-type",
                                    "-Wuninitialized",
                                    "-Wsometimes-uninitialized"};
  // In the order in which a test's build looks: SimulatorBuild.cpp.
  llvm::append_range(words, std::vector<std::string>{"-iquote", request.sourceFolder});
  words.push_back("-I" + ShimFolder.str());
  for (const std::string &folder : request.includeFolders)
    words.push_back("-I" + folder);
  words.push_back("-isystem" + request.runtimeFolder);
  llvm::append_range(words, std::vector<std::string>{"-idirafter", request.sourceFolder});
  words.push_back(MainFile.str());
  return words;
}

void interpret(const tree::Tree &tree, const Request &request, Reply &reply) {
  for (const tree::Tree::Root &root : tree.roots)
    if (root.number < request.functions.size())
      reply.works.push_back(readBody(tree, request.functions[root.number], root));
  for (const tree::Tree::ArgumentCheck &check : tree.arguments)
    if (!check.isConvertible)
      reply.arguments.push_back({check.number, worded(check.given), worded(check.wanted)});
}

} // namespace

Reply readWithClang(const Request &request, llvm::StringRef resourceFolder) {
  CxxMessages messages;
  Collector collector(messages);
  auto files = makeFiles(request);
  auto diags = clang::CompilerInstance::createDiagnostics(new clang::DiagnosticOptions, &collector,
                                                          /*ShouldOwnClient=*/false);
  clang::driver::Driver driver("/usr/bin/clang++", llvm::sys::getDefaultTargetTriple(), *diags,
                               "tskc-bodies", files);
  driver.ResourceDir = resourceFolder.str();
  const std::vector<std::string> words = commandLine(request);
  std::vector<const char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(word.c_str());
  std::unique_ptr<clang::driver::Compilation> compilation(driver.BuildCompilation(arguments));

  Reply reply;
  auto invocation = std::make_shared<clang::CompilerInvocation>();
  if (compilation && compilation->getJobs().size() == 1 &&
      clang::CompilerInvocation::CreateFromArgs(
          *invocation, compilation->getJobs().begin()->getArguments(), *diags)) {
    invocation->getFrontendOpts().DisableFree = true;
    invocation->getDiagnosticOpts().ShowCarets = false; // nor a count of errors at the end
    clang::CompilerInstance compiler;
    compiler.setInvocation(invocation);
    compiler.createFileManager(files);
    compiler.createDiagnostics(&collector, /*ShouldOwnClient=*/false);
    Inputs inputs;
    tree::Tree tree;
    const Homes homes = {request.runtimeFolder, ShimFolder, Generated};
    ReadAction action(request, homes, messages, inputs, tree);
    compiler.ExecuteAction(action);
    if (messages.hasMeaning() && request.simulatorFolder.empty())
      interpret(tree, request, reply);
    reply.inputs = std::move(action.inputs);
    reply.hidden = std::move(action.found.hidden);
    reply.macros = std::move(action.found.macros);
  }
  reply.messages = messages.take();
  return reply;
}

} // namespace tsk::body
