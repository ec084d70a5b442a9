#include "tests/bench/random.h"

#include <cmath>

namespace qkv {

uint32_t SeedOf(std::string_view name) {
  uint32_t hash = 2166136261;
  for (const char character : name) hash = (hash ^ static_cast<unsigned char>(character)) * 16777619;
  return hash;
}

std::vector<float> SeededFloats(size_t count, double range, uint32_t seed) {
  SeededUniform uniform(seed);
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>((2 * uniform.Next() - 1) * range);
  return values;
}

SeededWeights MakeSeededWeights(std::string_view name, size_t outputs, size_t inputs) {
  constexpr double kLargest = 63;
  SeededUniform uniform(SeedOf(name));
  SeededWeights weights;
  weights.data.resize(outputs * inputs);
  for (int8_t& value : weights.data) {
    value = static_cast<int8_t>(std::floor((2 * uniform.Next() - 1) * kLargest + 0.5));
  }
  weights.scale = static_cast<float>(std::sqrt(6.0 / static_cast<double>(outputs + inputs)) / kLargest);
  return weights;
}

}  // namespace qkv
