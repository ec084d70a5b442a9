#include "core/kernels/attention_backward.h"

#include <algorithm>
#include <cassert>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/attention_backward.cc"
#include "core/kernels/targets.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target:
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace qkv::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Queries whose gradients of keys and values are added together.
constexpr size_t kQueriesAtOnce = 4;

// Keys that query t sees.
HWY_INLINE size_t Seen(const ScaledDotAttention& a, size_t t) {
  return a.causal ? HWY_MIN(a.first_query + t + 1, a.keys) : a.keys;
}

// Columns [c, c + kVectors vectors) of O.
template <size_t kVectors, class D>
HWY_INLINE void MultiplyColumns(D d, const ScaledDotAttention& a, size_t head, size_t t, size_t c, const float* row) {
  const size_t lanes = hn::Lanes(d), at = head * a.head_dim + c;
  hn::Vec<D> sum[kVectors];
  for (size_t v = 0; v < kVectors; ++v) sum[v] = hn::Zero(d);
  for (size_t s = 0, end = Seen(a, t); s < end; ++s) {
    const auto w = hn::Set(d, row[s]);
    const float* value = a.value + s * a.key_stride + at;
    for (size_t v = 0; v < kVectors; ++v) sum[v] = hn::MulAdd(w, hn::LoadU(d, value + v * lanes), sum[v]);
  }
  float* output = a.output + t * a.output_stride + at;
  for (size_t v = 0; v < kVectors; ++v) hn::StoreU(sum[v], d, output + v * lanes);
}

// d_Q gains scale d_S K, d_K scale d_S' Q, d_V D' d_O, in columns [c, c + kVectors vectors).
struct Gradients {
  const float* d_output;
  float *d_query, *d_key, *d_value;
};

// For queries [t, t + kQueries) and keys [begin, end). `score` holds scale d_S, `dropped` D: rows of a.keys floats.
// Gradients of a key are read and written once for all of these queries. Their sums are in the order of the queries.
template <size_t kQueries, size_t kVectors, class D>
HWY_INLINE void ScoreColumns(D d, const ScaledDotAttention& a, const Gradients& g, size_t head, size_t t, size_t c,
                             size_t begin, size_t end, const float* score, const float* dropped) {
  const size_t lanes = hn::Lanes(d), at = head * a.head_dim + c;
  hn::Vec<D> query[kQueries][kVectors], d_output[kQueries][kVectors], d_query[kQueries][kVectors];
  for (size_t q = 0; q < kQueries; ++q) {
    for (size_t v = 0; v < kVectors; ++v) {
      query[q][v] = hn::LoadU(d, a.query + (t + q) * a.query_stride + at + v * lanes);
      d_output[q][v] = hn::LoadU(d, g.d_output + (t + q) * a.output_stride + at + v * lanes);
      d_query[q][v] = hn::LoadU(d, g.d_query + (t + q) * a.query_stride + at + v * lanes);
    }
  }
  for (size_t s = begin; s < end; ++s) {
    for (size_t v = 0; v < kVectors; ++v) {
      const size_t i = s * a.key_stride + at + v * lanes;
      const auto key = hn::LoadU(d, a.key + i);
      auto d_key = hn::LoadU(d, g.d_key + i), d_value = hn::LoadU(d, g.d_value + i);
      for (size_t q = 0; q < kQueries; ++q) {
        const auto of_score = hn::Set(d, score[q * a.keys + s]), weight = hn::Set(d, dropped[q * a.keys + s]);
        d_query[q][v] = hn::MulAdd(of_score, key, d_query[q][v]);
        d_key = hn::MulAdd(of_score, query[q][v], d_key);
        d_value = hn::MulAdd(weight, d_output[q][v], d_value);
      }
      hn::StoreU(d_key, d, g.d_key + i);
      hn::StoreU(d_value, d, g.d_value + i);
    }
  }
  for (size_t q = 0; q < kQueries; ++q) {
    for (size_t v = 0; v < kVectors; ++v) {
      hn::StoreU(d_query[q][v], d, g.d_query + (t + q) * a.query_stride + at + v * lanes);
    }
  }
}

// Calls function(tag, number of vectors, first column) over a head's columns: for pairs of vectors, then vectors, then
// single floats.
template <class Function>
HWY_INLINE void ForColumns(size_t columns, const Function& function) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  const size_t lanes = hn::Lanes(d);
  size_t c = 0;
  for (; c + 2 * lanes <= columns; c += 2 * lanes) function(d, std::integral_constant<size_t, 2>(), c);
  for (; c + lanes <= columns; c += lanes) function(d, std::integral_constant<size_t, 1>(), c);
  for (; c < columns; ++c) function(one, std::integral_constant<size_t, 1>(), c);
}

void MultiplyWeightsOf(const ScaledDotAttention& a, const float* dropped) {
  for (size_t h = 0; h < a.heads; ++h) {
    for (size_t t = 0; t < a.queries; ++t, dropped += a.keys) {
      ForColumns(a.head_dim, [&](auto d, auto vectors, size_t c)
                                 HWY_ATTR { MultiplyColumns<decltype(vectors)::value>(d, a, h, t, c, dropped); });
    }
  }
}

void WeightsBackwardOf(const ScaledDotAttention& a, const float* d_output, float* d_weights) {
  const hn::ScalableTag<float> d;
  const size_t lanes = hn::Lanes(d), whole = a.head_dim / lanes * lanes;
  for (size_t h = 0; h < a.heads; ++h) {
    for (size_t t = 0; t < a.queries; ++t, d_weights += a.keys) {
      const float* g = d_output + t * a.output_stride + h * a.head_dim;
      const size_t end = Seen(a, t);
      for (size_t s = 0; s < end; ++s) {
        const float* value = a.value + s * a.key_stride + h * a.head_dim;
        auto sum = hn::Zero(d);
        for (size_t c = 0; c < whole; c += lanes) sum = hn::MulAdd(hn::LoadU(d, g + c), hn::LoadU(d, value + c), sum);
        float rest = 0;
        for (size_t c = whole; c < a.head_dim; ++c) rest += g[c] * value[c];
        d_weights[s] = hn::ReduceSum(d, sum) + rest;
      }
      std::fill(d_weights + end, d_weights + a.keys, 0.0f);
    }
  }
}

// d_weights becomes scale d_S of one query: d_S = W (d_W - the sum of W d_W).
HWY_INLINE void SoftmaxBackward(size_t count, float scale, const float* weights, float* d_weights) {
  float sum = 0;
  for (size_t s = 0; s < count; ++s) sum += weights[s] * d_weights[s];
  for (size_t s = 0; s < count; ++s) d_weights[s] = scale * weights[s] * (d_weights[s] - sum);
}

void ScoresBackwardOf(const ScaledDotAttention& a, const float* dropped, const float* d_output, float* d_weights,
                      float* d_query, float* d_key, float* d_value) {
  const Gradients g = {d_output, d_query, d_key, d_value};
  const float* weights = a.weights;
  for (size_t h = 0; h < a.heads; ++h) {
    for (size_t t = 0; t < a.queries;) {
      const size_t count = HWY_MIN(kQueriesAtOnce, a.queries - t);
      for (size_t q = 0; q < count; ++q) {
        SoftmaxBackward(Seen(a, t + q), a.scale, weights + q * a.keys, d_weights + q * a.keys);
      }
      // First the keys that all of these queries see. Then, for each query alone, the other keys that it sees.
      const size_t together = count == kQueriesAtOnce ? Seen(a, t) : 0;
      ForColumns(a.head_dim, [&](auto d, auto vectors, size_t c) HWY_ATTR {
        constexpr size_t kVectors = decltype(vectors)::value;
        if (together > 0) ScoreColumns<kQueriesAtOnce, kVectors>(d, a, g, h, t, c, 0, together, d_weights, dropped);
        for (size_t q = 0; q < count; ++q) {
          const size_t end = Seen(a, t + q), row = q * a.keys;
          if (end > together) {
            ScoreColumns<1, kVectors>(d, a, g, h, t + q, c, together, end, d_weights + row, dropped + row);
          }
        }
      });
      t += count;
      weights += count * a.keys;
      dropped += count * a.keys;
      d_weights += count * a.keys;
    }
  }
}

}  // namespace qkv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qkv {

HWY_EXPORT(MultiplyWeightsOf);
HWY_EXPORT(WeightsBackwardOf);
HWY_EXPORT(ScoresBackwardOf);

void MultiplyWeights(const ScaledDotAttention& a, const float* dropped) {
  assert(a.key_rows == nullptr);
  HWY_DYNAMIC_DISPATCH(MultiplyWeightsOf)(a, dropped);
}

void WeightsBackward(const ScaledDotAttention& a, const float* d_output, float* d_weights) {
  assert(a.key_rows == nullptr);
  HWY_DYNAMIC_DISPATCH(WeightsBackwardOf)(a, d_output, d_weights);
}

void ScoresBackward(const ScaledDotAttention& a, const float* dropped, const float* d_output, float* d_weights,
                    float* d_query, float* d_key, float* d_value) {
  assert(a.key_rows == nullptr);
  HWY_DYNAMIC_DISPATCH(ScoresBackwardOf)(a, dropped, d_output, d_weights, d_query, d_key, d_value);
}

}  // namespace qkv
#endif  // HWY_ONCE
