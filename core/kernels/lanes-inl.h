// Two ways to compute on rows of floats. Wide: as many lanes as the processor has, and fused multiply-adds. Its last
// bits may differ between processors. Steady: always eight lanes, and each operation is rounded separately. Every
// processor and WebAssembly give the same bits. Sums of int8 products are exact, so an int8 model translates the same
// everywhere.
#if defined(QKV_KERNELS_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef QKV_KERNELS_LANES_INL_H_
#undef QKV_KERNELS_LANES_INL_H_
#else
#define QKV_KERNELS_LANES_INL_H_
#endif

#include "core/kernels/relaxed-inl.h"
#include "core/kernels/targets.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace qkv::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The operations on a row. Lanes past the end of the row are read as zeros, or as the given value.
struct Wide {
  using D = hn::ScalableTag<float>;
  using V = hn::Vec<D>;
  static constexpr size_t kLanes = hn::MaxLanes(D());

  static HWY_INLINE V Set(float x) { return hn::Set(D(), x); }
  static HWY_INLINE V Load(const float* x) { return hn::LoadU(D(), x); }
  static HWY_INLINE V LoadN(const float* x, size_t n, float rest = 0) { return hn::LoadNOr(Set(rest), D(), x, n); }
  static HWY_INLINE void Store(V v, float* x) { hn::StoreU(v, D(), x); }
  static HWY_INLINE void StoreN(V v, float* x, size_t n) { hn::StoreN(v, D(), x, n); }
  static HWY_INLINE V Add(V a, V b) { return hn::Add(a, b); }
  static HWY_INLINE V Sub(V a, V b) { return hn::Sub(a, b); }
  static HWY_INLINE V Mul(V a, V b) { return hn::Mul(a, b); }
  static HWY_INLINE V MulAddOf(V a, V b, V c) { return RelaxedMulAdd(a, b, c); }
  static HWY_INLINE float Sum(V v) { return hn::ReduceSum(D(), v); }
  // Calls function(D(), v) for each Highway vector.
  template <class Function>
  static HWY_INLINE V Map(V v, const Function& function) {
    return function(D(), v);
  }
};

struct Steady {
  static constexpr size_t kLanes = 8;
  using D = hn::CappedTag<float, kLanes>;
  static constexpr size_t kVectors = kLanes / hn::MaxLanes(D());
  static constexpr size_t kWidth = hn::MaxLanes(D());
  struct V {
    // Explicit: an implicit constructor is compiled without the target's instructions, which Arm's vectors need.
    HWY_INLINE V() {}
    hn::Vec<D> part[kVectors];
  };

  template <class Function>
  static HWY_INLINE V Make(const Function& function) {
    V v;
    for (size_t i = 0; i < kVectors; ++i) v.part[i] = function(i);
    return v;
  }
  static HWY_INLINE V Set(float x) {
    return Make([&](size_t) HWY_ATTR { return hn::Set(D(), x); });
  }
  static HWY_INLINE V Load(const float* x) {
    return Make([&](size_t i) HWY_ATTR { return hn::LoadU(D(), x + i * kWidth); });
  }
  static HWY_INLINE V LoadN(const float* x, size_t n, float rest = 0) {
    HWY_ALIGN float lanes[kLanes];
    for (size_t i = 0; i < kLanes; ++i) lanes[i] = i < n ? x[i] : rest;
    return Load(lanes);
  }
  static HWY_INLINE void Store(V v, float* x) {
    for (size_t i = 0; i < kVectors; ++i) hn::StoreU(v.part[i], D(), x + i * kWidth);
  }
  static HWY_INLINE void StoreN(V v, float* x, size_t n) {
    HWY_ALIGN float lanes[kLanes];
    Store(v, lanes);
    for (size_t i = 0; i < n; ++i) x[i] = lanes[i];
  }
  static HWY_INLINE V Add(V a, V b) {
    return Make([&](size_t i) HWY_ATTR { return hn::Add(a.part[i], b.part[i]); });
  }
  static HWY_INLINE V Sub(V a, V b) {
    return Make([&](size_t i) HWY_ATTR { return hn::Sub(a.part[i], b.part[i]); });
  }
  static HWY_INLINE V Mul(V a, V b) {
    return Make([&](size_t i) HWY_ATTR { return hn::Mul(a.part[i], b.part[i]); });
  }
  static HWY_INLINE V MulAdd(V a, V b, V c) { return Add(Mul(a, b), c); }
  static HWY_INLINE hn::Vec<D> MulAddOf(hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D> c) { return hn::Add(hn::Mul(a, b), c); }
  // Halves first, then pairs: the same order on every target.
  static HWY_INLINE float Sum(V v) {
    HWY_ALIGN float s[kLanes];
    Store(v, s);
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
  }
  template <class Function>
  static HWY_INLINE V Map(V v, const Function& function) {
    return Make([&](size_t i) HWY_ATTR { return function(D(), v.part[i]); });
  }
};

}  // namespace qkv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // toggle
