#include "core/layers/positions.h"

#include <cmath>

namespace qkv {

Matrix SinusoidalPositions(size_t positions, size_t d) {
  Matrix table(positions, d);
  const size_t sines = (d + 1) / 2;
  for (size_t j = 0; j < sines; ++j) {
    const double frequency = std::pow(10000.0, -2.0 * static_cast<double>(j) / static_cast<double>(d));
    for (size_t p = 0; p < positions; ++p) {
      const double angle = static_cast<double>(p) * frequency;
      table(p, j) = static_cast<float>(std::sin(angle));
      if (sines + j < d) table(p, sines + j) = static_cast<float>(std::cos(angle));
    }
  }
  return table;
}

}  // namespace qkv
