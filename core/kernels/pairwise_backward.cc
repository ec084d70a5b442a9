#include "core/kernels/pairwise_backward.h"

#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/pairwise_backward.cc"
#include "core/kernels/targets.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target:
#include "core/kernels/pairwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qkv::HWY_NAMESPACE {

// Columns of one pass. Their sums are kept lane by lane and stay in the first- or second-level cache for kPairRows
// queries; they are reduced after all keys.
constexpr size_t kColumns = 8;

// term(q, k, w, d, slope, sum) returns the gradient of q and adds to the weight's sum. The gradient of k is `key_sign`
// times that of q.
template <class Term>
HWY_INLINE void PairsBackward(const Pairs& p, const PairsGradient& g, float key_sign, const Term& term) {
  const PairTag d;
  const PairVector zero = hn::Zero(d);
  HWY_ALIGN float of_queries[kPairRows * kColumns * kPairLanes];
  // A pass over some columns: all keys, a vector of them at a time, and for each all queries.
  for (size_t c0 = 0; c0 < p.dim; c0 += kColumns) {
    const size_t columns = HWY_MIN(kColumns, p.dim - c0);
    PairVector of_weight[kColumns];
    for (size_t c = 0; c < kColumns; ++c) of_weight[c] = zero;
    for (size_t i = 0; i < p.rows * kColumns; ++i) hn::Store(zero, d, of_queries + i * kPairLanes);
    for (size_t first = 0; first < p.count; first += kPairLanes) {
      const size_t at = first / kPanel * kPanel * p.dim + first % kPanel;
      for (size_t c = 0; c < columns; ++c) {
        // One column of some keys.
        const PairVector k = hn::Load(d, p.keys + at + (c0 + c) * kPanel);
        const PairVector w = hn::Set(d, p.weight != nullptr ? p.weight[c0 + c] : 1.0f);
        PairVector of_key = zero, sum = of_weight[c];
        for (size_t r = 0; r < p.rows; ++r) {
          const PairVector ds = hn::LoadU(d, g.scores + r * g.stride + first);
          const PairVector q = hn::Set(d, p.queries[r * p.dim + c0 + c]);
          PairVector more = zero;
          const auto stops = hn::Eq(ds, zero);  // not Ne, which is false for NaN
          const PairVector dq = hn::IfThenZeroElse(stops, term(d, q, k, w, ds, more));
          float* to = of_queries + (r * kColumns + c) * kPairLanes;
          hn::Store(hn::Add(hn::Load(d, to), dq), d, to);
          of_key = hn::Add(of_key, dq);
          sum = hn::Add(sum, hn::IfThenZeroElse(stops, more));
        }
        // Gradients of keys are complete, and go to memory.
        of_weight[c] = sum;
        float* to = g.keys + at + (c0 + c) * kPanel;
        hn::Store(hn::MulAdd(of_key, hn::Set(d, key_sign), hn::Load(d, to)), d, to);
      }
    }
    // Those of queries and of the weight are sums over the lanes.
    for (size_t c = 0; c < columns; ++c) {
      for (size_t r = 0; r < p.rows; ++r) {
        g.queries[r * p.dim + c0 + c] += hn::ReduceSum(d, hn::Load(d, of_queries + (r * kColumns + c) * kPairLanes));
      }
      if (g.weight != nullptr) g.weight[c0 + c] += hn::ReduceSum(d, of_weight[c]);
    }
  }
}

// d/dq w tanh(q + k) = w (1 - tanh^2), and d/dk the same.
void TanhBackward(const Pairs& p, const PairsGradient& g) {
  PairsBackward(p, g, 1,
                [](PairTag d, PairVector q, PairVector k, PairVector w, PairVector ds, PairVector& of_weight) HWY_ATTR {
                  PairVector slope;
                  of_weight = hn::Mul(ds, Tanh(d, hn::Add(q, k), &slope));
                  return hn::Mul(hn::Mul(ds, w), slope);
                });
}

// d/dq -(q - k)^2 / 2 = k - q, and d/dk the opposite.
void DistanceBackward(const Pairs& p, const PairsGradient& g) {
  PairsBackward(p, g, -1, [](PairTag, PairVector q, PairVector k, PairVector, PairVector ds, PairVector&) HWY_ATTR {
    return hn::Mul(ds, hn::Sub(k, q));
  });
}

}  // namespace qkv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qkv {
namespace {

template <class Term>
void PairsBackwardNaive(const Pairs& p, const PairsGradient& g, const Term& term) {
  for (size_t r = 0; r < p.rows; ++r) {
    for (size_t j = 0; j < p.count; ++j) {
      const float ds = g.scores[r * g.stride + j];
      for (size_t c = 0; c < p.dim && ds != 0; ++c) {
        const size_t key = (j / kPanel * p.dim + c) * kPanel + j % kPanel, query = r * p.dim + c;
        term(ds, p.queries[query], p.keys[key], c, g.queries[query], g.keys[key]);
      }
    }
  }
}

}  // namespace

HWY_EXPORT(TanhBackward);
HWY_EXPORT(DistanceBackward);

void TanhSumsBackward(const Pairs& p, const PairsGradient& g) { HWY_DYNAMIC_DISPATCH(TanhBackward)(p, g); }
void SquaredDistancesBackward(const Pairs& p, const PairsGradient& g) { HWY_DYNAMIC_DISPATCH(DistanceBackward)(p, g); }

void TanhSumsBackwardNaive(const Pairs& p, const PairsGradient& g) {
  PairsBackwardNaive(p, g, [&](float ds, float q, float k, size_t c, float& dq, float& dk) {
    const float tanh = std::tanh(q + k);
    dq += ds * p.weight[c] * (1 - tanh * tanh);
    dk += ds * p.weight[c] * (1 - tanh * tanh);
    g.weight[c] += ds * tanh;
  });
}

void SquaredDistancesBackwardNaive(const Pairs& p, const PairsGradient& g) {
  PairsBackwardNaive(p, g, [](float ds, float q, float k, size_t, float& dq, float& dk) {
    dq += ds * (k - q);
    dk += ds * (q - k);
  });
}

}  // namespace qkv
#endif  // HWY_ONCE
