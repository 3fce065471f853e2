// The reference library: plain loops in double, for results to be compared with.
#pragma once

#include <tsk/test/tensor.h>

#include <cmath>
#include <cstdint>
#include <cstring>

namespace tsk::test {

namespace detail {

// A factor as the tensor cores get it: TMA rounds tf32 to ten bits of the fraction, to the nearest,
// of two the even one.
template <typename T> double factor_of(T x) {
  if constexpr (std::is_same_v<T, tf32>) {
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    bits += (bits >> 23 & 0xff) != 0xff ? 0xfff + (bits >> 13 & 1) : 0;
    bits &= ~std::uint32_t{0x1fff};
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return static_cast<double>(value);
  } else {
    return to_double(x);
  }
}

template <typename T> tensor<double> widen(const tensor<T> &x) {
  tensor<double> wide(x.name().c_str(), x.dims());
  for (i64 i = 0; i < x.size(); ++i)
    wide[i] = factor_of(x[i]);
  return wide;
}

// `rows` × `cols` with their places exchanged.
template <typename T> tensor<double> widen_transposed(const tensor<T> &x) {
  tensor<double> wide(x.name().c_str(), {x.dim(1), x.dim(0)});
  for (i64 i = 0; i < x.dim(0); ++i)
    for (i64 j = 0; j < x.dim(1); ++j)
      wide[j * x.dim(0) + i] = factor_of(x[i * x.dim(1) + j]);
  return wide;
}

// a[M, K] b[K, N]
inline tensor<double> multiply(const char *name, const tensor<double> &a, const tensor<double> &b) {
  if (a.rank() != 2 || b.rank() != 2 || a.dim(1) != b.dim(0)) {
    fail({}, std::string(name) + ": the shapes of " + a.name() + " and " + b.name() +
                 " do not fit together");
    return tensor<double>(name, {0});
  }
  const i64 m = a.dim(0), n = b.dim(1), k = a.dim(1);
  tensor<double> c(name, {m, n});
  c.fill(0);
  for (i64 i = 0; i < m; ++i)
    for (i64 l = 0; l < k; ++l) {
      const double factor = a[i * k + l];
      double *row = c.data() + i * n;
      const double *other = b.data() + l * n;
      for (i64 j = 0; j < n; ++j)
        row[j] += factor * other[j];
    }
  return c;
}

} // namespace detail

// Products of matrices. n: as stored; t: transposed. matmul_nt(A[M, K], B[N, K]) = A B^T.
template <typename A, typename B> tensor<double> matmul_nn(const tensor<A> &a, const tensor<B> &b) {
  return detail::multiply("matmul_nn", detail::widen(a), detail::widen(b));
}
template <typename A, typename B> tensor<double> matmul_nt(const tensor<A> &a, const tensor<B> &b) {
  return detail::multiply("matmul_nt", detail::widen(a), detail::widen_transposed(b));
}
template <typename A, typename B> tensor<double> matmul_tn(const tensor<A> &a, const tensor<B> &b) {
  return detail::multiply("matmul_tn", detail::widen_transposed(a), detail::widen(b));
}
template <typename A, typename B> tensor<double> matmul_tt(const tensor<A> &a, const tensor<B> &b) {
  return detail::multiply("matmul_tt", detail::widen_transposed(a), detail::widen_transposed(b));
}

// Over the last dimension.
template <typename T> tensor<double> softmax(const tensor<T> &x) {
  tensor<double> y = detail::widen(x);
  const i64 cols = x.rank() == 0 ? 1 : x.dim(x.rank() - 1);
  for (i64 begin = 0; begin < x.size(); begin += cols) {
    double largest = -INFINITY, total = 0;
    for (i64 j = begin; j < begin + cols; ++j)
      largest = std::fmax(largest, y[j]);
    for (i64 j = begin; j < begin + cols; ++j)
      total += y[j] = std::exp(y[j] - largest);
    for (i64 j = begin; j < begin + cols; ++j)
      y[j] /= total;
  }
  return y;
}

// softmax(scale Q K^T) V for Q[M, D], K[N, D], V[N, E]; scale 0 stands for 1 / sqrt(D). Causal:
// row i sees the first N - M + i + 1 keys.
template <typename Q, typename K, typename V>
tensor<double> attention(const tensor<Q> &q, const tensor<K> &k, const tensor<V> &v,
                         bool causal = false, double scale = 0) {
  tensor<double> s = matmul_nt(q, k);
  if (s.size() == 0)
    return tensor<double>("attention", {0});
  const double factor = scale != 0 ? scale : 1 / std::sqrt(static_cast<double>(q.dim(1)));
  const i64 m = s.dim(0), n = s.dim(1);
  for (i64 i = 0; i < m; ++i)
    for (i64 j = 0; j < n; ++j)
      s[i * n + j] = causal && j > n - m + i ? -INFINITY : factor * s[i * n + j];
  return detail::multiply("attention", softmax(s), detail::widen(v));
}

// Of all elements: a tensor of one.
template <typename T> tensor<double> sum(const tensor<T> &x) {
  tensor<double> total("sum", {1});
  total.fill(0);
  for (i64 i = 0; i < x.size(); ++i)
    total[0] += to_double(x[i]);
  return total;
}
// Over the last dimension.
template <typename T> tensor<double> row_sums(const tensor<T> &x) {
  std::vector<i64> dims = x.dims();
  const i64 cols = dims.empty() ? 1 : dims.back();
  if (!dims.empty())
    dims.pop_back();
  tensor<double> totals("row_sums", dims);
  totals.fill(0);
  for (i64 i = 0; i < x.size(); ++i)
    totals[i / cols] += to_double(x[i]);
  return totals;
}

} // namespace tsk::test
