// What both halves of the conversation's JSON are made of: numbers of enums, bits, places.
#pragma once

#include "compiler/body/BodyReply.h"

#include "llvm/Support/JSON.h"

namespace tsk::body {

namespace json = llvm::json;

template <typename T> bool fromNumber(const json::Value &value, T &out, int64_t count) {
  std::optional<int64_t> number = value.getAsInteger();
  if (!number || *number < 0 || *number >= count)
    return false;
  out = static_cast<T>(*number);
  return true;
}

template <typename T>
bool mapNumber(json::ObjectMapper &map, llvm::StringLiteral key, T &out, T last) {
  int64_t number = 0;
  if (!map.map(key, number) || number < 0 || number > static_cast<int64_t>(last))
    return false;
  out = static_cast<T>(number);
  return true;
}
inline bool mapNumber(json::ObjectMapper &map, llvm::StringLiteral key, unsigned &out) {
  return mapNumber(map, key, out, UINT32_MAX);
}

inline std::string bits(const std::vector<bool> &values) {
  std::string text;
  for (bool value : values)
    text += value ? '1' : '0';
  return text;
}
inline bool mapBits(json::ObjectMapper &map, llvm::StringLiteral key, std::vector<bool> &values) {
  std::string text;
  if (!map.map(key, text))
    return false;
  for (char c : text)
    values.push_back(c == '1');
  return true;
}

inline json::Value toJSON(const CxxPlace &place) {
  return json::Array{place.file, place.line, place.column, place.length};
}
inline bool fromJSON(const json::Value &value, CxxPlace &place, json::Path) {
  const json::Array *parts = value.getAsArray();
  if (!parts || parts->size() != 4)
    return false;
  std::optional<llvm::StringRef> file = (*parts)[0].getAsString();
  if (!file)
    return false;
  place.file = file->str();
  constexpr int64_t Max = UINT32_MAX;
  return fromNumber((*parts)[1], place.line, Max) && fromNumber((*parts)[2], place.column, Max) &&
         fromNumber((*parts)[3], place.length, Max);
}

// What a body does (FactsJson.cpp).
json::Value toJSON(const WorkFacts &facts);
bool fromJSON(const json::Value &value, WorkFacts &facts, json::Path path);

} // namespace tsk::body
