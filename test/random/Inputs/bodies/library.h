// What random bodies call. The same text stands in the .tsk file and in the program that runs.
struct record {
  int x, y;
  int z[4];
  __device__ void grow(int by) { x += by; z[1] = y; }
};
struct outer {
  record in;
  int *p;
  int w;
};
struct view {
  int &r;
  int k;
};
union mixed {
  int i;
  unsigned u;
  short h[2];
};
struct adder {
  int &to;
  int by;
  __device__ ~adder() { to += by; }
};
__device__ inline int twice(int x) { return 2 * x; }
__device__ inline int least(int x, int y) { return x < y ? x : y; }
template <int N> __device__ inline int add(int x) { return x + N; }
__device__ inline int &choose(bool first, int &x, int &y) { return first ? x : y; }
template <typename T> __device__ inline T &itself(T &x) { return x; }
__device__ inline int *at(int *p, int k) { return p + k; }
template <typename T, typename U> __device__ inline void set(T &x, U y) { x = y; }
__device__ inline int bump(int &x) { return x++; }
__device__ inline void exchange(int &x, int &y) {
  int old = x;
  x = y;
  y = old;
}
__device__ inline void put(int *p, int x) { *p = x; }
template <int N, typename F> __device__ inline void every(F f) {
  for (int i = 0; i < N; ++i)
    f(i);
}
__device__ inline int sum_of(int count, int x, int y) {
  int sum = 0;
  while (count-- > 0)
    sum += count ? x : y;
  return sum;
}
__device__ inline int recurse(int x, int depth) { return depth > 0 ? recurse(x + 1, depth - 1) : x; }
__device__ inline void deep(int &x, int depth) {
  if (depth > 0)
    deep(x, depth - 1);
  x += 1;
}
