// Counter-based random numbers: draw n of a stream is a function of (seed, stream, n). A resumed run therefore draws
// the same numbers as an uninterrupted one. Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2,
// 3", 2011).
#pragma once

#include <array>
#include <cstdint>

namespace qkv {

class Random {
 public:
  explicit Random(uint64_t seed, uint64_t stream = 0) : seed_(seed), stream_(stream) {}

  // Draw number `counter`: four independent 32-bit words.
  std::array<uint32_t, 4> Block(uint64_t counter) const;

  // The next 32 bits, in order of the counter.
  uint32_t Next();
  // Uniform in [0, 1), 24 bits.
  float Uniform() { return static_cast<float>(Next() >> 8) * 0x1p-24f; }

  // Skips the next `count` whole blocks and returns the counter of the first, for callers that compute many blocks at
  // once.
  uint64_t TakeBlocks(uint64_t count) {
    const uint64_t first = (position_ + 3) / 4;
    position_ = (first + count) * 4;
    return first;
  }
  uint64_t seed() const { return seed_; }
  uint64_t stream() const { return stream_; }

  // The position in the stream; Seek(position()) continues it.
  uint64_t position() const { return position_; }
  void Seek(uint64_t position) { position_ = position; }

 private:
  uint64_t seed_, stream_;
  uint64_t position_ = 0;  // in words
};

}  // namespace qkv
