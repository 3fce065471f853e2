#include "compiler/profile/Profile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

namespace tsk::profile {

namespace json = llvm::json;

namespace {

std::string text(const json::Object &object, llvm::StringRef name) {
  return object.getString(name).value_or("").str();
}
uint64_t number(const json::Object &object, llvm::StringRef name) {
  return static_cast<uint64_t>(object.getInteger(name).value_or(0));
}
bool flag(const json::Object &object, llvm::StringRef name) {
  return object.getBoolean(name).value_or(false);
}

Line lineOf(const json::Object &object) {
  return {text(object, "file"), static_cast<unsigned>(number(object, "line")),
          text(object, "task")};
}

template <typename Read> void forEach(const json::Object &object, llvm::StringRef name, Read read) {
  if (const json::Array *list = object.getArray(name))
    for (const json::Value &value : *list)
      if (const json::Object *item = value.getAsObject())
        read(*item);
}

Pattern readPattern(const json::Object &object) {
  Pattern pattern{number(object, "instructions"),
                  number(object, "wavefronts"),
                  number(object, "withoutConflicts"),
                  {}};
  pattern.offsets.fill(-1);
  if (const json::Array *list = object.getArray("offsets"))
    for (size_t i = 0; i < list->size() && i < pattern.offsets.size(); ++i)
      pattern.offsets[i] = (*list)[i].getAsInteger().value_or(-1);
  return pattern;
}

Accesses readAccesses(const json::Object &object) {
  Accesses row;
  row.at = lineOf(object);
  row.isShared = text(object, "memory") == "shared";
  row.isStore = flag(object, "isStore");
  row.bytes = static_cast<unsigned>(number(object, "bytes"));
  row.instructions = number(object, "instructions");
  row.accesses = number(object, "accesses");
  row.lines = number(object, "lines");
  row.sectors = number(object, "sectors");
  row.wavefronts = number(object, "wavefronts");
  row.withoutConflicts = number(object, "withoutConflicts");
  forEach(object, "patterns",
          [&](const json::Object &item) { row.patterns.push_back(readPattern(item)); });
  return row;
}

// Accesses of one line that differ only in where they stand in it.
void add(std::vector<Accesses> &rows, Accesses row) {
  auto same = llvm::find_if(rows, [&](const Accesses &other) {
    return other.at.file == row.at.file && other.at.line == row.at.line &&
           other.at.task == row.at.task && other.isShared == row.isShared &&
           other.isStore == row.isStore && other.bytes == row.bytes;
  });
  if (same == rows.end()) {
    rows.push_back(std::move(row));
    return;
  }
  same->instructions += row.instructions;
  same->accesses += row.accesses;
  same->lines += row.lines;
  same->sectors += row.sectors;
  same->wavefronts += row.wavefronts;
  same->withoutConflicts += row.withoutConflicts;
  llvm::append_range(same->patterns, row.patterns);
}

void readExtent(const json::Object &object, llvm::StringRef name, std::array<uint64_t, 3> &extent) {
  if (const json::Array *list = object.getArray(name))
    for (size_t i = 0; i < list->size() && i < 3; ++i)
      extent[i] = static_cast<uint64_t>((*list)[i].getAsInteger().value_or(0));
}

Launch readLaunch(const json::Object &object) {
  Launch launch;
  launch.test = text(object, "test");
  launch.kernel = text(object, "kernel");
  launch.hasEnded = flag(object, "ended");
  readExtent(object, "grid", launch.grid);
  readExtent(object, "block", launch.block);
  launch.sharedBytes = number(object, "sharedBytes");
  launch.memoryRounds = object.getNumber("memoryRounds").value_or(0);
  launch.serialRounds = object.getNumber("serialRounds").value_or(0);
  forEach(object, "accesses",
          [&](const json::Object &item) { add(launch.accesses, readAccesses(item)); });
  forEach(object, "arithmetic", [&](const json::Object &item) {
    launch.arithmetic.push_back({lineOf(item), text(item, "kind"), number(item, "operations")});
  });
  forEach(object, "events", [&](const json::Object &item) {
    launch.events.push_back({lineOf(item), text(item, "what"), number(item, "instructions"),
                             number(item, "calls"), number(item, "waits"), number(item, "bytes")});
  });
  return launch;
}

} // namespace

// One launch a line.
std::optional<std::vector<Launch>> readProfile(llvm::StringRef text) {
  std::vector<Launch> launches;
  llvm::SmallVector<llvm::StringRef, 0> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines) {
    llvm::Expected<json::Value> value = json::parse(line);
    if (!value) {
      llvm::consumeError(value.takeError());
      return std::nullopt;
    }
    const json::Object *object = value->getAsObject();
    if (object == nullptr)
      return std::nullopt;
    launches.push_back(readLaunch(*object));
  }
  return launches;
}

} // namespace tsk::profile
