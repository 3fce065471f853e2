// What is known of a body, as JSON.
#include "compiler/body/JsonParts.h"

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

static json::Value toJSON(const ComparisonFact &when) {
  json::Array args;
  for (const auto &[role, weight] : when.args)
    args.push_back(std::vector<int64_t>{role, weight});
  return json::Object{{"op", static_cast<int64_t>(when.op)},
                      {"args", std::move(args)},
                      {"constant", when.constant}};
}
static bool fromJSON(const json::Value &value, ComparisonFact &when, json::Path path) {
  json::ObjectMapper map(value, path);
  std::vector<std::vector<int64_t>> args;
  if (!map || !mapNumber(map, "op", when.op, ir::ExprOp::Ge) || !map.map("args", args) ||
      !map.map("constant", when.constant))
    return false;
  for (const std::vector<int64_t> &arg : args) {
    if (arg.size() != 2 || arg[0] < 0 || arg[0] > UINT32_MAX)
      return false;
    when.args[static_cast<unsigned>(arg[0])] = arg[1];
  }
  return true;
}

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
                      {"certain", fact.elements.isCertain},
                      {"meet", fact.elements.mayMeet},
                      {"place", toJSON(fact.place)},
                      {"via", toJSON(fact.via)}};
  if (fact.bytes)
    object["bytes"] = *fact.bytes;
  if (fact.most)
    object["most"] = *fact.most;
  if (fact.when) {
    object["when"] = fact.when->ways;
    object["exact"] = fact.when->isExact;
  }
  return object;
}
static bool fromJSON(const json::Value &value, AccessFact &fact, json::Path path) {
  json::ObjectMapper map(value, path);
  fact.most = std::nullopt;
  if (value.getAsObject() && value.getAsObject()->get("when"))
    fact.when.emplace();
  ConditionFact none;
  ConditionFact &when = fact.when ? *fact.when : none;
  return map && mapNumber(map, "role", fact.role) && map.map("write", fact.isWrite) &&
         mapNumber(map, "mechanism", fact.mechanism, ast::Mechanism::Cta) &&
         map.map("store", fact.isStore) && map.map("flight", fact.isInFlight) &&
         mapNumber(map, "completes", fact.completes, AccessFact::Completes::Group) &&
         mapNumber(map, "issuer", fact.issuer, AccessFact::Issuer::Some) &&
         map.map("least", fact.least) && map.map("primitive", fact.primitive) &&
         map.map("forms", fact.elements.forms) && map.map("atomic", fact.elements.isAtomic) &&
         map.map("certain", fact.elements.isCertain) && map.map("meet", fact.elements.mayMeet) &&
         map.map("place", fact.place) && map.map("via", fact.via) &&
         map.mapOptional("bytes", fact.bytes) && map.mapOptional("most", fact.most) &&
         map.mapOptional("when", when.ways) && map.mapOptional("exact", when.isExact);
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
  if (!map || !mapNumber(map, "kind", fact.kind, EventFact::Kind::Last) ||
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

json::Value toJSON(const WorkFacts &facts) {
  return json::Object{{"function", facts.function},
                      {"named", bits(facts.named)},
                      {"notFollowed", facts.notFollowed},
                      {"notFollowedPlace", toJSON(facts.notFollowedPlace)},
                      {"isPure", facts.isPure},
                      {"isClosed", facts.isClosed},
                      {"spins", facts.spins},
                      {"accesses", facts.accesses},
                      {"events", facts.events},
                      {"claims", facts.claims},
                      {"covers", facts.covers}};
}
bool fromJSON(const json::Value &value, WorkFacts &facts, json::Path path) {
  json::ObjectMapper map(value, path);
  return map && mapNumber(map, "function", facts.function) && mapBits(map, "named", facts.named) &&
         map.map("notFollowed", facts.notFollowed) &&
         map.map("notFollowedPlace", facts.notFollowedPlace) && map.map("isPure", facts.isPure) &&
         map.map("isClosed", facts.isClosed) && map.map("spins", facts.spins) &&
         map.map("accesses", facts.accesses) && map.map("events", facts.events) &&
         map.map("claims", facts.claims) && map.map("covers", facts.covers);
}

} // namespace tsk::body
