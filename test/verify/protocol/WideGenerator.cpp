// Random programs with everything that the text form has: clusters, tasks of several warps, groups,
// overlays, initialisation, allocation, launches, registers. Right ones first, then a few changes.
#include "Generator.h"
#include "Random.h"

#include <algorithm>

namespace tsk::protocol::oracle {

namespace {

using Lines = std::vector<std::string>;

struct Ring {
  std::string name, full, empty, cell;
  int producer = 0, consumer = 0, stages = 1;
  char from = 'A', to = 'A';
  bool isRemote = false; // producer and consumer on different ranks
  bool isMulticast = false;
  bool byLeader = false; // who releases
  bool bySync = false;   // given back at a named barrier of both tasks
};

struct TaskText {
  int warps = 1, rank = 0;
  bool onAll = false; // ranks
  Lines head, body, tail;
};

class WideWriter {
public:
  WideWriter(uint64_t seed, bool inSharedMemory) : random(seed), isShared(inSharedMemory) {}
  std::string write();

private:
  void chooseTasks();
  void chooseRings();
  void produce(const Ring &ring);
  void consume(const Ring &ring);
  void addExtras();
  void mutate();
  void change(Lines &lines, size_t at);
  std::string everywhere(const Ring &ring) const {
    return ring.isMulticast ? "@{0, 1}" : ring.isRemote ? "@peer" : "";
  }
  Lines syncTask(int task, int number) const {
    return {"sync " + std::to_string(number) + " " + std::to_string(32 * tasks[task].warps)};
  }

  void giveBack(const Ring &ring, Lines &body);
  void addScratch(const Ring &ring);
  // Where proxies count: the fence, now and then forgotten.
  Lines fence() { return isShared && random.chance(80) ? Lines{"pfence"} : Lines{}; }

  Random random;
  bool isShared; // the fields, so that proxies count
  int ranks = 1;
  std::vector<TaskText> tasks;
  std::vector<Ring> rings;
  Lines declarations;
};

} // namespace

static void append(Lines &to, const Lines &from) { to.insert(to.end(), from.begin(), from.end()); }

static Lines leader(const Lines &lines) {
  std::string text = "leader {";
  for (const std::string &line : lines)
    text += " " + line;
  return {text + " }"};
}

void WideWriter::chooseTasks() {
  ranks = random.chance(35) ? 2 : 1;
  int count = random.pick<int>({2, 2, 3});
  for (int i = 0; i < count; ++i) {
    TaskText task;
    task.warps = isShared ? random.pick<int>({1, 1, 1, 2}) : random.pick<int>({1, 1, 2, 3});
    task.onAll = ranks == 2 && random.chance(60);
    task.rank = ranks == 2 && !task.onAll ? random.below(2) : 0;
    tasks.push_back(task);
  }
}

void WideWriter::chooseRings() {
  int count = random.pick<int>({1, 1, 2});
  for (int i = 0; i < count; ++i) {
    Ring ring;
    ring.name = std::to_string(i);
    ring.producer = random.below(static_cast<int>(tasks.size()));
    ring.consumer = (ring.producer + 1 + random.below(static_cast<int>(tasks.size()) - 1)) %
                    static_cast<int>(tasks.size());
    if (ring.consumer < ring.producer)
      std::swap(ring.consumer, ring.producer);
    TaskText &producer = tasks[ring.producer], &consumer = tasks[ring.consumer];
    ring.stages = random.pick<int>({1, 2, 2});
    ring.from = random.pick<char>({'A', 'T', 'T', 'U', 'C'});
    ring.to = random.pick<char>({'A', 'A', 'S', 'U'});
    if (ranks == 2 && !producer.onAll && consumer.onAll) {
      ring.isMulticast = true; // fills both CTAs
      ring.from = 'T';
    } else if (ranks == 2 && producer.onAll != consumer.onAll) {
      consumer.onAll = producer.onAll;
      consumer.rank = producer.rank;
    } else if (ranks == 2 && !producer.onAll && consumer.rank != producer.rank) {
      ring.isRemote = true;
      if (ring.from == 'C' || ring.from == 'U')
        ring.from = 'T';
    }
    ring.byLeader = random.chance(30);
    int releases = ring.to == 'U' ? 1 : ring.byLeader ? 1 : consumer.warps;
    if (ring.isMulticast)
      releases *= 2;
    int commits = ring.from == 'A' ? producer.warps : 1;
    ring.full = "f" + ring.name;
    ring.empty = "e" + ring.name;
    ring.cell = "X" + ring.name;
    std::string stages = "[" + std::to_string(ring.stages) + "] ";
    declarations.push_back("bar " + ring.full + stages + std::to_string(commits));
    declarations.push_back("bar " + ring.empty + stages + std::to_string(releases));
    bool overlays = random.chance(12);
    declarations.push_back("cell " + ring.cell + stages + (isShared ? "" : "tensor") +
                           (overlays ? " at 0 size 64" : ""));
    ring.bySync = isShared && ranks == 1 && ring.to != 'U' && random.chance(25);
    rings.push_back(ring);
    produce(ring);
    consume(ring);
    if (isShared && ranks == 1 && random.chance(35))
      addScratch(ring);
  }
}

// Until all of both tasks are there.
void WideWriter::giveBack(const Ring &ring, Lines &body) {
  int warps = tasks[ring.producer].warps + tasks[ring.consumer].warps;
  body.push_back("sync 1" + ring.name + " " + std::to_string(32 * warps));
}

// Another field, written and read by threads: before what publishes the stage, or too late.
void WideWriter::addScratch(const Ring &ring) {
  std::string stages = "[" + std::to_string(ring.stages) + "]";
  declarations.push_back("cell Z" + ring.name + stages);
  Lines &from = tasks[ring.producer].body, &to = tasks[ring.consumer].body;
  auto insert = [&](Lines &lines, const std::string &before, const std::string &what, int wrong) {
    size_t at = 0;
    while (at < lines.size() && lines[at].find(before) == std::string::npos)
      ++at;
    at += at < lines.size() && random.chance(wrong) ? 1 : 0;
    lines.insert(lines.begin() + static_cast<long>(at), what);
  };
  bool copies = ring.from == 'C';
  insert(from, copies ? "cpasync" : ring.full,
         "leader { wr Z" + ring.name + "[p" + ring.name + "] }", 25);
  insert(to, ring.bySync ? "sync 1" + ring.name : ring.empty,
         "rd Z" + ring.name + "[c" + ring.name + "]", 10);
}

void WideWriter::produce(const Ring &ring) {
  Lines &body = tasks[ring.producer].body;
  std::string p = "[p" + ring.name + "]", where = everywhere(ring);
  if (!ring.bySync && random.chance(12))
    body.push_back("try " + ring.empty + p + "!");
  if (!ring.bySync)
    body.push_back("wait " + ring.empty + p + "!");
  switch (ring.from) {
  case 'A':
    body.push_back("put " + ring.cell + p + "#" + where);
    if (ring.to != 'A')
      append(body, fence());
    body.push_back("arrive " + ring.full + p + where);
    break;
  case 'T':
    append(body,
           leader({"aexpect " + ring.full + p + where + " 8",
                   "load " + ring.cell + p + "#" + where + " -> " + ring.full + p + where + " 8"}));
    break;
  case 'U':
    append(body, leader({"mma -> " + ring.cell + p + "#", "commit " + ring.full + p}));
    break;
  default:
    append(body, leader({"cpasync " + ring.cell + p + "#", "cparrive " + ring.full + p}));
  }
  if (ring.bySync)
    giveBack(ring, body);
  body.push_back("next p" + ring.name);
}

void WideWriter::consume(const Ring &ring) {
  TaskText &task = tasks[ring.consumer];
  std::string c = "[c" + ring.name + "]";
  std::string back = ring.isRemote      ? "@peer"
                     : ring.isMulticast ? "@" + std::to_string(tasks[ring.producer].rank)
                                        : "";
  Lines &body = task.body;
  body.push_back("wait " + ring.full + c);
  if (ring.from == 'C' && ring.to != 'A')
    append(body, fence());
  int number = 1 + ring.consumer;
  if (ring.to == 'U') {
    append(body, leader({"mma " + ring.cell + c + "#", "commit " + ring.empty + c + back}));
  } else if (ring.to == 'S') {
    // The leader copies out; all of them release, or it alone.
    append(body, leader({"store " + ring.cell + c + "# -> out" + ring.name, "scommit",
                         random.chance(50) ? "swaitread 0" : "swait 0"}));
    declarations.push_back("cell out" + ring.name + " global");
    if (!ring.byLeader)
      append(body, syncTask(ring.consumer, number));
    Lines release = {"arrive " + ring.empty + c + back};
    if (ring.bySync)
      giveBack(ring, body);
    else
      append(body, ring.byLeader ? leader(release) : release);
    task.tail.push_back("swait 0");
  } else {
    body.push_back("get " + ring.cell + c + "#");
    if (ring.byLeader)
      append(body, syncTask(ring.consumer, number));
    Lines release = {"arrive " + ring.empty + c + back};
    if (ring.bySync) {
      append(body, ring.from == 'T' || ring.from == 'U' ? fence() : Lines{});
      giveBack(ring, body);
    } else {
      append(body, ring.byLeader ? leader(release) : release);
    }
  }
  body.push_back("next c" + ring.name);
}

// What surrounds the loops: initialisation, allocation, the kernel before, registers, the end.
void WideWriter::addExtras() {
  int agents = 0;
  for (const TaskText &task : tasks)
    agents += task.warps * (task.onAll ? 2 : 1);
  auto all = [&](const Lines &lines, bool atEnd) {
    for (TaskText &task : tasks)
      append(atEnd ? task.tail : task.head, lines);
  };
  bool isInit = random.chance(15) && ranks == 1;
  if (isInit) {
    for (std::string &line : declarations)
      if (line.rfind("bar", 0) == 0)
        line += " init";
    Lines inits;
    for (const Ring &ring : rings)
      append(inits, {"init " + ring.full, "init " + ring.empty});
    inits.push_back("initfence");
    append(tasks[0].head, leader(inits));
  }
  if (random.chance(10) && ranks == 1) {
    declarations.push_back("cell tm tensor");
    append(tasks[0].head, leader({"alloc tm"}));
    append(tasks.back().body, leader({"mma -> tm"}));
    declarations.push_back("bar tmDone 1");
    append(tasks.back().tail, leader({"commit tmDone", "wait tmDone parity 0"}));
    isInit = true;
    tasks[0].tail.push_back("sync 12 " + std::to_string(32 * agents));
    for (size_t i = 1; i < tasks.size(); ++i)
      tasks[i].tail.push_back("sync 12 " + std::to_string(32 * agents));
    append(tasks[0].tail, leader({"dealloc tm"}));
  }
  if (isInit)
    all({"sync 13 " + std::to_string(32 * agents)}, false);
  if (random.chance(10)) {
    declarations.push_back("cell in global predecessor");
    int reader = random.below(static_cast<int>(tasks.size()));
    if (random.chance(70))
      tasks[reader].head.push_back("pdlwait");
    tasks[reader].body.push_back("rd in");
    if (random.chance(30))
      tasks[reader].tail.push_back("pdllaunch");
  }
  if (random.chance(10)) {
    declarations.push_back("registers " + std::to_string(8 * random.pick<int>({10, 12})));
    for (TaskText &task : tasks)
      task.head.push_back("setregs " + std::to_string(8 * random.pick<int>({6, 8, 10, 12, 14})));
  }
  for (const Ring &ring : rings)
    if (ring.from == 'U' || ring.to == 'U') {
      // What the tensor queue still does is over before the end.
      for (bool isProducer : {true, false}) {
        if ((isProducer ? ring.from : ring.to) != 'U')
          continue;
        TaskText &which = tasks[isProducer ? ring.producer : ring.consumer];
        std::string name = "d" + ring.name + (isProducer ? "p" : "c");
        declarations.push_back("bar " + name + " 1");
        append(which.tail, leader({"commit " + name, "wait " + name + " parity 0"}));
      }
    }
  if (ranks == 2 && random.chance(90))
    all({"csync"}, true);
}

void WideWriter::change(Lines &lines, size_t at) {
  std::string op = lines[at];
  auto places = [&] { return random.below(static_cast<int>(lines.size()) + 1); };
  switch (random.below(9)) {
  case 0:
    lines.erase(lines.begin() + static_cast<long>(at));
    break;
  case 1:
    lines.insert(lines.begin() + static_cast<long>(at), op);
    break;
  case 2:
    lines.erase(lines.begin() + static_cast<long>(at));
    lines.insert(lines.begin() + places(), op);
    break;
  case 3:
    if (at + 1 < lines.size())
      std::swap(lines[at], lines[at + 1]);
    break;
  case 4: { // to another task
    TaskText &other = tasks[random.below(static_cast<int>(tasks.size()))];
    other.body.insert(other.body.begin() + random.below(static_cast<int>(other.body.size()) + 1),
                      op);
    break;
  }
  case 5: { // all warps instead of the leader, or the reverse
    if (op.rfind("leader { ", 0) == 0)
      lines[at] = op.substr(9, op.size() - 11);
    else if (op.find("next") == std::string::npos)
      lines[at] = "leader { " + op + " }";
    break;
  }
  case 6: { // a count
    std::string &line = declarations[random.below(static_cast<int>(declarations.size()))];
    size_t digit = line.find("] ");
    if (line.rfind("bar", 0) == 0 && digit != std::string::npos)
      line[digit + 2] = static_cast<char>(
          std::clamp(line[digit + 2] + random.pick<int>({-1, 1}), int('1'), int('9')));
    break;
  }
  case 7: // a fence, or an access, out of turn
    if (isShared && random.chance(50)) {
      lines.insert(lines.begin() + places(), random.pick<std::string>({"pfence", "initfence"}));
      break;
    }
    lines.insert(lines.begin() + places(),
                 random.pick<std::string>({"rd ", "wr "}) + random.pick(rings).cell + "[0]");
    break;
  default:
    if (size_t parity = op.find("!"); parity != std::string::npos)
      lines[at].erase(parity, 1);
    else if (size_t rank = op.find("@peer"); rank != std::string::npos)
      lines[at].erase(rank, 5);
    else if (size_t wait = op.find("swait"); wait != std::string::npos)
      lines[at][op.find("0", wait)] = '1';
  }
}

void WideWriter::mutate() {
  int changes = random.pick<int>({0, 0, 1, 1, 1, 2});
  while (changes-- > 0) {
    TaskText &task = tasks[random.below(static_cast<int>(tasks.size()))];
    Lines *sections[] = {&task.body, &task.body, &task.body, &task.head, &task.tail};
    Lines &lines = *sections[random.below(5)];
    if (!lines.empty())
      change(lines, static_cast<size_t>(random.below(static_cast<int>(lines.size()))));
  }
}

std::string WideWriter::write() {
  chooseTasks();
  chooseRings();
  addExtras();
  mutate();
  std::string out = "symbol n\n";
  if (ranks == 2)
    out += "cluster 2\n";
  for (const std::string &line : declarations)
    out += line + "\n";
  auto block = [&](const Lines &lines) {
    for (const std::string &line : lines)
      out += line + "\n";
  };
  for (size_t i = 0; i < tasks.size(); ++i) {
    const TaskText &task = tasks[i];
    out += "warp T" + std::to_string(i) + "*" + std::to_string(task.warps);
    if (ranks == 2)
      out += task.onAll ? " @all" : " @" + std::to_string(task.rank);
    out += " {\n";
    block(task.head);
    out += "loop n {\n";
    block(task.body);
    out += "}\n";
    block(task.tail);
    out += "}\n";
  }
  return out;
}

std::string generateWide(uint64_t seed, bool inSharedMemory) {
  return WideWriter(seed, inSharedMemory).write();
}

} // namespace tsk::protocol::oracle
