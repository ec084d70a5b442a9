// e^x in double. The C library's function needs a table of 2 KB that does not compress, and code is part of the
// download.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace qkv {

// e^x = 2^k e^r with |r| <= ln 2 / 2, and e^r by the Taylor series. Within 2 units in the last place; 0 below -708,
// where the result would be subnormal; infinity above 709; NaN for NaN.
inline double Exponential(double x) {
  if (!(x >= -708)) return std::isnan(x) ? x : 0;
  if (x > 709) return HUGE_VAL;
  const double k = std::floor(x * 1.4426950408889634 + 0.5);
  // ln 2 in two parts, the first of them with so few bits that its product with k is exact.
  const double r = x - k * 0.693147180369123816490 - k * 1.90821492927058770002e-10;
  double sum = 1;
  for (int n = 13; n > 0; --n) sum = 1 + r / n * sum;
  return sum * std::bit_cast<double>(static_cast<uint64_t>(static_cast<int64_t>(k) + 1023) << 52);
}

}  // namespace qkv
