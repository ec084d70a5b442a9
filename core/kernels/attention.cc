#include "core/kernels/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/kernels/softmax.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/attention.cc"
#include "core/kernels/targets.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target:
#include "core/kernels/softmax-inl.h"

// How many keys query i sees; and floats between two queries' scores in scratch. Keys come in fours.
#ifndef QKV_KERNELS_ATTENTION_SHAPES_
#define QKV_KERNELS_ATTENTION_SHAPES_
namespace qkv {
inline constexpr size_t kKeysAtOnce = 4;
inline constexpr size_t kQueriesAtMost = 2;

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
// Queries that share the loads of keys and values, and the vectors of values beside them.
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

// score[i * stride + j] = scale q_i k_j for j < keys, of one head; columns up to the next multiple of four are
// written too. The order of the sum over the head's dimensions does not depend on kCount.
template <size_t kCount>
HWY_NOINLINE void Scores(const ScaledDotAttention& a, const float* query, const float* key, size_t keys, float* score,
                         size_t stride) {
  const FourTag four;
  const auto scale = hn::Set(four, a.scale);
  for (size_t j = 0; j < keys; j += kKeysAtOnce) {
    const float* k[kKeysAtOnce];
    for (size_t c = 0; c < kKeysAtOnce; ++c) k[c] = key + KeyOffset(a, HWY_MIN(j + c, keys - 1));
    V sum[kCount][kKeysAtOnce];
    for (size_t i = 0; i < kCount; ++i) {
      for (size_t c = 0; c < kKeysAtOnce; ++c) sum[i][c] = Steady::Set(0);
    }
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
    for (size_t i = 0; i < kCount; ++i) {
      const auto s = SumFour(sum[i][0], sum[i][1], sum[i][2], sum[i][3]);
      hn::StoreU(hn::Mul(s, scale), four, score + i * stride + j);
    }
  }
}

// sum[i] += weight[i * stride] value, for queries first <= i < kCount, of up to kVectors kLanes columns.
template <size_t kCount, size_t kVectors>
HWY_INLINE void AddValue(const float* weight, size_t stride, const float* value, size_t width, size_t first,
                         V (&sum)[kCount][kVectors]) {
  for (size_t v = 0; v < kVectors; ++v) {
    const V x = width < kLanes ? Steady::LoadN(value, width) : Steady::Load(value + v * kLanes);
    for (size_t i = 0; i < kCount; ++i) {
      if (i >= first) sum[i][v] = Steady::MulAdd(Steady::Set(weight[i * stride]), x, sum[i][v]);
    }
  }
}

// output_i[c] = sum_j weight[i * stride + j] value_j[c], in order of j over the seen[i] first keys; seen ascends.
// Columns c < kVectors kLanes, or c < width of a single vector.
template <size_t kCount, size_t kVectors>
HWY_NOINLINE void WeightedSum(const ScaledDotAttention& a, const float* weight, size_t stride, const size_t* seen,
                              const float* value, size_t width, float* output) {
  V sum[kCount][kVectors];
  for (size_t i = 0; i < kCount; ++i) {
    for (size_t v = 0; v < kVectors; ++v) sum[i][v] = Steady::Set(0);
  }
  size_t j = 0;
  for (; j < seen[0]; ++j) AddValue(weight + j, stride, value + KeyOffset(a, j), width, 0, sum);
  // Later queries may see further.
  for (size_t first = 1; first < kCount; ++first) {
    for (; j < seen[first]; ++j) AddValue(weight + j, stride, value + KeyOffset(a, j), width, first, sum);
  }
  for (size_t i = 0; i < kCount; ++i) {
    float* y = output + i * a.output_stride;
    if (width < kLanes) {
      Steady::StoreN(sum[i][0], y, width);
    } else {
      for (size_t v = 0; v < kVectors; ++v) Steady::Store(sum[i][v], y + v * kLanes);
    }
  }
}

// WeightedSum over all columns of a head.
template <size_t kCount>
void SumValues(const ScaledDotAttention& a, const float* weight, size_t stride, const size_t* seen, const float* value,
               float* output) {
  size_t at = 0;
  for (; at + kValueVectors * kLanes <= a.head_dim; at += kValueVectors * kLanes) {
    WeightedSum<kCount, kValueVectors>(a, weight, stride, seen, value + at, kLanes, output + at);
  }
  for (; at < a.head_dim; at += kLanes) {
    WeightedSum<kCount, 1>(a, weight, stride, seen, value + at, HWY_MIN(kLanes, a.head_dim - at), output + at);
  }
}

// On demand [queries, keys] of one head: what is in scratch, and `masked` where the query does not see.
HWY_INLINE void Keep(const ScaledDotAttention& a, const float* row, size_t seen, float masked, float* kept) {
  std::copy_n(row, seen, kept);
  std::fill_n(kept + seen, a.keys - seen, masked);
}

template <size_t kCount>
void AttendQueries(const ScaledDotAttention& a, size_t head, size_t first, float* scratch) {
  const size_t stride = ScratchStride(a);
  const size_t column = head * a.head_dim;
  size_t seen[kCount];
  for (size_t i = 0; i < kCount; ++i) seen[i] = KeysSeen(a, first + i);
  Scores<kCount>(a, a.query + first * a.query_stride + column, a.key + column, seen[kCount - 1], scratch, stride);
  for (size_t i = 0; i < kCount; ++i) {
    float* row = scratch + i * stride;
    const size_t kept = (head * a.queries + first + i) * a.keys;
    if (a.scores != nullptr) Keep(a, row, seen[i], -std::numeric_limits<float>::infinity(), a.scores + kept);
    SoftmaxRow(row, seen[i]);
    if (a.weights != nullptr) Keep(a, row, seen[i], 0, a.weights + kept);
  }
  SumValues<kCount>(a, scratch, stride, seen, a.value + column, a.output + first * a.output_stride + column);
}

void AttendHeads(const ScaledDotAttention& a, float* scratch) {
  for (size_t head = 0; head < a.heads; ++head) {
    size_t i = 0;
    for (; i + kQueries <= a.queries; i += kQueries) AttendQueries<kQueries>(a, head, i, scratch);
    for (; i < a.queries; ++i) AttendQueries<1>(a, head, i, scratch);
  }
}

void DotKeys(const ScaledDotAttention& a, float* scores) { Scores<1>(a, a.query, a.key, a.keys, scores, 0); }

void WeighValues(const ScaledDotAttention& a, const float* weights) {
  SumValues<1>(a, weights, 0, &a.keys, a.value, a.output);
}

}  // namespace qkv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qkv {

HWY_EXPORT(AttendHeads);
HWY_EXPORT(DotKeys);
HWY_EXPORT(WeighValues);

void Attend(const ScaledDotAttention& a, float* scratch) { HWY_DYNAMIC_DISPATCH(AttendHeads)(a, scratch); }

size_t AttentionScratch(const ScaledDotAttention& a) { return kQueriesAtMost * ScratchStride(a); }

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
      for (size_t j = 0; j < seen; ++j) {
        const float* q = a.query + i * a.query_stride + h * a.head_dim;
        const float* k = a.key + KeyOffset(a, j) + h * a.head_dim;
        float dot = 0;
        for (size_t c = 0; c < a.head_dim; ++c) dot += q[c] * k[c];
        weight.data()[j] = dot * a.scale;
      }
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
