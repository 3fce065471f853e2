#include "compiler/syntax/Lexer.h"
#include "compiler/syntax/SyntaxDiagnostics.h"

#include "llvm/Support/ConvertUTF.h"

namespace tsk::syntax {

constexpr Diagnostic<unsigned> InvalidUtf8{
    kind::InvalidUtf8,
    "invalid UTF-8: byte 0x{:02x} begins no character; source files are UTF-8 text"};
constexpr Diagnostic<> NulByte{kind::NulByte, "NUL byte in the text; source files are UTF-8 text"};

// How many findings of one file are worth showing: a binary has thousands.
static constexpr unsigned EncodingLimit = 8;

// Length of the valid character at `at` (a byte above 0x7F), or 0.
static size_t characterLength(llvm::StringRef text, size_t at) {
  const auto *from = reinterpret_cast<const llvm::UTF8 *>(text.data()) + at;
  size_t length = llvm::getNumBytesForUTF8(*from);
  if (length > text.size() - at || !llvm::isLegalUTF8Sequence(from, from + length))
    return 0;
  return length;
}

void checkEncoding(const SourceManager &sources, SourceLoc buffer, SyntaxErrors &errors) {
  llvm::StringRef text = sources.bufferText(buffer);
  SourceLoc begin = sources.bufferBegin(buffer);
  unsigned found = 0;
  bool inRun = false; // neighbouring bad bytes are one finding
  for (size_t at = 0; at < text.size() && found < EncodingLimit;) {
    unsigned char c = static_cast<unsigned char>(text[at]);
    size_t length = c == 0 ? 0 : c < 0x80 ? 1 : characterLength(text, at);
    if (length) {
      at += length;
      inRun = false;
      continue;
    }
    if (!inRun) {
      SourceRange where = SourceRange::at(begin.advanced(static_cast<uint32_t>(at)));
      if (c == 0)
        errors.report(where, NulByte);
      else
        errors.report(where, InvalidUtf8, static_cast<unsigned>(c));
      ++found;
    }
    inRun = true;
    ++at;
  }
}

} // namespace tsk::syntax
