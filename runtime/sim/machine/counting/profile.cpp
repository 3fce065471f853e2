// Writes what was counted, for tskc to read (compiler/profile/Profile.h).
#include "../machine.h"
#include "../text.h"
#include "counters.h"

#include <algorithm>
#include <cstdio>
#include <numeric>

namespace tsk::sim {

namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return out + '"';
}

void comma(std::string &out) {
  if (out.back() != '[')
    out += ',';
}

std::string extent(index3 e) { return cat("[", e.x, ",", e.y, ",", e.z, "]"); }

std::string totals_of(const access_totals &t) {
  return cat("\"instructions\":", t.instructions, ",\"accesses\":", t.accesses,
             ",\"lines\":", t.lines, ",\"sectors\":", t.sectors, ",\"wavefronts\":", t.wavefronts,
             ",\"withoutConflicts\":", t.without_conflicts);
}

std::string pattern_of(const conflict &c) {
  std::string lanes;
  for (unsigned lane = 0; lane < 32; ++lane)
    lanes += cat(lane == 0 ? "" : ",", ((c.mask >> lane) & 1) != 0 ? int64_t{c.offsets[lane]} : -1);
  return cat("{\"instructions\":", c.instructions, ",\"wavefronts\":", c.wavefronts,
             ",\"withoutConflicts\":", c.without_conflicts, ",\"offsets\":[", lanes, "]}");
}

} // namespace

std::string launch_counters::task_label(size_t number) const {
  return quoted(number < owner.names.task_count ? owner.names.tasks[number].name : "");
}

void launch_counters::write_accesses(std::string &out) const {
  std::vector<size_t> rows(global.size()); // by place, whatever the compiler made of it
  std::iota(rows.begin(), rows.end(), size_t{0});
  std::stable_sort(rows.begin(), rows.end(), [&](size_t a, size_t b) {
    const auto key = [&](size_t row) {
      const access_site &site = sites.accesses[row % sites.access_count];
      return std::tuple(std::string_view(sites.files[site.file]), site.line, site.column,
                        site.is_store, site.bytes, row);
    };
    return key(a) < key(b);
  });
  for (const size_t row : rows) {
    const access_site &site = sites.accesses[row % sites.access_count];
    const auto write = [&](const char *memory, const access_totals &totals) {
      if (totals.instructions == 0)
        return;
      comma(out);
      const place at = source_place(owner.names, {sites.files[site.file], site.line});
      out += cat("{\"file\":", quoted(at.file), ",\"line\":", at.line,
                 ",\"task\":", task_label(row / sites.access_count), ",\"memory\":\"", memory,
                 "\",\"isStore\":", site.is_store ? "true" : "false", ",\"bytes\":", site.bytes,
                 ",", totals_of(totals));
      if (const auto it = conflicts.find(row); it != conflicts.end() && &totals == &shared[row]) {
        out += ",\"patterns\":[";
        for (const conflict &c : it->second) {
          comma(out);
          out += pattern_of(c);
        }
        out += ']';
      }
      out += '}';
    };
    write("global", global[row]);
    write("shared", shared[row]);
  }
}

void launch_counters::write_arithmetic(std::string &out) const {
  constexpr const char *kinds[arithmetic_kinds] = {"fma", "add", "multiply", "other"};
  std::map<std::tuple<size_t, std::string_view, unsigned, unsigned>, uint64_t> totals;
  for (size_t number = 0; number < task_count; ++number)
    for (uint64_t i = 0; i < sites.arithmetic_count; ++i) {
      const arithmetic_site &site = sites.arithmetic[i];
      const uint64_t times = blocks[number * sites.block_count + site.block];
      if (times == 0)
        continue;
      const place at = source_place(owner.names, {sites.files[site.file], site.line});
      totals[{number, at.file, at.line, static_cast<unsigned>(site.kind)}] +=
          times * site.operations;
    }
  const auto write = [&](std::string_view file, unsigned line, size_t number, std::string_view kind,
                         uint64_t count) {
    comma(out);
    out += cat("{\"file\":", quoted(file), ",\"line\":", line, ",\"task\":", task_label(number),
               ",\"kind\":\"", kind, "\",\"operations\":", count, "}");
  };
  for (const auto &[where, count] : totals) {
    const auto &[number, file, line, kind] = where;
    write(file, line, number, kinds[kind], count);
  }
  for (const auto &[where, count] : operations) {
    const auto &[number, file, line, kind] = where;
    const place at = source_place(owner.names, {file, line});
    write(at.file, at.line, number, kind, count);
  }
}

void launch_counters::write_events(std::string &out) const {
  for (const auto &[key, totals] : events) {
    const place at = source_place(owner.names, {key.file, key.line});
    comma(out);
    out += cat("{\"file\":", quoted(at.file), ",\"line\":", at.line,
               ",\"task\":", task_label(key.task), ",\"what\":", quoted(key.what),
               ",\"instructions\":", totals.instructions, ",\"calls\":", totals.calls,
               ",\"waits\":", totals.waits, ",\"bytes\":", totals.bytes, "}");
  }
}

std::string launch_counters::json(bool has_ended_well) {
  for (size_t i = 0; i < patterns.size(); ++i)
    if (patterns[i] != nullptr)
      fold(*patterns[i], i / ways);
  const launch_shape &shape = owner.shape;
  const memory_rounds::totals waits = rounds.total();
  std::string out = cat(
      "{\"test\":", quoted(owner.order.profile_label), ",\"kernel\":", quoted(owner.names.kernel),
      ",\"ended\":", has_ended_well ? "true" : "false", ",\"grid\":", extent(shape.grid),
      ",\"block\":", extent(shape.block), ",\"sharedBytes\":", shape.shared_bytes,
      ",\"memoryRounds\":", std::to_string(waits.rounds),
      ",\"serialRounds\":", std::to_string(waits.serial), ",\"accesses\":[");
  write_accesses(out);
  out += "],\"arithmetic\":[";
  write_arithmetic(out);
  out += "],\"events\":[";
  write_events(out);
  return out + "]}\n";
}

void write_profile(launch_counters &counters, bool has_ended_well, const std::string &path) {
  const std::string text = counters.json(has_ended_well);
  if (std::FILE *file = std::fopen(path.c_str(), "a")) {
    std::fwrite(text.data(), 1, text.size(), file);
    std::fclose(file);
  }
}

} // namespace tsk::sim
