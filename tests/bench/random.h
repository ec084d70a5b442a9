// The numbers of tests/bench/random.mjs and tests/bench/models/weights.mjs, bit for bit: the inputs that engines are
// compared on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace qkv {

// Mulberry32 (Ettinger): uniform in [0, 1).
class SeededUniform {
 public:
  explicit SeededUniform(uint32_t seed) : state_(seed) {}

  double Next() {
    state_ += 0x6d2b79f5;
    uint32_t bits = (state_ ^ (state_ >> 15)) * (1 | state_);
    bits = (bits + (bits ^ (bits >> 7)) * (61 | bits)) ^ bits;
    return static_cast<double>(bits ^ (bits >> 14)) / 4294967296.0;
  }

 private:
  uint32_t state_;
};

// A seed from a name: FNV-1a.
uint32_t SeedOf(std::string_view name);

// Numbers in (-range, range).
std::vector<float> SeededFloats(size_t count, double range, uint32_t seed);

// Weights: integers from -63 to 63 times `scale`.
struct SeededWeights {
  std::vector<int8_t> data;  // [outputs, inputs]
  float scale = 0;
};
SeededWeights MakeSeededWeights(std::string_view name, size_t outputs, size_t inputs);

}  // namespace qkv
