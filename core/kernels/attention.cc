#include "core/kernels/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "core/kernels/softmax.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/attention.cc"
#include "core/kernels/targets.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target:
#include "core/kernels/softmax-inl.h"

// The number of keys that query i sees, and the floats between two queries' scores in scratch, a multiple of four.
#ifndef QKV_KERNELS_ATTENTION_SHAPES_
#define QKV_KERNELS_ATTENTION_SHAPES_
namespace qkv {
inline constexpr size_t kKeysAtOnce = 4;
// Keys of a tile, which stays in the first-level cache while the queries of a block use it. The distance between rows
// is the model's width, often a power of two. Rows then use only few of the cache's sets, so a tile has few keys.
inline constexpr size_t kQueryBlock = 8, kKeyTile = 16;

inline size_t KeysSeen(const ScaledDotAttention& a, size_t query) {
  return a.causal ? std::min(a.keys, a.first_query + query + 1) : a.keys;
}
inline size_t ScratchStride(const ScaledDotAttention& a) { return (a.keys + 15) / 16 * 16; }
inline size_t KeyOffset(const ScaledDotAttention& a, size_t key) {
  return (a.key_rows != nullptr ? static_cast<size_t>(a.key_rows[key]) : key) * a.key_stride;
}
}  // namespace qkv
#endif

HWY_BEFORE_NAMESPACE();
namespace qkv::HWY_NAMESPACE {

using V = Steady::V;
using FourTag = hn::FixedTag<float, kKeysAtOnce>;
constexpr size_t kLanes = Steady::kLanes;
// The number of queries that share the loads of keys and values, and of the vectors of values beside them.
constexpr size_t kQueries = Steady::kVectors == 1 ? 2 : 1;
constexpr size_t kValueVectors = 4;

template <class Eight>
HWY_INLINE hn::Vec<FourTag> AddHalves(const Eight& v) {
  if constexpr (sizeof(v.part) == sizeof(v.part[0])) {
    return hn::Add(hn::LowerHalf(FourTag(), v.part[0]), hn::UpperHalf(FourTag(), v.part[0]));
  } else {
    return hn::Add(v.part[0], v.part[1]);
  }
}

// The sums of four vectors, in four lanes, each in the order of Steady::Sum.
HWY_INLINE hn::Vec<FourTag> SumFour(V a, V b, V c, V e) {
  const FourTag d;
  const hn::RepartitionToWide<FourTag> pair;
  const auto a4 = AddHalves(a), b4 = AddHalves(b), c4 = AddHalves(c), e4 = AddHalves(e);
  const auto ab = hn::BitCast(pair, hn::Add(hn::InterleaveLower(d, a4, b4), hn::InterleaveUpper(d, a4, b4)));
  const auto ce = hn::BitCast(pair, hn::Add(hn::InterleaveLower(d, c4, e4), hn::InterleaveUpper(d, c4, e4)));
  return hn::Add(hn::BitCast(d, hn::InterleaveLower(pair, ab, ce)), hn::BitCast(d, hn::InterleaveUpper(pair, ab, ce)));
}

// score[i * stride + j] = scale q_i k_j for begin <= j < end, of one head; begin is a multiple of four, and columns up
// to the next one after `end` are written too. The order of the sum over the head's dimensions does not depend on
// kCount.
template <size_t kCount>
HWY_NOINLINE void Scores(const ScaledDotAttention& a, const float* query, const float* key, size_t begin, size_t end,
                         float* score, size_t stride) {
  const FourTag four;
  const auto scale = hn::Set(four, a.scale);
  for (size_t j = begin; j < end; j += kKeysAtOnce) {
    const float* k[kKeysAtOnce];
    for (size_t c = 0; c < kKeysAtOnce; ++c) k[c] = key + KeyOffset(a, HWY_MIN(j + c, end - 1));
    V sum[kCount][kKeysAtOnce];
    for (size_t i = 0; i < kCount; ++i) {
      for (size_t c = 0; c < kKeysAtOnce; ++c) sum[i][c] = Steady::Set(0);
    }
    // Whole vectors of the head, then the rest of it.
    size_t at = 0;
    for (; at + kLanes <= a.head_dim; at += kLanes) {
      V q[kCount];
      for (size_t i = 0; i < kCount; ++i) q[i] = Steady::Load(query + i * a.query_stride + at);
      for (size_t c = 0; c < kKeysAtOnce; ++c) {
        const V kc = Steady::Load(k[c] + at);
        for (size_t i = 0; i < kCount; ++i) sum[i][c] = Steady::MulAdd(q[i], kc, sum[i][c]);
      }
    }
    if (at < a.head_dim) {
      const size_t rest = a.head_dim - at;
      for (size_t i = 0; i < kCount; ++i) {
        const V q = Steady::LoadN(query + i * a.query_stride + at, rest);
        for (size_t c = 0; c < kKeysAtOnce; ++c) {
          sum[i][c] = Steady::MulAdd(q, Steady::LoadN(k[c] + at, rest), sum[i][c]);
        }
      }
    }
    // The scores of four keys of a query are one vector.
    for (size_t i = 0; i < kCount; ++i) {
      const auto s = SumFour(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
      hn::StoreU(hn::Mul(s, scale), four, score + i * stride + j);
    }
  }
}

// A vector of kLanes columns, or of `width` columns if kNarrow. A template parameter, because with a run-time choice
// LLVM splits whole vectors into floats for WebAssembly.
template <bool kNarrow>
HWY_INLINE V LoadColumns(const float* from, size_t width) {
  if constexpr (kNarrow) return Steady::LoadN(from, width);
  return Steady::Load(from);
}
template <bool kNarrow>
HWY_INLINE void StoreColumns(const V& v, float* to, size_t width) {
  if constexpr (kNarrow) return Steady::StoreN(v, to, width);
  Steady::Store(v, to);
}

// sum[i] += weight[i * stride] value, for queries first <= i < kCount.
template <bool kNarrow, size_t kCount, size_t kVectors>
HWY_INLINE void AddValue(const float* weight, size_t stride, const float* value, size_t width, size_t first,
                         V (&sum)[kCount][kVectors]) {
  for (size_t v = 0; v < kVectors; ++v) {
    const V x = LoadColumns<kNarrow>(value + v * kLanes, width);
    for (size_t i = 0; i < kCount; ++i) {
      if (i >= first) sum[i][v] = Steady::MulAdd(Steady::Set(weight[i * stride]), x, sum[i][v]);
    }
  }
}

// output_i[c] = sum_j weight[i * stride + j] value_j[c], in order of j over the seen[i] first keys; seen ascends. Of
// these begin <= j < end are added to what is in output, from the first on. Columns c < kVectors kLanes, or c < width
// of a single vector where kNarrow.
template <size_t kCount, size_t kVectors, bool kNarrow = false>
HWY_NOINLINE void WeightedSum(const ScaledDotAttention& a, const float* weight, size_t stride, const size_t* seen,
                              size_t begin, size_t end, const float* value, float* output, size_t width = 0) {
  V sum[kCount][kVectors];
  for (size_t i = 0; i < kCount; ++i) {
    for (size_t v = 0; v < kVectors; ++v) {
      const float* y = output + i * a.output_stride + v * kLanes;
      sum[i][v] = begin == 0 ? Steady::Set(0) : LoadColumns<kNarrow>(y, width);
    }
  }
  // Later queries may see more keys.
  size_t j = begin;
  for (size_t first = 0; first < kCount; ++first) {
    for (; j < HWY_MIN(seen[first], end); ++j) {
      AddValue<kNarrow>(weight + j, stride, value + KeyOffset(a, j), width, first, sum);
    }
  }
  for (size_t i = 0; i < kCount; ++i) {
    for (size_t v = 0; v < kVectors; ++v) {
      StoreColumns<kNarrow>(sum[i][v], output + i * a.output_stride + v * kLanes, width);
    }
  }
}

// WeightedSum over all columns of a head.
template <size_t kCount>
void SumValues(const ScaledDotAttention& a, const float* weight, size_t stride, const size_t* seen, size_t begin,
               size_t end, const float* value, float* output) {
  size_t at = 0;
  for (; at + kValueVectors * kLanes <= a.head_dim; at += kValueVectors * kLanes) {
    WeightedSum<kCount, kValueVectors>(a, weight, stride, seen, begin, end, value + at, output + at);
  }
  for (; at + kLanes <= a.head_dim; at += kLanes) {
    WeightedSum<kCount, 1>(a, weight, stride, seen, begin, end, value + at, output + at);
  }
  if (at < a.head_dim) {
    WeightedSum<kCount, 1, true>(a, weight, stride, seen, begin, end, value + at, output + at, a.head_dim - at);
  }
}

// Copies the scores in scratch to [queries, keys] of one head, with `masked` where the query does not see the key.
HWY_INLINE void CopyRow(const ScaledDotAttention& a, const float* row, size_t seen, float masked, float* kept) {
  std::copy_n(row, seen, kept);
  std::fill_n(kept + seen, a.keys - seen, masked);
}

// Calls run(count, i) for the queries of a block, several at once that share loads.
template <class Run>
HWY_INLINE void ForQueries(size_t count, const Run& run) {
  size_t i = 0;
  for (; i + kQueries <= count; i += kQueries) run(std::integral_constant<size_t, kQueries>(), i);
  for (; i < count; ++i) run(std::integral_constant<size_t, 1>(), i);
}

void AttendBlock(const ScaledDotAttention& a, size_t head, size_t first, size_t count, float* scratch) {
  // Where the head's columns lie, and how many keys each query sees.
  const size_t stride = ScratchStride(a), column = head * a.head_dim;
  const float *query = a.query + first * a.query_stride + column, *key = a.key + column, *value = a.value + column;
  float* output = a.output + first * a.output_stride + column;
  size_t seen[kQueryBlock];
  for (size_t i = 0; i < count; ++i) seen[i] = KeysSeen(a, first + i);
  const size_t keys = seen[count - 1], tile = count > kQueries ? kKeyTile : HWY_MAX(keys, size_t{1});
  // Scores, a tile of keys at a time for all queries, so that the keys stay in the first-level cache.
  for (size_t j = 0; j < keys; j += tile) {
    ForQueries(count, [&](auto some, size_t i) HWY_ATTR {
      const size_t end = HWY_MIN(seen[i + some - 1], j + tile);
      Scores<some>(a, query + i * a.query_stride, key, j, end, scratch + i * stride, stride);
    });
  }
  // The softmax of each query, and copies of its row before and after.
  for (size_t i = 0; i < count; ++i) {
    float* row = scratch + i * stride;
    const size_t kept = (head * a.queries + first + i) * a.keys;
    if (a.scores != nullptr) CopyRow(a, row, seen[i], -std::numeric_limits<float>::infinity(), a.scores + kept);
    if (a.custom_softmax == nullptr) {
      SoftmaxRow(row, seen[i]);
    } else {
      (*a.custom_softmax)(a.first_head + head, a.first_query + first + i, row, seen[i]);
    }
    if (a.weights != nullptr) CopyRow(a, row, seen[i], 0, a.weights + kept);
  }
  // The weighted sums of values, by the same tiles.
  size_t j = 0;
  do {  // at least once: without any keys the output is zero
    ForQueries(count, [&](auto some, size_t i) HWY_ATTR {
      SumValues<some>(a, scratch + i * stride, stride, seen + i, j, j + tile, value, output + i * a.output_stride);
    });
  } while ((j += tile) < keys);
}

void AttendHeads(const ScaledDotAttention& a, float* scratch) {
  for (size_t head = 0; head < a.heads; ++head) {
    for (size_t i = 0; i < a.queries; i += kQueryBlock) {
      AttendBlock(a, head, i, HWY_MIN(kQueryBlock, a.queries - i), scratch);
    }
  }
}

void DotKeys(const ScaledDotAttention& a, float* scores) { Scores<1>(a, a.query, a.key, 0, a.keys, scores, 0); }

void WeighValues(const ScaledDotAttention& a, const float* weights) {
  SumValues<1>(a, weights, 0, &a.keys, 0, a.keys, a.value, a.output);
}

}  // namespace qkv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qkv {

HWY_EXPORT(AttendHeads);
HWY_EXPORT(DotKeys);
HWY_EXPORT(WeighValues);

void Attend(const ScaledDotAttention& a, float* scratch) { HWY_DYNAMIC_DISPATCH(AttendHeads)(a, scratch); }

size_t AttentionScratch(const ScaledDotAttention& a) { return kQueryBlock * ScratchStride(a); }

void DotRows(const float* query, const float* keys, size_t stride, size_t dim, size_t count, float* scores) {
  ScaledDotAttention a;
  a.head_dim = dim;
  a.query = query;
  a.key = keys;
  a.key_stride = stride;
  a.keys = count;
  HWY_DYNAMIC_DISPATCH(DotKeys)(a, scores);
}

void SumRows(const float* weights, const float* values, size_t stride, size_t dim, size_t count, float* output) {
  ScaledDotAttention a;
  a.head_dim = dim;
  a.value = values;
  a.key_stride = stride;
  a.keys = count;
  a.output = output;
  HWY_DYNAMIC_DISPATCH(WeighValues)(a, weights);
}

void AttendNaive(const ScaledDotAttention& a) {
  Matrix weight(1, static_cast<Eigen::Index>(a.keys));
  for (size_t h = 0; h < a.heads; ++h) {
    for (size_t i = 0; i < a.queries; ++i) {
      const size_t seen = KeysSeen(a, i);
      weight.setConstant(-std::numeric_limits<float>::infinity());
      // Scores.
      for (size_t j = 0; j < seen; ++j) {
        const float* q = a.query + i * a.query_stride + h * a.head_dim;
        const float* k = a.key + KeyOffset(a, j) + h * a.head_dim;
        float dot = 0;
        for (size_t c = 0; c < a.head_dim; ++c) dot += q[c] * k[c];
        weight.data()[j] = dot * a.scale;
      }
      // Weights.
      const size_t kept = (h * a.queries + i) * a.keys;
      if (a.scores != nullptr) std::copy_n(weight.data(), a.keys, a.scores + kept);
      SoftmaxNaive({weight.data(), 1, static_cast<Eigen::Index>(seen)});
      for (size_t j = seen; j < a.keys; ++j) weight.data()[j] = 0;
      if (a.weights != nullptr) std::copy_n(weight.data(), a.keys, a.weights + kept);
      for (size_t c = 0; c < a.head_dim; ++c) {
        float sum = 0;
        for (size_t j = 0; j < seen; ++j) sum += weight.data()[j] * a.value[KeyOffset(a, j) + h * a.head_dim + c];
        a.output[i * a.output_stride + h * a.head_dim + c] = sum;
      }
    }
  }
}

}  // namespace qkv
#endif  // HWY_ONCE
