// The smallest scenario that shows a fault, by trying all that are smaller.
#include "compiler/verify/protocol/Prove.h"
#include "compiler/verify/protocol/Run.h"

#include <algorithm>

namespace tsk::protocol {

namespace {

class Shrinker {
public:
  Shrinker(const Model &judged, const Scenario &from)
      : model(judged), machine(judged), best(from) {}
  Scenario run();

private:
  static constexpr int MaxRuns = 3000;
  static constexpr int MaxChoices = 100000; // of how many tiles there are
  struct Place {                            // one number of a scenario
    int symbol = -1;
    int loop = -1;
    int tile = -1;
  };
  bool isSpent() const { return runs > MaxRuns || choices > MaxChoices || steps > MaxSearchSteps; }
  void choosePlaces();
  bool tryTotal(int total);
  bool tryTiles(size_t loop, int left);
  bool distribute(size_t place, int left);

  const Model &model;
  Machine machine;
  Scenario best;
  Scenario trial;
  std::vector<Place> places;
  std::vector<int64_t> room; // by place: how much it and those behind it can take
  std::vector<int> loops;    // symbols of tile loops
  int runs = 0;
  int choices = 0;
  uint64_t steps = 0;
};

} // namespace

static int totalOf(const Program &program, const Scenario &scenario) {
  int total = 0;
  for (size_t i = 0; i < program.symbols.size(); ++i)
    if (!program.symbols[i].isPerTile && !program.symbols[i].isDerived)
      total += scenario.values[i] - program.symbols[i].min;
  for (auto &[loop, tiles] : scenario.tiles)
    for (int tile = 0; tile < scenario.values[loop]; ++tile)
      for (size_t i = 0; i < program.symbols.size(); ++i)
        if (program.symbols[i].isPerTile && !program.symbols[i].isDerived)
          total += scenario.valueIn(loop, tile, static_cast<int>(i)) - program.symbols[i].min;
  return total;
}

bool Shrinker::distribute(size_t place, int left) {
  if (left > room[place])
    return false;
  if (place == places.size()) {
    ++runs;
    if (isSpent())
      return true;
    for (auto &[loop, tiles] : trial.tiles)
      for (std::vector<int> &values : tiles)
        for (size_t i = 0; i < values.size(); ++i)
          if (!model.program->symbols[i].isPerTile)
            values[i] = trial.values[i];
    if (!isAllowed(*model.program, trial))
      return false;
    const bool isFault = runScenario(machine, trial).has_value();
    steps += machine.steps;
    if (isFault)
      best = trial;
    return isFault;
  }
  const Place &at = places[place];
  const Symbol &symbol = model.program->symbols[at.symbol];
  int &value = at.tile < 0 ? trial.values[at.symbol] : trial.tiles[at.loop][at.tile][at.symbol];
  for (int more = 0; more <= left && symbol.min <= symbol.max - more; ++more) {
    value = symbol.min + more;
    if (distribute(place + 1, left - more))
      return true;
  }
  value = symbol.min;
  return false;
}

// All numbers but those of tiles.
void Shrinker::choosePlaces() {
  const std::vector<Symbol> &symbols = model.program->symbols;
  places.clear();
  for (size_t i = 0; i < symbols.size(); ++i)
    if (!symbols[i].isPerTile && !symbols[i].isDerived &&
        std::find(loops.begin(), loops.end(), int(i)) == loops.end())
      places.push_back({static_cast<int>(i), -1, -1});
  for (int which : loops)
    for (int tile = 0; tile < trial.values[which]; ++tile)
      for (size_t i = 0; i < symbols.size(); ++i)
        if (symbols[i].isPerTile && !symbols[i].isDerived)
          places.push_back({static_cast<int>(i), which, tile});
  room.assign(places.size() + 1, 0);
  for (size_t i = places.size(); i-- > 0;) {
    const Symbol &symbol = symbols[places[i].symbol];
    room[i] = room[i + 1] + (int64_t(symbol.max) - symbol.min);
  }
}

// Chooses how many tiles each tile loop has, then all the other numbers.
bool Shrinker::tryTiles(size_t loop, int left) {
  const std::vector<Symbol> &symbols = model.program->symbols;
  if (loop == loops.size()) {
    ++choices;
    if (isSpent())
      return true;
    choosePlaces();
    return distribute(0, left);
  }
  int symbol = loops[loop];
  for (int more = 0; more <= left && symbols[symbol].min <= symbols[symbol].max - more; ++more) {
    int tiles = symbols[symbol].min + more;
    trial.values[symbol] = tiles;
    std::vector<int> plain;
    for (const Symbol &one : symbols)
      plain.push_back(one.min);
    trial.tiles[symbol].assign(tiles, plain);
    if (tryTiles(loop + 1, left - more))
      return true;
  }
  return false;
}

bool Shrinker::tryTotal(int total) {
  trial = {};
  for (const Symbol &symbol : model.program->symbols)
    trial.values.push_back(symbol.min);
  return tryTiles(0, total);
}

Scenario Shrinker::run() {
  for (const Part &part : model.parts)
    if (part.tiles >= 0 && std::find(loops.begin(), loops.end(), part.tiles) == loops.end())
      loops.push_back(part.tiles);
  int limit = totalOf(*model.program, best);
  for (int total = 0; total < limit; ++total)
    if (tryTotal(total) || isSpent())
      break;
  return best;
}

Scenario smallestFault(const Model &model, const Scenario &from) {
  return Shrinker(model, from).run();
}

} // namespace tsk::protocol
