#include "compiler/syntax/Literal.h"
#include "compiler/syntax/SyntaxDiagnostics.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ConvertUTF.h"

#include <cmath>
#include <cstdlib>

namespace tsk::syntax {

constexpr Diagnostic<llvm::StringRef> IntegerOverflow{
    kind::IntegerOverflow,
    "integer `{}` is too large; the largest is 18446744073709551615 (64 bits)"};
constexpr Diagnostic<llvm::StringRef> DecimalOverflow{
    kind::IntegerOverflow,
    "integer `{}` is too large to be signed; the suffix `u` makes it unsigned"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef> FloatOutOfRange{
    kind::FloatOutOfRange, "number `{}` is out of the range of {}"};
constexpr Diagnostic<llvm::StringRef, llvm::StringRef> MalformedNumber{kind::MalformedNumber,
                                                                       "malformed number `{}`: {}"};
constexpr Diagnostic<llvm::StringRef> UnknownEscape{kind::UnknownEscape,
                                                    "unknown escape `{}` in a string"};

namespace {

// A number may be megabytes long.
std::string shown(const Token &token) {
  return token.text.size() <= 40 ? token.text.str() : token.text.take_front(40).str() + "…";
}

void reportMalformed(const Token &token, SyntaxErrors &errors, llvm::StringRef why) {
  errors.report(token.range, MalformedNumber, shown(token), why);
}

// Removes the digit separators; false when one does not stand between two digits.
bool removeSeparators(llvm::StringRef text, std::string &plain) {
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\'')
      plain.push_back(text[i]);
    else if (i == 0 || i + 1 == text.size() || !llvm::isHexDigit(text[i - 1]) ||
             !llvm::isHexDigit(text[i + 1]))
      return false;
  }
  return true;
}

bool isIntegerSuffix(llvm::StringRef suffix) {
  static constexpr llvm::StringLiteral Suffixes[] = {"",    "u",   "l", "ul", "lu", "ll",
                                                     "ull", "llu", "z", "uz", "zu"};
  if (suffix.contains("lL") || suffix.contains("Ll"))
    return false;
  return llvm::is_contained(Suffixes, suffix.lower());
}

// Whether the number is not 0, whatever became of it.
bool hasDigitBut0(llvm::StringRef plain, bool isHex) {
  llvm::StringRef mantissa = isHex ? plain.drop_front(2) : plain;
  mantissa = mantissa.take_front(mantissa.find_first_of(isHex ? "pP" : "eEfF"));
  return mantissa.find_first_not_of("0.") != llvm::StringRef::npos;
}

} // namespace

uint64_t decodeInteger(const Token &token, SyntaxErrors &errors) {
  std::string plain;
  if (!removeSeparators(token.text, plain)) {
    reportMalformed(token, errors, "a `'` separates two digits");
    return 0;
  }
  llvm::StringRef rest = plain;
  unsigned radix = 10;
  if (rest.consume_front_insensitive("0x"))
    radix = 16;
  else if (rest.consume_front_insensitive("0b"))
    radix = 2;
  else if (rest.size() > 1 && rest[0] == '0' && llvm::isDigit(rest[1]))
    radix = 8;

  size_t length = 0;
  while (length < rest.size() &&
         (radix == 16 ? llvm::isHexDigit(rest[length]) : llvm::isDigit(rest[length])))
    ++length;
  llvm::StringRef digits = rest.take_front(length);
  llvm::StringRef suffix = rest.drop_front(length);
  if (digits.empty()) {
    reportMalformed(token, errors, "its digits are missing");
    return 0;
  }
  if (!isIntegerSuffix(suffix)) {
    reportMalformed(token, errors,
                    suffix == "B" ? "a swizzle span is 32B, 64B or 128B"
                                  : fmt::format("no suffix is spelled `{}`", suffix));
    return 0;
  }
  uint64_t value = 0;
  for (char c : digits) {
    unsigned digit = llvm::hexDigitValue(c);
    if (digit >= radix) {
      reportMalformed(token, errors,
                      radix == 8 ? "a leading 0 makes it octal, whose digits are 0 to 7"
                                 : "a binary digit is 0 or 1");
      return 0;
    }
    if (value > (UINT64_MAX - digit) / radix) {
      errors.report(token.range, IntegerOverflow, shown(token));
      return 0;
    }
    value = value * radix + digit;
  }
  if (radix == 10 && value > INT64_MAX && !suffix.contains_insensitive("u"))
    errors.report(token.range, DecimalOverflow, shown(token));
  return value;
}

double decodeFloat(const Token &token, SyntaxErrors &errors) {
  std::string plain;
  if (!removeSeparators(token.text, plain)) {
    reportMalformed(token, errors, "a `'` separates two digits");
    return 0;
  }
  bool isHex = llvm::StringRef(plain).starts_with_insensitive("0x");
  if (isHex && !llvm::StringRef(plain).contains_insensitive("p")) {
    reportMalformed(token, errors, "a hexadecimal fraction needs an exponent, `p0`");
    return 0;
  }
  char *end = nullptr;
  double value = std::strtod(plain.c_str(), &end);
  llvm::StringRef suffix = end;
  bool isSingle = suffix.equals_insensitive("f");
  if (!suffix.empty() && !isSingle) {
    reportMalformed(token, errors,
                    suffix.equals_insensitive("l")
                        ? "there is no `long double`; without a suffix it is an `f64`"
                        : fmt::format("no suffix is spelled `{}`", suffix));
    return 0;
  }
  if (isSingle)
    value = std::strtof(plain.c_str(), &end);
  if (std::isinf(value) || (value == 0 && hasDigitBut0(plain, isHex))) {
    errors.report(token.range, FloatOutOfRange, shown(token), isSingle ? "a float" : "a double");
    return 0;
  }
  return value;
}

NumberForm numberForm(llvm::StringRef spelled) {
  NumberForm form;
  bool isHex = spelled.starts_with_insensitive("0x");
  form.isDecimal = spelled == "0" || !spelled.starts_with("0");
  bool isReal = spelled.contains('.') ||
                (isHex ? spelled.contains_insensitive("p") : spelled.contains_insensitive("e"));
  if (isReal) {
    form.isSingle = spelled.ends_with_insensitive("f");
    return form;
  }
  llvm::StringRef suffix = spelled.substr(spelled.find_last_not_of("uUlLzZ") + 1);
  form.isUnsigned = suffix.contains_insensitive("u");
  form.isLong = suffix.contains_insensitive("l") || suffix.contains_insensitive("z");
  return form;
}

namespace {

// Reads the escape that begins at text[at] == '\\'; returns its length, or 0 for an unknown one.
size_t decodeEscape(llvm::StringRef text, size_t at, std::string &value) {
  char kind = at + 1 < text.size() ? text[at + 1] : '\0';
  static constexpr llvm::StringLiteral Letters = "nrtabfv\\\"'?";
  static constexpr llvm::StringLiteral Values = "\n\r\t\a\b\f\v\\\"'?";
  if (size_t index = Letters.find(kind); kind && index != llvm::StringRef::npos) {
    value.push_back(Values[index]);
    return 2;
  }
  auto digitsFrom = [&](size_t from, unsigned radix, size_t most) {
    return text.substr(from, most).take_while([=](char c) {
      return llvm::hexDigitValue(c) < radix;
    });
  };
  if (kind >= '0' && kind <= '7') {
    llvm::StringRef digits = digitsFrom(at + 1, 8, 3);
    unsigned code = 0;
    digits.getAsInteger(8, code);
    value.push_back(static_cast<char>(code));
    return code > 255 ? 0 : 1 + digits.size();
  }
  if (kind == 'x') {
    llvm::StringRef digits = digitsFrom(at + 2, 16, text.size());
    unsigned code = 0;
    if (digits.empty() || digits.getAsInteger(16, code) || code > 255)
      return 0;
    value.push_back(static_cast<char>(code));
    return 2 + digits.size();
  }
  size_t length = kind == 'u' ? 4 : kind == 'U' ? 8 : 0;
  llvm::StringRef digits = digitsFrom(at + 2, 16, length);
  unsigned code = 0;
  if (length == 0 || digits.size() != length || digits.getAsInteger(16, code))
    return 0;
  char encoded[UNI_MAX_UTF8_BYTES_PER_CODE_POINT];
  char *end = encoded;
  if (!llvm::ConvertCodePointToUTF8(code, end))
    return 0;
  value.append(encoded, end);
  return 2 + length;
}

} // namespace

std::string decodeString(const Token &token, SyntaxErrors &errors) {
  llvm::StringRef text = token.text.drop_front();
  text.consume_back("\""); // missing where the string is unterminated: already reported
  std::string value;
  for (size_t at = 0; at < text.size();) {
    if (text[at] != '\\') {
      value.push_back(text[at++]);
      continue;
    }
    size_t length = decodeEscape(text, at, value);
    if (length == 0) {
      uint32_t offset = static_cast<uint32_t>(at) + 1;
      llvm::StringRef shown = text.substr(at, 2);
      SourceLoc where = token.range.begin.advanced(offset);
      errors.report({where, where.advanced(static_cast<uint32_t>(shown.size()))}, UnknownEscape,
                    shown);
      length = shown.size();
    }
    at += length;
  }
  return value;
}

} // namespace tsk::syntax
