// The instructions of the int8 products: sums of products of 8-bit numbers, the same integers on every target.
#if defined(QKV_KERNELS_INT8_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef QKV_KERNELS_INT8_INL_H_
#undef QKV_KERNELS_INT8_INL_H_
#else
#define QKV_KERNELS_INT8_INL_H_
#endif

#include "core/kernels/quantized.h"
#include "core/kernels/relaxed-inl.h"
#include "core/kernels/targets.h"
#include "hwy/highway.h"

#ifdef __wasm__
#include <wasm_simd128.h>
#endif

HWY_BEFORE_NAMESPACE();
namespace qkv::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using SumTag = hn::CappedTag<int32_t, 16>;
using SumVector = hn::Vec<SumTag>;
constexpr size_t kSumLanes = hn::MaxLanes(SumTag());

#if HWY_ARCH_WASM && !defined(__wasm_relaxed_simd__)

// Weights are widened to 16 bits when they are loaded; activations are stored so. A lane of 32 bits holds two.
struct Int8Weights {
  v128_t low, high;
};
struct Int8Activations {
  v128_t low, high;
};

// One instruction for each half; widening the halves of a vector takes another one for the upper half.
HWY_INLINE Int8Weights LoadWeights(const int8_t* w) { return {wasm_i16x8_load8x8(w), wasm_i16x8_load8x8(w + 8)}; }
// Four activations in every lane, for weights in panels.
HWY_INLINE Int8Activations SpreadActivations(const QuantizedActivation* x) {
  return {wasm_v128_load32_splat(x), wasm_v128_load32_splat(x + 2)};
}
// A whole vector of activations, for weights in rows.
HWY_INLINE Int8Activations LoadActivations(const QuantizedActivation* x) {
  return {wasm_v128_load(x), wasm_v128_load(x + 8)};
}
// sum + x w, four products a lane.
struct Dot {
  static constexpr bool kIsOneInstruction = false;
  static HWY_INLINE SumVector Add(SumVector sum, Int8Activations x, Int8Weights w) {
    const v128_t low = wasm_i32x4_dot_i16x8(w.low, x.low), high = wasm_i32x4_dot_i16x8(w.high, x.high);
    return SumVector{wasm_i32x4_add(wasm_i32x4_add(sum.raw, low), high)};
  }
};

#else

using WeightTag = hn::Repartition<int8_t, SumTag>;
using ActivationTag = hn::Repartition<uint8_t, SumTag>;
using Int8Weights = hn::Vec<WeightTag>;
using Int8Activations = hn::Vec<ActivationTag>;

HWY_INLINE Int8Weights LoadWeights(const int8_t* w) { return hn::LoadU(WeightTag(), w); }

HWY_INLINE Int8Activations SpreadActivations(const QuantizedActivation* x) {
  int32_t four;
  hwy::CopyBytes<sizeof four>(x, &four);
  return hn::BitCast(ActivationTag(), hn::Set(SumTag(), four));
}
HWY_INLINE Int8Activations LoadActivations(const QuantizedActivation* x) { return hn::LoadU(ActivationTag(), x); }

// sum + x w, four products a lane.
struct Dot {
#ifdef __wasm_relaxed_simd__
  static constexpr bool kIsOneInstruction = true;
#else
  static constexpr bool kIsOneInstruction = false;
#endif
  static HWY_INLINE SumVector Add(SumVector sum, Int8Activations x, Int8Weights w) {
#ifdef __wasm_relaxed_simd__
    // An engine may read the second operand as signed or as unsigned; 7 bits are the same in both.
    return SumVector{wasm_i32x4_relaxed_dot_i8x16_i7x16_add(w.raw, x.raw, sum.raw)};
#elif HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3_DL
    // No saturation: 127 * 128 twice is below 2^15. This is the shortest form without VNNI.
    const hn::Repartition<int16_t, SumTag> d16;
    return hn::Add(sum, hn::WidenMulPairwiseAdd(SumTag(), hn::SatWidenMulPairwiseAdd(d16, x, w), hn::Set(d16, 1)));
#elif HWY_ARCH_ARM
    return hn::SumOfMulQuadAccumulate(SumTag(), hn::BitCast(WeightTag(), x), w, sum);  // sdot
#else
    return hn::SumOfMulQuadAccumulate(SumTag(), x, w, sum);  // vpdpbusd
#endif
  }
};

#endif

#ifdef __wasm_relaxed_simd__

// The same in two steps, for processors without one instruction for the four products. Engines emulate it with five
// instructions, two of which make a vector of ones. Here the ones stay in a register. Measured on a Zen 3: 89 GOP/s
// instead of 69.
struct DotInSteps {
  static constexpr bool kIsOneInstruction = false;
  static HWY_INLINE SumVector Add(SumVector sum, Int8Activations x, Int8Weights w) {
    const v128_t pairs = wasm_i16x8_relaxed_dot_i8x16_i7x16(w.raw, x.raw);
    return SumVector{wasm_i32x4_add(sum.raw, wasm_i32x4_dot_i16x8(pairs, wasm_i16x8_const_splat(1)))};
  }
};

// Whether the engine emulates it. Operands of more than 7 bits tell: only the instruction for pairs saturates.
HWY_INLINE bool DotSaturates() {
  volatile int8_t most = -1;  // volatile: the compiler must not evaluate it
  const v128_t zero = wasm_i32x4_const_splat(0);
  const v128_t sums = wasm_i32x4_relaxed_dot_i8x16_i7x16_add(wasm_i8x16_splat(127), wasm_i8x16_splat(most), zero);
  return wasm_i32x4_extract_lane(sums, 0) == 2 * 32767;
}

// Calls function with the form of the dot product that is fastest here.
template <class Function>
HWY_INLINE void WithDot(const Function& function) {
  static const bool in_steps = DotSaturates();
  in_steps ? function(DotInSteps()) : function(Dot());
}

#else

template <class Function>
HWY_INLINE void WithDot(const Function& function) {
  function(Dot());
}

#endif

// The sums over lanes of four vectors, in four lanes. Integer sums are exact in any order.
using FourSums = hn::Vec<hn::FixedTag<int32_t, 4>>;
template <class D>
HWY_INLINE FourSums FoldSums(D, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(D()) == 4) {
    return v;
  } else {
    const hn::Half<D> half;
    return FoldSums(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)));
  }
}
HWY_INLINE FourSums SumLanes(SumVector a, SumVector b, SumVector c, SumVector e) {
  const SumTag d;
  const hn::RepartitionToWide<SumTag> pair;
  const SumVector ab = hn::Add(hn::InterleaveLower(d, a, b), hn::InterleaveUpper(d, a, b));
  const SumVector ce = hn::Add(hn::InterleaveLower(d, c, e), hn::InterleaveUpper(d, c, e));
  const auto ab2 = hn::BitCast(pair, ab), ce2 = hn::BitCast(pair, ce);
  return FoldSums(d, hn::Add(hn::BitCast(d, hn::InterleaveLower(pair, ab2, ce2)),
                             hn::BitCast(d, hn::InterleaveUpper(pair, ab2, ce2))));
}

// scale (sum - zero * sum of weights). Each operation is rounded separately, so every target gives the same bits.
template <class D, class VI, class VF = hn::Vec<D>>
HWY_INLINE VF Dequantize(D d, VI sum, int32_t zero, VI weight_sum, float row_scale, VF weight_scale) {
  const hn::RebindToSigned<D> di;
  const VF exact = hn::ConvertTo(d, hn::Sub(sum, hn::Mul(hn::Set(di, zero), weight_sum)));
  return hn::Mul(exact, hn::Mul(hn::Set(d, row_scale), weight_scale));
}

}  // namespace qkv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // toggle
