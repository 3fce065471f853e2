// The list of candidates: generated kernels as `./dev bench --generate` listed them in kernels.inc,
// hand-written ones, and the driver's own copy.
#include "hand/hand.h"
#include "harness.h"

#include "kernels.h" // made by generate.py: includes the generated headers

namespace bench {

template <typename T, typename Args>
static candidate generated(std::string name, std::string group, int row_multiple, int col_multiple,
                           bool is_timed, tsk::status (*launch)(const Args &, tsk::stream)) {
  candidate c;
  c.name = std::move(name);
  c.group = std::move(group);
  c.is_generated = true;
  c.element_bytes = sizeof(T);
  c.row_multiple = row_multiple;
  c.col_multiple = col_multiple;
  c.is_timed = is_timed;
  c.run = [launch](const void *src, void *dst, int rows, int cols, cudaStream_t stream) {
    const Args args = {static_cast<const T *>(src), static_cast<T *>(dst), rows, cols};
    return launch(args, stream).message();
  };
  return c;
}

using hand_function = std::function<int(const void *, void *, int, int, cudaStream_t)>;

static candidate by_hand(std::string group, int element_bytes, int row_multiple, int col_multiple,
                         hand_function launch) {
  candidate c;
  c.name = "hand: " + group;
  c.group = std::move(group);
  c.element_bytes = element_bytes;
  c.row_multiple = row_multiple;
  c.col_multiple = col_multiple;
  c.is_timed = true;
  c.run = [launch = std::move(launch)](const void *src, void *dst, int rows, int cols,
                                       cudaStream_t stream) {
    const int error = launch(src, dst, rows, cols, stream);
    return error ? cudaGetErrorString(static_cast<cudaError_t>(error)) : "";
  };
  return c;
}

static candidate memcpy_candidate() {
  candidate c = by_hand("cudaMemcpyAsync", 2, 1, 1,
                        [](const void *src, void *dst, int rows, int cols, cudaStream_t stream) {
                          return static_cast<int>(cudaMemcpyAsync(
                              dst, src, size_t(rows) * cols * 2, cudaMemcpyDeviceToDevice, stream));
                        });
  c.name = "cudaMemcpyAsync";
  return c;
}

std::vector<candidate> all_candidates() {
  using namespace std::placeholders;
  std::vector<candidate> list = {memcpy_candidate()};
#define TSK_VARIANT(Namespace, Kernel, Type, Group, RowMultiple, ColMultiple, IsTimed)             \
  list.push_back(                                                                                  \
      generated<Type>(#Namespace, Group, RowMultiple, ColMultiple, IsTimed, &Namespace::Kernel));
#include "kernels.inc"
#undef TSK_VARIANT
  for (int stages : {1, 2, 4, 8}) {
    const std::string suffix = ", " + std::to_string(stages) + (stages > 1 ? " stages" : " stage");
    list.push_back(by_hand("copy_ws" + suffix, 2, 128, 64,
                           std::bind(hand::copy_ws, stages, _1, _2, _3, _4, _5)));
    list.push_back(by_hand("tma_copy" + suffix, 2, 64, 128,
                           std::bind(hand::tma_copy, stages, _1, _2, _3, _4, _5)));
  }
  list.push_back(by_hand("grid stride, elements", 4, 1, 1, hand::scalar_copy));
  list.push_back(by_hand("grid stride, vectors", 4, 1, 4, hand::vector_copy));
  list.push_back(by_hand("one pass, vectors", 4, 1, 4, hand::one_pass_copy));
  return list;
}

} // namespace bench
