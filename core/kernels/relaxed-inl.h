// WebAssembly's relaxed SIMD, which Highway does not have. Only the relaxed build uses it.
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

// a b + c. Rounded once on AVX2 and newer, twice in baseline WebAssembly; in the relaxed build it depends on the
// browser's processor.
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
