#include <type_traits> // would not compile inside of a namespace
__device__ inline int half_of(int x) { return x / HALVES; }
