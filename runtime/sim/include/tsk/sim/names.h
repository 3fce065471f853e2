// Names for reports: a test program describes its kernels here, so that a deadlock speaks of
// `box.full[1]` and task `Store` instead of an address and a warp.
#pragma once

#include <cstddef>

namespace tsk::sim {

struct task_name {
  const char *name;
  unsigned first_warp;
  unsigned warps;
};

struct barrier_name {
  const char *name;
  unsigned offset; // bytes in dynamic shared memory; the id of a named barrier
  unsigned stages;
  bool is_named;
};

struct memory_name { // an allocation in dynamic shared memory
  const char *name;
  unsigned offset;
  unsigned stage_bytes;
  unsigned stages;
};

struct line_name { // a line of the generated source and the statement that it comes from
  unsigned generated;
  const char *file;
  unsigned line;
};

struct kernel_names {
  const char *kernel = "";
  const task_name *tasks = nullptr;
  size_t task_count = 0;
  const barrier_name *barriers = nullptr;
  size_t barrier_count = 0;
  const memory_name *memory = nullptr;
  size_t memory_count = 0;
  const char *generated_file = "";  // "tma_copy.tsk.cu"
  const line_name *lines = nullptr; // by generated line
  size_t line_count = 0;
};

// `names` must live as long as the program.
void describe(const void *kernel, const kernel_names &names);
const kernel_names &names_of(const void *kernel);

} // namespace tsk::sim
