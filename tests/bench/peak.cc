#include "tests/bench/peak.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/bench/peak.cc"
#include "core/kernels/targets.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target:
#include "core/kernels/relaxed-inl.h"

HWY_BEFORE_NAMESPACE();
namespace qkv::HWY_NAMESPACE {

// Twelve chains hide the latency of four cycles on two or three units, and fit 16 registers.
constexpr size_t kChains = 12;
using PeakTag = hn::CappedTag<float, 16>;

float PeakLoop(size_t rounds) {
  const PeakTag d;
  // Values that neither grow nor vanish, and that no compiler knows.
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

}  // namespace qkv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qkv {

HWY_EXPORT(PeakLoop);
HWY_EXPORT(PeakOperations);

void MultiplyAdds(size_t rounds) {
  [[maybe_unused]] static volatile float kept;  // so that the loop is not for nothing
  kept = HWY_DYNAMIC_DISPATCH(PeakLoop)(rounds);
}

double MultiplyAddOperations(size_t rounds) { return HWY_DYNAMIC_DISPATCH(PeakOperations)(rounds); }

}  // namespace qkv
#endif  // HWY_ONCE
