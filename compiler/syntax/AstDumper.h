// How AstDump prints: shared by its parts, not for others.
#pragma once

#include "compiler/syntax/AstDump.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

namespace tsk::ast {

// Parts of lines. The optional ones begin with a blank.
std::string optional(llvm::StringRef word, const Expr *expr);
std::string named(llvm::StringRef word, const Name &name);
std::string withType(const Type *type);
std::string list(List<const Expr *> exprs);
std::string list(List<Name> names);
std::string list(List<Path> paths);
std::string list(List<Arg> args);
std::string list(List<TemplateArg> args);
std::string list(List<MechanismUse> uses);

class Dumper {
public:
  Dumper(const SourceManager &manager, llvm::raw_ostream &stream, DumpOptions dumpOptions)
      : sources(manager), os(stream), options(dumpOptions) {}

  void file(const File &node) {
    os << "file\n";
    decls(node.decls);
  }

private:
  // ---- Lines and levels
  void line(SourceRange range, const llvm::Twine &text) {
    os.indent(2 * (level + 1));
    if (options.locations && range.isValid()) {
      PresumedLoc loc = sources.presumed(range.begin);
      os << loc.line << ':' << loc.column << ": ";
    }
    os << text << '\n';
  }
  template <typename Function> void inside(Function function) {
    ++level;
    function();
    --level;
  }
  void body(const Body &node) {
    auto [first, rest] = node.text.ltrim().split('\n');
    line(node.range, "body " + llvm::Twine(node.text.size()) + " bytes: " +
                         first.trim().take_front(60) + (rest.trim().empty() ? "" : " …"));
  }

  // ---- Parameters
  void params(List<Param> nodes, llvm::StringRef what) {
    for (const Param &node : nodes)
      line(node.range, what + (node.isConst ? " const" : "") + (node.isUniform ? " uniform" : "") +
                           " " + node.name.text + withType(node.type));
  }
  void compileTimeParams(List<CompileTimeParam> nodes) {
    for (const CompileTimeParam &node : nodes)
      line(node.range, "compile-time-param " + node.name.text + withType(node.type) +
                           optional("=", node.defaultValue));
  }
  void kernelParams(List<KernelParam> nodes) {
    static constexpr llvm::StringRef Directions[] = {"", " in", " out", " inout"};
    static constexpr llvm::StringRef Shapes[] = {"tensor of ", "pointer to ", "scalar "};
    for (const KernelParam &node : nodes) {
      std::string dims = node.dims.empty() ? "" : " [" + list(node.dims) + "]";
      std::string strides = node.strides.empty() ? "" : " strides [" + list(node.strides) + "]";
      line(node.range, "param" + Directions[static_cast<size_t>(node.direction)] + " " +
                           node.name.text + " : " + Shapes[static_cast<size_t>(node.shape)] +
                           toString(*node.type) + dims + strides +
                           (node.fromHost ? " from host" : ""));
    }
  }

  // ---- Declarations
  void decls(List<const Decl *> nodes) {
    for (const Decl *node : nodes)
      decl(*node);
  }
  void decl(const Decl &node);
  void coordination(const Decl &node);
  void resource(const ResourceDecl &node);
  void resourceType(const ResourceTypeDecl &node);
  void members(List<ResourceMember> nodes);
  void field(const Field &node);
  void pipeline(const Pipeline &node);
  void work(const Work &node);
  void queue(const QueueDecl &node);
  void task(const TaskDecl &node);
  void test(const TestDecl &node);

  // ---- Statements
  void block(const Block &node) {
    for (const Stmt *child : node.stmts)
      stmt(*child);
  }
  void stmt(const Stmt &node);
  template <typename Content, typename Print>
  void branches(llvm::StringRef word, List<Branch<Content>> list, Print print) {
    for (const Branch<Content> &branch : list) {
      const char *before = &branch == list.begin() ? "" : "else ";
      line(branch.range, before + word + " " + toString(*branch.condition));
      inside([&] { print(branch.content); });
    }
  }
  template <typename IfNode> void ifChain(llvm::StringRef word, const IfNode &node) {
    branches(word, node.branches, [&](const Block &content) { block(content); });
    if (node.elseBlock) {
      line(node.elseBlock->range, "else");
      inside([&] { block(*node.elseBlock); });
    }
  }

  const SourceManager &sources;
  llvm::raw_ostream &os;
  DumpOptions options;
  unsigned level = 0;
};

} // namespace tsk::ast
