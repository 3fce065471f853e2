#include "compiler/support/Timeline.h"

#include <fmt/format.h>

#include <map>

namespace tsk {

namespace {

class Renderer {
public:
  explicit Renderer(const Timeline &shown) : timeline(shown) {
    for (const Timeline::Entry &entry : timeline.entries) {
      std::string &cell = rows[entry.time][entry.column];
      cell += cell.empty() ? "" : "; ";
      cell += (entry.isMarked ? "> " : "") + entry.text + (entry.isBlocked ? " ..." : "");
    }
  }

  std::string run() {
    size_t skipped = rows.size() > timeline.maxRows ? rows.size() - timeline.maxRows : 0;
    bool dropsLast = timeline.keepsFirstRows;
    for (size_t i = 0; i < skipped; ++i)
      rows.erase(dropsLast ? std::prev(rows.end()) : rows.begin());
    std::string omission =
        fmt::format("   ...  ({} {} rows)\n", skipped, dropsLast ? "later" : "earlier");
    std::string result = header();
    if (skipped && !dropsLast)
      result += omission;
    for (const auto &[time, cells] : rows) {
      result += fmt::format("{:>6}", time);
      for (unsigned column = 0; column < timeline.columns.size(); ++column) {
        auto entry = cells.find(column);
        add(result, entry == cells.end() ? "" : entry->second, width(column));
      }
      endLine(result);
    }
    if (skipped && dropsLast)
      result += omission;
    result.pop_back();
    return result;
  }

private:
  std::string header() const {
    std::string line = "  time";
    for (unsigned column = 0; column < timeline.columns.size(); ++column)
      add(line, timeline.columns[column], width(column));
    endLine(line);
    return line;
  }

  size_t width(unsigned column) const {
    size_t result = timeline.columns[column].size();
    for (const auto &[time, cells] : rows)
      if (auto entry = cells.find(column); entry != cells.end())
        result = std::max(result, entry->second.size());
    return result;
  }

  static void add(std::string &line, const std::string &text, size_t width) {
    line += fmt::format("  {:<{}}", text, width);
  }

  static void endLine(std::string &text) {
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }

  const Timeline &timeline;
  std::map<unsigned, std::map<unsigned, std::string>> rows;
};

} // namespace

std::string render(const Timeline &timeline) { return Renderer(timeline).run(); }

} // namespace tsk
