// Reports as a person reads them on a terminal:
//
//   copy.tsk:21:9: error: unknown name `colum` [TSK1201]
//      21 |   let v = box.colum();
//         |               ^~~~~
//   copy.tsk:12:13: note: `column` is declared here
//      …
//   copy.tsk:21:9: fix: write `column`
//      21 |   let v = box.column();
#pragma once

#include "compiler/support/Diagnostics.h"

namespace llvm {
class raw_ostream;
}

namespace tsk {

class TextRenderer : public DiagnosticConsumer {
public:
  TextRenderer(const SourceManager &sourceManager, llvm::raw_ostream &stream, bool useColor)
      : sources(sourceManager), os(stream), hasColor(useColor) {}

  void handle(const Report &report) override;

private:
  enum class Style : uint8_t { Error, Warning, Remark, Note, Fix, Bold, Mark };
  static Style styleOf(Severity severity);

  void heading(SourceRange range, Style style, llvm::StringRef label, llvm::StringRef message,
               llvm::StringRef suffix = "");
  void excerpt(SourceRange range);
  void fixit(const FixIt &fix);
  void gutter(unsigned line);
  void styled(Style style, llvm::StringRef text);

  const SourceManager &sources;
  llvm::raw_ostream &os;
  bool hasColor;
};

llvm::StringRef spelling(Severity severity); // "error"
std::string codeName(unsigned code);         // "TSK0042"

} // namespace tsk
