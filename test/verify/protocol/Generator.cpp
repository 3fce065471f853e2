#include "Generator.h"
#include "Random.h"

#include <algorithm>
#include <vector>

namespace tsk::protocol::oracle {

namespace {

using Lines = std::vector<std::string>;

struct PipeShape {
  int number = 0, producer = 0, consumer = 0, stages = 1;
  char from = 'A', to = 'A';
  int style = 0; // releases: every warp, the leader, the leader behind a sync
  bool holds = false;
};

struct WarpText {
  std::string name;
  Lines head, before, body, after, tail; // before/after: around the loop
};

class Writer {
public:
  Writer(uint64_t seed, const Shape &wanted) : random(seed), shape(wanted) {}
  std::string write();

private:
  void choosePipes();
  void declare();
  void writeWarp(int task, int warp);
  void produce(const PipeShape &pipe, int task, int warp, Lines &acquire, Lines &put,
               Lines &commit);
  void consume(const PipeShape &pipe, int task, int warp, Lines &wait, Lines &get, Lines &release);
  void mutate();
  std::string relation();
  void change(Lines &lines, size_t at);
  std::string text();

  Random random;
  Shape shape;
  int tasks = 2;
  std::vector<int> warps;
  std::vector<std::string> symbolOf;
  std::vector<PipeShape> pipes;
  Lines declarations;
  std::vector<WarpText> all;
};

} // namespace

static std::string ref(const char *name, int number, const std::string &cursor) {
  return std::string(name) + std::to_string(number) + "[" + cursor + "]";
}

void Writer::choosePipes() {
  tasks = random.pick<int>({2, 2, 3, 3, 4});
  for (int task = 0; task < tasks; ++task) {
    warps.push_back(random.pick<int>({1, 1, 1, 2, 3}));
    symbolOf.push_back(shape.twoSymbols && random.chance(35) ? "m" : "n");
  }
  static const std::vector<std::string> kinds = {"AA", "TA", "TU", "UA", "AU", "TA", "UU", "CA"};
  int count = random.pick<int>({1, 1, 2, 2, 3});
  for (int i = 0; i < count; ++i) {
    PipeShape pipe;
    pipe.number = i;
    pipe.producer = random.below(tasks);
    if (i > 0 && random.chance(60))
      pipe.producer = pipes.back().consumer;
    pipe.consumer = (pipe.producer + 1 + random.below(tasks - 1)) % tasks;
    if (pipe.consumer < pipe.producer && random.chance(85))
      std::swap(pipe.consumer, pipe.producer);
    const std::string &kind = random.pick(kinds);
    pipe.from = kind[0];
    pipe.to = kind[1];
    pipe.stages = random.pick<int>({1, 1, 2, 2, 3});
    pipe.style = random.pick<int>({0, 0, 0, 1, 2, 2});
    pipe.holds = random.chance(12);
    pipes.push_back(pipe);
  }
}

void Writer::declare() {
  for (const PipeShape &pipe : pipes) {
    int full = pipe.from == 'A' ? warps[pipe.producer] : 1;
    int empty = pipe.to == 'A' && pipe.style == 0 ? warps[pipe.consumer] : 1;
    std::string i = std::to_string(pipe.number), stages = "[" + std::to_string(pipe.stages) + "]";
    declarations.push_back("bar f" + i + stages + " " + std::to_string(full));
    declarations.push_back("bar e" + i + stages + " " + std::to_string(empty));
    declarations.push_back("cell X" + i + stages + " tensor");
    if (pipe.from == 'T')
      declarations.push_back("cell Y" + i + stages + " tensor");
  }
}

void Writer::produce(const PipeShape &pipe, int task, int warp, Lines &acquire, Lines &put,
                     Lines &commit) {
  std::string cursor = "p" + std::to_string(pipe.number);
  std::string full = ref("f", pipe.number, cursor), cell = ref("X", pipe.number, cursor) + "#";
  if (pipe.from == 'A' || warp == 0 || random.chance(25))
    acquire = {"wait " + ref("e", pipe.number, cursor) + "!"};
  switch (pipe.from) {
  case 'A':
    if (warp == 0 || random.chance(2))
      put = {"wr " + cell};
    commit = {"arrive " + full};
    break;
  case 'T':
    if (warp != 0)
      break;
    put = {"aexpect " + full + " 8", "load " + cell + " -> " + full + " 8"};
    if (random.chance(12))
      std::swap(put[0], put[1]);
    else if (random.chance(8))
      put = {"expect " + full + " 8", put[1], "arrive " + full};
    else if (random.chance(10))
      put = {"aexpect " + full + " 4", "expect " + full + " 4", put[1]};
    else if (random.chance(5))
      put = {"aexpect " + full + " 4", "expect " + full + " 4",
             "load " + cell + " -> " + full + " 4",
             "load " + ref("Y", pipe.number, cursor) + " -> " + full + " 4"};
    break;
  case 'C': // cp.async, waited for by the thread, then an ordinary arrival
    if (warp != 0)
      break;
    put = {"cpasync " + cell, "cpcommit", "cpwait 0"};
    commit = {"arrive " + full};
    break;
  default: {
    std::string operands;
    for (const PipeShape &other : pipes)
      if (other.consumer == task && other.to == 'U')
        operands += (operands.empty() ? "" : ", ") +
                    ref("X", other.number, "c" + std::to_string(other.number)) + "#";
    if (warp == 0) {
      put = {"mma " + operands + " -> " + cell};
      commit = {"commit " + full};
    }
  }
  }
  commit.push_back("next " + cursor);
}

void Writer::consume(const PipeShape &pipe, int task, int warp, Lines &wait, Lines &get,
                     Lines &release) {
  std::string cursor = "c" + std::to_string(pipe.number);
  std::string empty = ref("e", pipe.number, cursor), cell = ref("X", pipe.number, cursor) + "#";
  if (pipe.to == 'A' || warp == 0 || random.chance(25))
    wait = {"wait " + ref("f", pipe.number, cursor)};
  if (pipe.to == 'A') {
    get = {"rd " + cell};
    if (pipe.style == 2 && warps[task] > 1)
      release.push_back("sync " + std::to_string(task + 1) + " " +
                        std::to_string(32 * warps[task]));
    if (pipe.style == 0 || warp == 0)
      release.push_back("arrive " + empty);
  } else if (warp == 0) {
    bool issues = std::any_of(pipes.begin(), pipes.end(), [&](const PipeShape &other) {
      return other.producer == task && other.from == 'U';
    });
    if (!issues)
      get = {"mma " + cell};
    release.push_back("commit " + empty);
  }
  release.push_back("next " + cursor);
}

static void append(Lines &to, const Lines &from) { to.insert(to.end(), from.begin(), from.end()); }

void Writer::writeWarp(int task, int warp) {
  WarpText text;
  text.name = "T" + std::to_string(task) + "w" + std::to_string(warp);
  bool consumersFirst = random.chance(85), late = random.chance(30);
  Lines releases;
  for (int round = 0; round < 2; ++round)
    for (const PipeShape &pipe : pipes) {
      bool consumes = (round == 0) == consumersFirst;
      if ((consumes ? pipe.consumer : pipe.producer) != task)
        continue;
      Lines open, work, close;
      if (consumes)
        consume(pipe, task, warp, open, work, close);
      else
        produce(pipe, task, warp, open, work, close);
      if (pipe.holds) {
        append(text.before, open);
        append(text.body, work);
        append(text.after, close);
      } else {
        append(text.body, open);
        append(text.body, work);
        append(consumes && (late || pipe.to == 'U') ? releases : text.body, close);
      }
    }
  append(text.body, releases);
  if (random.chance(4)) {
    const PipeShape &pipe = random.pick(pipes);
    append(text.body, {"gmma " + ref("X", pipe.number, "0"), "gcommit",
                       "gwait " + std::to_string(random.below(2))});
    append(text.after, {"gwait 0"});
  }
  // What its tensor queue still does is over before the end.
  bool issues = false;
  for (const Lines *lines : {&text.body, &text.before, &text.after})
    for (const std::string &line : *lines)
      issues |= line.rfind("mma", 0) == 0;
  if (issues && random.chance(95)) {
    declarations.push_back("bar d" + text.name + " 1");
    text.tail = {"commit d" + text.name, "wait d" + text.name + " parity 0"};
  }
  all.push_back(text);
}

void Writer::change(Lines &lines, size_t at) {
  std::string op = lines[at];
  switch (random.below(12)) {
  case 0:
    lines.erase(lines.begin() + at);
    break;
  case 1:
    lines.insert(lines.begin() + at, op);
    break;
  case 2:
    lines.erase(lines.begin() + at);
    lines.insert(lines.begin() + random.below(static_cast<int>(lines.size()) + 1), op);
    break;
  case 3:
    if (at + 1 < lines.size())
      std::swap(lines[at], lines[at + 1]);
    break;
  case 4:
    if (op.rfind("wait", 0) == 0 && op.find("parity") == std::string::npos)
      lines[at] = op.back() == '!' ? op.substr(0, op.size() - 1) : op + "!";
    break;
  case 5:
    if (op.rfind("wait", 0) == 0) {
      std::string plain = op.substr(0, op.find(']') + 1);
      lines[at] = plain + " parity " + std::to_string(random.below(2));
    }
    break;
  case 6:
    if (op.back() == '8')
      lines[at] = op.substr(0, op.size() - 1) + random.pick<std::string>({"4", "12", "8"});
    break;
  case 7: {
    std::string &line = declarations[random.below(static_cast<int>(declarations.size()))];
    if (line.rfind("bar", 0) == 0)
      line.back() = static_cast<char>(
          std::clamp(line.back() + random.pick<int>({-1, 1}), int('1'), int('9')));
    break;
  }
  case 8:
    lines[at] = random.pick<std::string>({"first", "last", "every 2 1"}) + " { " + op + " }";
    break;
  case 9: {
    Lines &other = all[random.below(static_cast<int>(all.size()))].body;
    other.insert(other.begin() + random.below(static_cast<int>(other.size()) + 1), op);
    break;
  }
  case 10: {
    int count = 32 * random.pick<int>({2, 2, 3});
    for (int i = 0; i < 2; ++i) {
      Lines &other = all[random.below(static_cast<int>(all.size()))].body;
      bool blocks = i == 0 || random.chance(50);
      other.insert(other.begin() + random.below(static_cast<int>(other.size()) + 1),
                   std::string(blocks ? "sync" : "narrive") + " 9 " + std::to_string(count));
    }
    break;
  }
  default: {
    const PipeShape &pipe = random.pick(pipes);
    lines.insert(lines.begin() + at,
                 random.pick<std::string>({"rd ", "wr "}) +
                     ref("X", pipe.number, std::to_string(random.below(pipe.stages))));
  }
  }
}

void Writer::mutate() {
  int changes = random.pick<int>({0, 0, 1, 1, 1, 2, 3});
  while (changes-- > 0) {
    WarpText &warp = all[random.below(static_cast<int>(all.size()))];
    Lines *sections[] = {&warp.body, &warp.body, &warp.body, &warp.before, &warp.after};
    Lines &lines = *sections[random.below(5)];
    if (!lines.empty())
      change(lines, random.below(static_cast<int>(lines.size())));
  }
}

std::string Writer::relation() {
  std::string symbols = "symbol n, m\n";
  if (!shape.related)
    return symbols;
  return symbols + random.pick<std::string>(
                       {"require n >= m\n", "require m >= n\n", "require n >= m + 1\n",
                        "require m >= n - 1\n", "require n >= m, m >= n\n",
                        "require n >= m + 1, m >= n - 1\n", "require n >= m, m >= n - 2\n"});
}

std::string Writer::text() {
  std::string out = shape.tiles        ? "symbol T\ntile symbol n\ntile choice s\n"
                    : shape.twoSymbols ? relation()
                                       : "symbol n\n";
  for (const std::string &line : declarations)
    out += line + "\n";
  bool skips = shape.tiles && random.chance(40);
  bool skipsBadly = random.chance(25);
  auto block = [&](const Lines &lines, bool inLoop) {
    for (const std::string &line : lines) {
      bool guarded =
          line.rfind("first", 0) == 0 || line.rfind("last", 0) == 0 || line.rfind("every", 0) == 0;
      // A guard that ended up outside a loop keeps what it holds.
      out += guarded && !inLoop
                 ? line.substr(line.find('{') + 1, line.rfind('}') - line.find('{') - 1)
                 : line;
      out += "\n";
    }
  };
  for (size_t i = 0; i < all.size(); ++i) {
    const WarpText &warp = all[i];
    out += "warp " + warp.name + " {\n";
    bool skip = skips && !(skipsBadly && random.chance(30));
    if (shape.tiles)
      out += std::string("tiles T {\n") + (skip ? "if s {\n" : "");
    block(warp.before, false);
    out += "loop " + std::string(shape.tiles ? "n" : symbolOf[warp.name[1] - '0']) + " {\n";
    block(warp.body, true);
    out += "}\n";
    block(warp.after, false);
    if (shape.tiles)
      out += skip ? "}\n}\n" : "}\n";
    block(warp.tail, false);
    out += "}\n";
  }
  return out;
}

std::string Writer::write() {
  choosePipes();
  declare();
  for (int task = 0; task < tasks; ++task)
    for (int warp = 0; warp < warps[task]; ++warp)
      writeWarp(task, warp);
  mutate();
  return text();
}

std::string generate(uint64_t seed, const Shape &shape) { return Writer(seed, shape).write(); }

} // namespace tsk::protocol::oracle
