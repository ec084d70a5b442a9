#include "tests/bench/peak.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/bench/peak.cc"
#include "core/kernels/targets.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target:
#include "core/kernels/int8-inl.h"
#include "core/kernels/relaxed-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qkv::HWY_NAMESPACE {

// Twelve chains hide the latency of four cycles on two or three units, and fit 16 registers.
constexpr size_t kChains = 12;
using PeakTag = hn::CappedTag<float, 16>;

float PeakLoop(size_t rounds) {
  const PeakTag d;
  // Values that neither grow nor vanish, and that the compiler does not know.
  const auto a = hn::Set(d, rounds > 0 ? 0.5f : 1.0f), b = hn::Set(d, rounds > 0 ? 1.0f : 0.5f);
  hn::Vec<PeakTag> sum[kChains];
  for (size_t i = 0; i < kChains; ++i) sum[i] = hn::Set(d, static_cast<float>(i));
  for (size_t round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < kChains; ++i) sum[i] = RelaxedMulAdd(sum[i], a, b);
  }
  auto total = sum[0];
  for (size_t i = 1; i < kChains; ++i) total = hn::Add(total, sum[i]);
  return hn::ReduceSum(d, total);
}

double PeakOperations(size_t rounds) { return 2.0 * static_cast<double>(rounds * kChains * hn::Lanes(PeakTag())); }

// As many tiles of activations and weights as registers hold. The activations change in each round, because a compiler
// would compute a product of constant operands once.
constexpr size_t kWeights = kInt8InPairs ? 2 : 4, kActivations = kSumLanes == 16 ? 4 : 2;
constexpr size_t kDifferent = 8;  // a power of two

template <class Dot>
HWY_INLINE int32_t DotTiles(size_t rounds) {
  constexpr size_t kBytes = 64;
  alignas(64) int8_t weights[kWeights * kBytes];
  alignas(64) QuantizedActivation activations[(kActivations + kDifferent) * kBytes];
  for (size_t i = 0; i < sizeof(weights); ++i) weights[i] = static_cast<int8_t>(i + rounds);
  for (size_t i = 0; i < kBytes * (kActivations + kDifferent); ++i) {
    activations[i] = static_cast<QuantizedActivation>((i + rounds) & 127);
  }
  Int8Weights w[kWeights];
  for (size_t i = 0; i < kWeights; ++i) w[i] = LoadWeights(weights + i * kBytes);
  const SumTag d;
  SumVector sum[kActivations][kWeights];
  for (auto& row : sum) {
    for (auto& one : row) one = hn::Zero(d);
  }
  for (size_t round = 0; round < rounds; ++round) {
    const QuantizedActivation* x = activations + (round & (kDifferent - 1)) * kBytes;
    for (size_t i = 0; i < kActivations; ++i) {
      const Int8Activations row = LoadActivations(x + i * kBytes);
      for (size_t j = 0; j < kWeights; ++j) sum[i][j] = Dot::Add(sum[i][j], row, w[j]);
    }
  }
  auto total = hn::Zero(d);
  for (auto& row : sum) {
    for (auto& one : row) total = hn::Add(total, one);
  }
  return hn::ReduceSum(d, total);
}

int32_t DotLoop(size_t rounds) {
  int32_t sum = 0;
  WithDot([&](auto dot) HWY_ATTR { sum = DotTiles<decltype(dot)>(rounds); });
  return sum;
}

double DotLoopOperations(size_t rounds) {
  return 2.0 * static_cast<double>(rounds * kActivations * kWeights * kSumLanes * kInt8Group);
}

}  // namespace qkv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qkv {

HWY_EXPORT(PeakLoop);
HWY_EXPORT(PeakOperations);
HWY_EXPORT(DotLoop);
HWY_EXPORT(DotLoopOperations);

void MultiplyAdds(size_t rounds) {
  [[maybe_unused]] static volatile float kept;  // so that the loop is not optimised away
  kept = HWY_DYNAMIC_DISPATCH(PeakLoop)(rounds);
}

double MultiplyAddOperations(size_t rounds) { return HWY_DYNAMIC_DISPATCH(PeakOperations)(rounds); }

void DotProducts(size_t rounds) {
  [[maybe_unused]] static volatile int32_t kept;
  kept = HWY_DYNAMIC_DISPATCH(DotLoop)(rounds);
}

double DotProductOperations(size_t rounds) { return HWY_DYNAMIC_DISPATCH(DotLoopOperations)(rounds); }

}  // namespace qkv
#endif  // HWY_ONCE
