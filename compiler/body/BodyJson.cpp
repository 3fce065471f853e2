// Requests and replies as JSON, for both ends.
#include "compiler/body/BodyReply.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"

namespace tsk::body {

namespace json = llvm::json;

// ---- Values of enums, lists, places -------------------------------------------------------------

template <typename T> static bool fromNumber(const json::Value &value, T &out, int64_t count) {
  std::optional<int64_t> number = value.getAsInteger();
  if (!number || *number < 0 || *number >= count)
    return false;
  out = static_cast<T>(*number);
  return true;
}

static json::Value toJSON(const Role &role) { return static_cast<int64_t>(role.kind); }
static bool fromJSON(const json::Value &value, Role &role, json::Path) {
  return fromNumber(value, role.kind, static_cast<int64_t>(Role::Kind::Param) + 1);
}

static json::Value toJSON(const Function &function) {
  json::Array roles;
  for (const Role &role : function.roles)
    roles.push_back(toJSON(role));
  return roles;
}
static bool fromJSON(const json::Value &value, Function &function, json::Path path) {
  const json::Array *roles = value.getAsArray();
  if (!roles)
    return false;
  for (const json::Value &role : *roles)
    if (!fromJSON(role, function.roles.emplace_back(), path))
      return false;
  return true;
}

static json::Value toJSON(const CxxPlace &place) {
  return json::Array{place.file, place.line, place.column, place.length};
}
static bool fromJSON(const json::Value &value, CxxPlace &place, json::Path) {
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

static json::Value toJSON(const CxxMessage::Note &note) {
  return json::Object{{"place", toJSON(note.place)}, {"text", note.text}};
}
static bool fromJSON(const json::Value &value, CxxMessage::Note &note, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("place", note.place) && map.map("text", note.text);
}

static json::Value toJSON(const CxxMessage &message) {
  return json::Object{{"about", static_cast<int64_t>(message.about)},
                      {"error", message.isError},
                      {"place", toJSON(message.place)},
                      {"text", message.text},
                      {"notes", message.notes}};
}
static bool fromJSON(const json::Value &value, CxxMessage &message, json::Path path) {
  json::ObjectMapper map(value, path);
  int64_t about = 0;
  return map && map.map("about", about) &&
         fromNumber(about, message.about, static_cast<int64_t>(CxxMessage::About::Builtin) + 1) &&
         map.map("error", message.isError) && map.map("place", message.place) &&
         map.map("text", message.text) && map.map("notes", message.notes);
}

static json::Value toJSON(const InputFile &file) {
  json::Object object{{"path", file.path}, {"time", file.time}};
  if (file.size)
    object["size"] = static_cast<int64_t>(*file.size);
  return object;
}
static bool fromJSON(const json::Value &value, InputFile &file, json::Path path) {
  json::ObjectMapper map(value, path);
  std::optional<int64_t> size;
  if (!map || !map.map("path", file.path) || !map.map("time", file.time) ||
      !map.mapOptional("size", size))
    return false;
  if (size)
    file.size = static_cast<uint64_t>(*size);
  return true;
}

// ---- The two messages ---------------------------------------------------------------------------

static std::string text(json::Value value) {
  std::string result;
  llvm::raw_string_ostream(result) << value;
  return result;
}

std::string toJson(const Request &request) {
  json::Array functions;
  for (const Function &function : request.functions)
    functions.push_back(toJSON(function));
  // Text of a .tsk file may hold any bytes in its strings and comments.
  return text(json::Object{{"text", json::fixUTF8(request.text)},
                           {"runtime", request.runtimeFolder},
                           {"include", request.includeFolders},
                           {"target", request.target},
                           {"functions", std::move(functions)}});
}

std::optional<Request> requestFromJson(llvm::StringRef text) {
  llvm::Expected<json::Value> value = json::parse(text);
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  Request request;
  json::Path::Root root;
  json::ObjectMapper map(*value, root);
  if (!map || !map.map("text", request.text) || !map.map("runtime", request.runtimeFolder) ||
      !map.map("include", request.includeFolders) || !map.map("target", request.target) ||
      !map.map("functions", request.functions))
    return std::nullopt;
  return request;
}

std::string toJson(const Reply &reply) {
  return text(json::Object{{"messages", reply.messages}, {"inputs", reply.inputs}});
}

std::optional<Reply> replyFromJson(llvm::StringRef text) {
  llvm::Expected<json::Value> value = json::parse(text);
  if (!value) {
    llvm::consumeError(value.takeError());
    return std::nullopt;
  }
  Reply reply;
  json::Path::Root root;
  json::ObjectMapper map(*value, root);
  if (!map || !map.map("messages", reply.messages) || !map.map("inputs", reply.inputs))
    return std::nullopt;
  return reply;
}

InputFile InputFile::now(llvm::StringRef path) {
  InputFile file;
  file.path = path.str();
  llvm::sys::fs::file_status status;
  if (!llvm::sys::fs::status(path, status)) {
    file.size = status.getSize();
    file.time = status.getLastModificationTime().time_since_epoch().count();
  }
  return file;
}

} // namespace tsk::body
