#include "core/kernels/dropout.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/kernels/dropout.cc"
#include "core/kernels/targets.h"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
// After foreach_target:
#include "hwy/highway.h"

#ifndef QKV_KERNELS_DROPOUT_ONCE
#define QKV_KERNELS_DROPOUT_ONCE
namespace qkv {

// kTogether blocks of Philox are computed side by side. Each of their four words decides two elements: element
// ((word * 2 + half) * kTogether + block) of a group.
inline constexpr size_t kTogether = 16;
inline constexpr size_t kGroup = 8 * kTogether;

// Half words below this are dropped.
inline uint32_t Threshold(float rate) { return static_cast<uint32_t>(std::lround(rate * 65536)); }

}  // namespace qkv
#endif

HWY_BEFORE_NAMESPACE();
namespace qkv::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D32 = hn::CappedTag<uint32_t, kTogether>;
using V32 = hn::Vec<D32>;

struct Wide64 {
  V32 low, high;
};
HWY_INLINE Wide64 MultiplyWide(V32 a, V32 b) {
  const D32 d;
  const auto even = hn::BitCast(d, hn::MulEven(a, b)), odd = hn::BitCast(d, hn::MulOdd(a, b));
  return {hn::InterleaveEven(d, even, odd), hn::InterleaveOdd(d, even, odd)};
}

// Blocks counter, counter + 1, ... of a generator, one a lane (core/base/random.cc is the same for one).
HWY_INLINE void Philox(uint64_t seed, uint64_t stream, uint64_t counter, V32 (&x)[4]) {
  const D32 d;
  const V32 low = hn::Add(hn::Set(d, static_cast<uint32_t>(counter)), hn::Iota(d, 0));
  const V32 carry = hn::IfThenElseZero(hn::Lt(low, hn::Set(d, static_cast<uint32_t>(counter))), hn::Set(d, 1u));
  x[0] = low;
  x[1] = hn::Add(hn::Set(d, static_cast<uint32_t>(counter >> 32)), carry);
  x[2] = hn::Set(d, static_cast<uint32_t>(stream));
  x[3] = hn::Set(d, static_cast<uint32_t>(stream >> 32));
  uint32_t k0 = static_cast<uint32_t>(seed), k1 = static_cast<uint32_t>(seed >> 32);
  const V32 m0 = hn::Set(d, 0xD2511F53u), m1 = hn::Set(d, 0xCD9E8D57u);
  for (int round = 0; round < 10; ++round) {
    const Wide64 p0 = MultiplyWide(m0, x[0]), p1 = MultiplyWide(m1, x[2]);
    const V32 x1 = x[1], x3 = x[3];
    x[0] = hn::Xor(hn::Xor(p1.high, x1), hn::Set(d, k0));
    x[1] = p1.low;
    x[2] = hn::Xor(hn::Xor(p0.high, x3), hn::Set(d, k1));
    x[3] = p0.low;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
}

// One whole group.
HWY_INLINE void DropGroup(uint64_t seed, uint64_t stream, uint64_t block, uint32_t threshold, float keep, float* x) {
  const D32 d;
  const hn::Rebind<float, D32> df;
  const auto limit = hn::Set(d, threshold);
  const auto factor = hn::Set(df, keep);
  for (size_t b = 0; b < kTogether; b += hn::Lanes(d)) {
    V32 words[4];
    Philox(seed, stream, block + b, words);
    for (size_t word = 0; word < 4; ++word) {
      const V32 halves[2] = {hn::And(words[word], hn::Set(d, 0xFFFFu)), hn::ShiftRight<16>(words[word])};
      for (size_t half = 0; half < 2; ++half) {
        float* at = x + (word * 2 + half) * kTogether + b;
        const auto dropped = hn::RebindMask(df, hn::Lt(halves[half], limit));
        hn::StoreU(hn::IfThenZeroElse(dropped, hn::Mul(hn::LoadU(df, at), factor)), df, at);
      }
    }
  }
}

// Elements [begin, end), `begin` a multiple of kGroup.
void DropRange(uint64_t seed, uint64_t stream, uint64_t first_block, float rate, float* x, size_t begin, size_t end) {
  const uint32_t threshold = Threshold(rate);
  const float keep = 1 / (1 - rate);
  for (; begin < end; begin += kGroup) {
    const uint64_t block = first_block + begin / kGroup * kTogether;
    if (begin + kGroup <= end) {
      DropGroup(seed, stream, block, threshold, keep, x + begin);
      continue;
    }
    float last[kGroup] = {};
    std::copy(x + begin, x + end, last);
    DropGroup(seed, stream, block, threshold, keep, last);
    std::copy_n(last, end - begin, x + begin);
  }
}

}  // namespace qkv::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace qkv {

HWY_EXPORT(DropRange);

size_t DropoutBlocks(size_t count) { return (count + kGroup - 1) / kGroup * kTogether; }

void DropoutElements(const Random& random, uint64_t first_block, float rate, float* x, size_t count, ThreadPool& pool) {
  const auto drop = HWY_DYNAMIC_POINTER(DropRange);
  const auto range = [&](size_t begin, size_t end) {
    drop(random.seed(), random.stream(), first_block, rate, x, begin, end);
  };
  constexpr size_t kWorthThreads = 1 << 14;
  if (count < kWorthThreads) return range(0, count);
  pool.For(count, kGroup, range);
}

void DropoutElementsNaive(const Random& random, uint64_t first_block, float rate, float* x, size_t count) {
  const uint32_t threshold = Threshold(rate);
  for (size_t i = 0; i < count; ++i) {
    const size_t place = i % kGroup, half = place / kTogether % 2;
    const uint64_t block = first_block + i / kGroup * kTogether + place % kTogether;
    const uint32_t word = random.Block(block)[place / kTogether / 2];
    const uint32_t number = half == 0 ? word & 0xFFFF : word >> 16;
    x[i] = number < threshold ? 0 : x[i] * (1 / (1 - rate));
  }
}

}  // namespace qkv
#endif  // HWY_ONCE
