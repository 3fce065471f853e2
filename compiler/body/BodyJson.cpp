// Requests and replies as JSON, for both ends.
#include "compiler/body/JsonParts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"

namespace tsk::body {

// A negative number: not uniform.
static json::Value toJSON(const Role &role) {
  const int64_t kind = static_cast<int64_t>(role.kind) + 1;
  return json::Array{role.isUniform ? kind : -kind, role.bytes, role.low, role.high};
}
static bool fromJSON(const json::Value &value, Role &role, json::Path) {
  std::vector<int64_t> numbers;
  json::Path::Root root;
  if (!json::fromJSON(value, numbers, root) || numbers.size() != 4)
    return false;
  const int64_t number = numbers[0];
  role.isUniform = number > 0;
  role.bytes = numbers[1];
  role.low = numbers[2];
  role.high = numbers[3];
  return fromNumber(std::abs(number) - 1, role.kind, static_cast<int64_t>(Role::Kind::Param) + 1);
}

static json::Value toJSON(const Function &function) {
  json::Array roles;
  for (const Role &role : function.roles)
    roles.push_back(toJSON(role));
  return json::Object{{"threads", function.threads},
                      {"oneLane", function.isOneLane},
                      {"byWarp", function.isByWarp},
                      {"roles", std::move(roles)},
                      {"uniform", bits(function.uniformResults)},
                      {"firstLine", function.firstLine},
                      {"lastLine", function.lastLine}};
}
static bool fromJSON(const json::Value &value, Function &function, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && mapNumber(map, "threads", function.threads) &&
         map.map("oneLane", function.isOneLane) && map.map("byWarp", function.isByWarp) &&
         map.map("roles", function.roles) && mapBits(map, "uniform", function.uniformResults) &&
         mapNumber(map, "firstLine", function.firstLine) &&
         mapNumber(map, "lastLine", function.lastLine);
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
  return map && mapNumber(map, "about", message.about, CxxMessage::About::Builtin) &&
         map.map("error", message.isError) && map.map("place", message.place) &&
         map.map("text", message.text) && map.map("notes", message.notes);
}

static json::Value toJSON(const InputFile &file) {
  json::Object object{{"path", file.path}, {"hash", file.hash}};
  if (file.size)
    object["size"] = static_cast<int64_t>(*file.size);
  return object;
}
static bool fromJSON(const json::Value &value, InputFile &file, json::Path path) {
  json::ObjectMapper map(value, path);
  std::optional<int64_t> size;
  if (!map || !map.map("path", file.path) || !map.map("hash", file.hash) ||
      !map.mapOptional("size", size))
    return false;
  if (size)
    file.size = static_cast<uint64_t>(*size);
  return true;
}

static json::Value toJSON(const ArgumentFact &fact) {
  return json::Array{fact.argument, fact.given, fact.wanted};
}
static bool fromJSON(const json::Value &value, ArgumentFact &fact, json::Path) {
  const json::Array *parts = value.getAsArray();
  if (!parts || parts->size() != 3 || !(*parts)[1].getAsString() || !(*parts)[2].getAsString())
    return false;
  fact.given = (*parts)[1].getAsString()->str();
  fact.wanted = (*parts)[2].getAsString()->str();
  return fromNumber((*parts)[0], fact.argument, UINT32_MAX);
}

static json::Value toJSON(const HiddenNames &hidden) {
  return json::Object{{"function", hidden.function}, {"names", hidden.names}};
}
static bool fromJSON(const json::Value &value, HiddenNames &hidden, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && mapNumber(map, "function", hidden.function) && map.map("names", hidden.names);
}

static json::Value toJSON(const MacroFact &macro) {
  json::Object object{{"name", macro.name},
                      {"takesArguments", macro.takesArguments},
                      {"place", toJSON(macro.place)}};
  if (macro.function)
    object["function"] = *macro.function;
  return object;
}
static bool fromJSON(const json::Value &value, MacroFact &macro, json::Path path) {
  json::ObjectMapper map(value, path);
  if (!map || !map.map("name", macro.name) || !map.map("takesArguments", macro.takesArguments) ||
      !map.map("place", macro.place))
    return false;
  unsigned function = 0;
  if (!value.getAsObject()->get("function"))
    return true;
  macro.function = function;
  return mapNumber(map, "function", *macro.function);
}

// ---- The two messages ---------------------------------------------------------------------------

static std::string text(const json::Value &value) {
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
                           {"source", request.sourceFolder},
                           {"simulator", request.simulatorFolder},
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
      !map.map("source", request.sourceFolder) || !map.map("simulator", request.simulatorFolder) ||
      !map.map("include", request.includeFolders) || !map.map("target", request.target) ||
      !map.map("functions", request.functions))
    return std::nullopt;
  return request;
}

std::string toJson(const Reply &reply) {
  return text(json::Object{{"messages", reply.messages},
                           {"hidden", reply.hidden},
                           {"macros", reply.macros},
                           {"works", reply.works},
                           {"arguments", reply.arguments},
                           {"inputs", reply.inputs}});
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
  if (!map || !map.map("messages", reply.messages) || !map.map("hidden", reply.hidden) ||
      !map.map("macros", reply.macros) || !map.map("works", reply.works) ||
      !map.map("arguments", reply.arguments) || !map.map("inputs", reply.inputs))
    return std::nullopt;
  return reply;
}

bool isAnswer(const Reply &reply, const Request &request) {
  auto isRight = [&](const WorkFacts &facts) {
    if (facts.function >= request.functions.size())
      return false;
    const size_t roles = request.functions[facts.function].roles.size();
    auto areRoles = [&](const std::vector<unsigned> &numbers) {
      return llvm::all_of(numbers, [&](unsigned role) { return role < roles; });
    };
    return llvm::all_of(facts.accesses,
                        [&](const AccessFact &fact) { return fact.role < roles; }) &&
           llvm::all_of(facts.events,
                        [&](const EventFact &fact) {
                          return (!fact.role || *fact.role < roles) && areRoles(fact.roles);
                        }) &&
           llvm::all_of(facts.covers, [&](const CoverFact &fact) { return fact.role < roles; }) &&
           llvm::all_of(facts.claims, [&](const ClaimFact &fact) { return areRoles(fact.roles); });
  };
  const auto isFunction = [&](unsigned number) { return number < request.functions.size(); };
  return llvm::all_of(reply.works, isRight) &&
         llvm::all_of(reply.hidden,
                      [&](const HiddenNames &hidden) { return isFunction(hidden.function); }) &&
         llvm::all_of(reply.macros,
                      [&](const MacroFact &macro) {
                        return !macro.function || isFunction(*macro.function);
                      }) &&
         llvm::all_of(reply.arguments, [&](const ArgumentFact &fact) {
           return fact.argument < request.arguments.size();
         });
}

InputFile InputFile::holding(llvm::StringRef path, llvm::StringRef text) {
  return {path.str(), text.size(), llvm::utohexstr(llvm::xxh3_64bits(text))};
}

InputFile InputFile::now(llvm::StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> text = llvm::MemoryBuffer::getFile(path);
  return text ? holding(path, (*text)->getBuffer()) : InputFile{path.str(), std::nullopt, ""};
}

} // namespace tsk::body
