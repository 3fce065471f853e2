// `run` in a test: tensors go to the device, the kernel runs to its end, results come back.
#pragma once

#include <tsk/test/tensor.h>

namespace tsk::test {

// How a kernel may use a tensor: an `in` tensor must be as it was afterwards, the others come back.
template <typename T> struct in_tensor {
  tensor<T> &x;
  status before() const { return x.upload(); }
  status after(report &found, where at) const {
    bool same = false;
    status s = x.unchanged(same);
    if (s && !same)
      found.fail(at, "run: `" + x.name() + "` is an `in` tensor and was written");
    return s;
  }
};
template <typename T> struct out_tensor {
  tensor<T> &x;
  status before() const { return x.upload(); }
  status after(report &found, where at) const {
    i64 stray = -1;
    status s = x.download(stray);
    if (stray >= 0)
      found.fail(at, "run: `" + x.name() + "` was written between its rows, " +
                         std::to_string(stray) + " elements behind its first");
    return s;
  }
};
template <typename T> in_tensor<T> in(tensor<T> &x) { return {x}; }
template <typename T> out_tensor<T> out(tensor<T> &x) { return {x}; }

// False if the kernel could not be run, which is then noted.
template <typename Launch, typename... Tensors>
bool run_kernel(report &found, where at, Launch launch, Tensors... tensors) {
  status s;
  ((s = s ? tensors.before() : s), ...);
  if (s)
    s = launch();
  if (s)
    s = synchronize();
  ((s = s ? tensors.after(found, at) : s), ...);
  if (!s)
    found.fail(at, "run: " + s.message());
  return s.ok();
}

// `expect fault launch`: true if the launcher refused the arguments. That it did not, or that
// something else went wrong, is noted.
template <typename Launch, typename... Tensors>
bool is_refused(report &found, where at, Launch launch, Tensors... tensors) {
  status s;
  ((s = s ? tensors.before() : s), ...);
  if (s)
    s = launch();
  if (s)
    s = synchronize();
  if (s)
    found.fail(at, "run: the launch was accepted, but the test expects it to be refused");
  else if (s.code() != status_code::invalid_argument)
    found.fail(at, "run: " + s.message());
  return s.code() == status_code::invalid_argument;
}

} // namespace tsk::test
