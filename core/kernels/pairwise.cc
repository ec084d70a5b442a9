#include "core/kernels/pairwise.h"

#include <cmath>

#include "core/kernels/packed.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/pairwise.cc"
#include "core/kernels/targets.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target:
#include "core/kernels/pairwise-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qkv::HWY_NAMESPACE {

// scores[r, j] = factor sum_c term(q_rc, k_jc, weight_c), each in one order of c.
template <class Term>
HWY_INLINE void SumPairs(const Pairs& p, float factor, const Term& term) {
  const PairTag d;
  for (size_t panel = 0; panel < p.count / kPanel; ++panel) {
    const float* HWY_RESTRICT keys = p.keys + panel * p.dim * kPanel;
    for (size_t r = 0; r < p.rows; ++r) {
      const float* HWY_RESTRICT q = p.queries + r * p.dim;
      PairVector sum[kPairVectors];
      for (size_t v = 0; v < kPairVectors; ++v) sum[v] = hn::Zero(d);
      for (size_t c = 0; c < p.dim; ++c) {
        const PairVector a = hn::Set(d, q[c]), w = hn::Set(d, p.weight != nullptr ? p.weight[c] : 1.0f);
        for (size_t v = 0; v < kPairVectors; ++v) {
          sum[v] = term(d, a, hn::Load(d, keys + c * kPanel + v * kPairLanes), w, sum[v]);
        }
      }
      for (size_t v = 0; v < kPairVectors; ++v) {
        hn::StoreU(hn::Mul(sum[v], hn::Set(d, factor)), d, p.scores + r * p.stride + panel * kPanel + v * kPairLanes);
      }
    }
  }
}

void SumTanh(const Pairs& p) {
  SumPairs(p, 1, [](PairTag d, PairVector q, PairVector k, PairVector w, PairVector sum) HWY_ATTR {
    return hn::Add(hn::Mul(w, Tanh(d, hn::Add(q, k))), sum);
  });
}

void SumSquares(const Pairs& p) {
  SumPairs(p, -0.5f, [](PairTag, PairVector q, PairVector k, PairVector, PairVector sum) HWY_ATTR {
    const PairVector difference = hn::Sub(q, k);
    return RelaxedMulAdd(difference, difference, sum);
  });
}

}  // namespace qkv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qkv {
namespace {

template <class Term>
void SumPairsNaive(const Pairs& p, const Term& term) {
  for (size_t r = 0; r < p.rows; ++r) {
    for (size_t j = 0; j < p.count; ++j) {
      float sum = 0;
      for (size_t c = 0; c < p.dim; ++c) {
        sum += term(p.queries[r * p.dim + c], p.keys[(j / kPanel * p.dim + c) * kPanel + j % kPanel], c);
      }
      p.scores[r * p.stride + j] = sum;
    }
  }
}

}  // namespace

HWY_EXPORT(SumTanh);
HWY_EXPORT(SumSquares);

void TanhSums(const Pairs& p) { HWY_DYNAMIC_DISPATCH(SumTanh)(p); }
void SquaredDistances(const Pairs& p) { HWY_DYNAMIC_DISPATCH(SumSquares)(p); }

void TanhSumsNaive(const Pairs& p) {
  SumPairsNaive(p, [&](float q, float k, size_t c) { return p.weight[c] * std::tanh(q + k); });
}

void SquaredDistancesNaive(const Pairs& p) {
  SumPairsNaive(p, [](float q, float k, size_t) { return -(q - k) * (q - k) / 2; });
}

}  // namespace qkv
#endif  // HWY_ONCE
