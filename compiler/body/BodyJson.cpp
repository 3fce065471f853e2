// Requests and replies as JSON, for both ends.
#include "compiler/body/BodyReply.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"

namespace tsk::ir {

namespace json = llvm::json;

static json::Value toJSON(const ElementForm &form) {
  json::Array dims;
  for (const ElementIndex &index : form.dims) {
    json::Array args;
    json::Object others;
    for (const auto &[role, weight] : index.args)
      args.push_back(std::vector<int64_t>{role, weight});
    for (const auto &[name, weight] : index.others)
      others[name] = weight;
    dims.push_back(json::Object{{"args", std::move(args)},
                                {"others", std::move(others)},
                                {"numbers", {index.constant, index.low, index.high}},
                                {"threads", index.threads},
                                {"own", index.isOwn}});
  }
  return json::Object{{"dims", std::move(dims)}, {"own", form.isOwn}};
}
static bool fromJSON(const json::Value &value, ElementIndex &index, json::Path path) {
  json::ObjectMapper map(value, path);
  std::vector<std::vector<int64_t>> args;
  std::vector<int64_t> numbers;
  if (!map || !map.map("args", args) || !map.map("others", index.others) ||
      !map.map("numbers", numbers) || !map.map("threads", index.threads) ||
      !map.map("own", index.isOwn) || numbers.size() != 3)
    return false;
  for (const std::vector<int64_t> &arg : args) {
    if (arg.size() != 2 || arg[0] < 0 || arg[0] > UINT32_MAX)
      return false;
    index.args[static_cast<unsigned>(arg[0])] = arg[1];
  }
  index.constant = numbers[0];
  index.low = numbers[1];
  index.high = numbers[2];
  return true;
}
static bool fromJSON(const json::Value &value, ElementForm &form, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && map.map("dims", form.dims) && map.map("own", form.isOwn);
}

} // namespace tsk::ir

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

template <typename T>
static bool mapNumber(json::ObjectMapper &map, llvm::StringLiteral key, T &out, T last) {
  int64_t number = 0;
  if (!map.map(key, number) || number < 0 || number > static_cast<int64_t>(last))
    return false;
  out = static_cast<T>(number);
  return true;
}
static bool mapNumber(json::ObjectMapper &map, llvm::StringLiteral key, unsigned &out) {
  return mapNumber(map, key, out, UINT32_MAX);
}

static std::string bits(const std::vector<bool> &values) {
  std::string text;
  for (bool value : values)
    text += value ? '1' : '0';
  return text;
}
static bool mapBits(json::ObjectMapper &map, llvm::StringLiteral key, std::vector<bool> &values) {
  std::string text;
  if (!map.map(key, text))
    return false;
  for (char c : text)
    values.push_back(c == '1');
  return true;
}

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

// ---- Facts --------------------------------------------------------------------------------------

static json::Value toJSON(const AccessFact &fact) {
  json::Object object{{"role", fact.role},
                      {"write", fact.isWrite},
                      {"mechanism", static_cast<int64_t>(fact.mechanism)},
                      {"store", fact.isStore},
                      {"flight", fact.isInFlight},
                      {"completes", static_cast<int64_t>(fact.completes)},
                      {"issuer", static_cast<int64_t>(fact.issuer)},
                      {"least", fact.least},
                      {"primitive", fact.primitive},
                      {"forms", fact.elements.forms},
                      {"atomic", fact.elements.isAtomic},
                      {"meet", fact.elements.mayMeet},
                      {"place", toJSON(fact.place)},
                      {"via", toJSON(fact.via)}};
  if (fact.bytes)
    object["bytes"] = *fact.bytes;
  if (fact.most)
    object["most"] = *fact.most;
  return object;
}
static bool fromJSON(const json::Value &value, AccessFact &fact, json::Path path) {
  json::ObjectMapper map(value, path);
  fact.most = std::nullopt;
  return map && mapNumber(map, "role", fact.role) && map.map("write", fact.isWrite) &&
         mapNumber(map, "mechanism", fact.mechanism, ast::Mechanism::Cta) &&
         map.map("store", fact.isStore) && map.map("flight", fact.isInFlight) &&
         mapNumber(map, "completes", fact.completes, AccessFact::Completes::Group) &&
         mapNumber(map, "issuer", fact.issuer, AccessFact::Issuer::Some) &&
         map.map("least", fact.least) && map.map("primitive", fact.primitive) &&
         map.map("forms", fact.elements.forms) && map.map("atomic", fact.elements.isAtomic) &&
         map.map("meet", fact.elements.mayMeet) && map.map("place", fact.place) &&
         map.map("via", fact.via) && map.mapOptional("bytes", fact.bytes) &&
         map.mapOptional("most", fact.most);
}

static json::Value toJSON(const EventFact &fact) {
  json::Object object{{"kind", static_cast<int64_t>(fact.kind)},
                      {"place", toJSON(fact.place)},
                      {"via", toJSON(fact.via)},
                      {"other", toJSON(fact.other)},
                      {"text", fact.text},
                      {"roles", std::vector<int64_t>(fact.roles.begin(), fact.roles.end())},
                      {"numbers", fact.numbers}};
  if (fact.role)
    object["role"] = *fact.role;
  return object;
}
static bool fromJSON(const json::Value &value, EventFact &fact, json::Path path) {
  json::ObjectMapper map(value, path);
  std::optional<int64_t> role;
  std::vector<int64_t> roles;
  if (!map || !mapNumber(map, "kind", fact.kind, EventFact::Kind::SharedVariable) ||
      !map.map("place", fact.place) || !map.map("via", fact.via) || !map.map("other", fact.other) ||
      !map.map("text", fact.text) || !map.map("roles", roles) ||
      !map.map("numbers", fact.numbers) || !map.mapOptional("role", role))
    return false;
  fact.roles.assign(roles.begin(), roles.end());
  if (role)
    fact.role = static_cast<unsigned>(*role);
  return true;
}

static json::Value toJSON(const ClaimFact &fact) {
  return json::Object{{"number", fact.number},
                      {"text", fact.text},
                      {"roles", std::vector<int64_t>(fact.roles.begin(), fact.roles.end())}};
}
static bool fromJSON(const json::Value &value, ClaimFact &fact, json::Path path) {
  json::ObjectMapper map(value, path);
  std::vector<int64_t> roles;
  if (!map || !map.map("number", fact.number) || !map.map("text", fact.text) ||
      !map.map("roles", roles))
    return false;
  fact.roles.assign(roles.begin(), roles.end());
  return true;
}

static json::Value toJSON(const CoverFact &fact) {
  std::vector<int64_t> ends;
  for (const auto &[first, end] : fact.ranges) {
    ends.push_back(first);
    ends.push_back(end);
  }
  return json::Object{{"role", fact.role}, {"write", fact.isWrite}, {"ends", ends}};
}
static bool fromJSON(const json::Value &value, CoverFact &fact, json::Path path) {
  json::ObjectMapper map(value, path);
  std::vector<int64_t> ends;
  if (!map || !mapNumber(map, "role", fact.role) || !map.map("write", fact.isWrite) ||
      !map.map("ends", ends) || ends.size() % 2 != 0)
    return false;
  for (size_t i = 0; i < ends.size(); i += 2)
    fact.ranges.push_back({ends[i], ends[i + 1]});
  return true;
}

static json::Value toJSON(const WorkFacts &facts) {
  return json::Object{{"function", facts.function},
                      {"named", bits(facts.named)},
                      {"notFollowed", facts.notFollowed},
                      {"notFollowedPlace", toJSON(facts.notFollowedPlace)},
                      {"isPure", facts.isPure},
                      {"accesses", facts.accesses},
                      {"events", facts.events},
                      {"claims", facts.claims},
                      {"covers", facts.covers}};
}
static bool fromJSON(const json::Value &value, WorkFacts &facts, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && mapNumber(map, "function", facts.function) && mapBits(map, "named", facts.named) &&
         map.map("notFollowed", facts.notFollowed) &&
         map.map("notFollowedPlace", facts.notFollowedPlace) && map.map("isPure", facts.isPure) &&
         map.map("accesses", facts.accesses) && map.map("events", facts.events) &&
         map.map("claims", facts.claims) && map.map("covers", facts.covers);
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
