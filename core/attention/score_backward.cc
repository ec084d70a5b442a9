#include "core/attention/score_backward.h"

#include <bit>
#include <cmath>
#include <cstdint>

namespace qkv {
namespace {

float At(Factor f, size_t i, size_t j) { return f.transposed ? f.data[j * f.stride + i] : f.data[i * f.stride + j]; }

}  // namespace

// The gradient of a parameter of this head; without data if nobody wants it.
Rows ScoreBackward::operator[](std::string_view name) const {
  for (const ParameterGradient& parameter : to_parameters) {
    if (parameter.name == name) return parameter.gradient.Head(parameter.gradient.heads == 1 ? 0 : in.head);
  }
  return {};
}

void Add(ConstRows x, Rows to, float factor) {
  if (to.data == nullptr) return;
  for (size_t r = 0; r < x.rows; ++r) {
    const float* from = x.Row(r);
    float* row = to.Row(r);
    for (size_t c = 0; c < x.dim; ++c) row[c] += factor * from[c];
  }
}

bool IsFinite(ConstRows x) {
  constexpr uint32_t kExponent = 0x7f800000;  // all ones in NaN and in infinities
  uint32_t not_finite = 0;
  for (size_t r = 0; r < x.rows; ++r) {
    const float* row = x.Row(r);
    for (size_t c = 0; c < x.dim; ++c) {
      not_finite |= (std::bit_cast<uint32_t>(row[c]) & kExponent) == kExponent ? 1u : 0u;
    }
  }
  return not_finite == 0;
}

void AddProduct(size_t m, size_t n, size_t k, Factor a, Factor b, bool finite, Rows y, Arena& arena, ThreadPool& pool) {
  if (y.data == nullptr) return;
  if (finite) return Gemm(m, n, k, a, b, {.data = y.data, .stride = y.stride, .add = true}, arena, pool);
  // 0 times infinity is NaN. A key that no query sees has weight 0 and must not change the sum, so factors of 0 are
  // left out.
  for (size_t i = 0; i < m; ++i) {
    for (size_t l = 0; l < k; ++l) {
      const float x = At(a, i, l);
      for (size_t j = 0; j < n && x != 0; ++j) {
        if (const float w = At(b, l, j); w != 0) y.Row(i)[j] += x * w;
      }
    }
  }
}

// y = x W': dx += dy W, dW += dy' x.
void MapRowsBackward(const ScoreBackward& b, ConstRows dy, ConstRows x, ConstRows weight, Rows to_x, Rows to_weight) {
  const Factor d = {dy.data, dy.stride};
  AddProduct(x.rows, x.dim, dy.dim, d, {weight.data, weight.stride}, IsFinite(weight), to_x, b.arena, b.pool);
  AddProduct(dy.dim, x.dim, x.rows, Transposed(d), {x.data, x.stride}, IsFinite(x), to_weight, b.arena, b.pool);
}

void DivideByLengthBackward(ConstRows x, ConstRows dy, Rows to, bool add) {
  if (to.data == nullptr) return;
  for (size_t r = 0; r < x.rows; ++r) {
    const float *row = x.Row(r), *d = dy.Row(r);
    float* y = to.Row(r);
    // y = x / |x|: dx = (dy - y (y'dy)) / |x|, and 0 for a zero row.
    double square = 0, product = 0;
    bool passes = false;
    for (size_t c = 0; c < x.dim; ++c) {
      square += static_cast<double>(row[c]) * row[c];
      product += static_cast<double>(row[c]) * d[c];
      passes |= d[c] != 0;
    }
    passes &= square != 0;
    const double length = passes ? std::sqrt(square) : 1;
    for (size_t c = 0; c < x.dim; ++c) {
      const double dx = passes ? (d[c] - row[c] * (product / square)) / length : 0;
      y[c] = static_cast<float>(add ? y[c] + dx : dx);
    }
  }
}

}  // namespace qkv
