// The operations that Highway lacks: WebAssembly's relaxed SIMD, used by the relaxed build only.
#if defined(QKV_KERNELS_RELAXED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef QKV_KERNELS_RELAXED_INL_H_
#undef QKV_KERNELS_RELAXED_INL_H_
#else
#define QKV_KERNELS_RELAXED_INL_H_
#endif

#include "core/kernels/targets.h"
#include "hwy/highway.h"

#ifdef __wasm_relaxed_simd__
#include <wasm_simd128.h>
#endif

HWY_BEFORE_NAMESPACE();
namespace qkv::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// a b + c, rounded once where the processor has it: always from AVX2 on, never in baseline WebAssembly, and as the
// browser's processor does it in the relaxed build.
template <class V>
HWY_INLINE V RelaxedMulAdd(V a, V b, V c) {
#ifdef __wasm_relaxed_simd__
  return V{wasm_f32x4_relaxed_madd(a.raw, b.raw, c.raw)};
#else
  return hn::MulAdd(a, b, c);
#endif
}

}  // namespace qkv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // toggle
