// e^x and log x in double. The C library's functions need tables of 2 KB that do not compress, and they would be part
// of the download.
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

// log x = k log 2 + 2 atanh((m - 1) / (m + 1)) of x = 2^k m, sqrt(1/2) <= m < sqrt(2), by atanh's series. Within 2
// units in the last place of the larger part; -infinity at 0, NaN below and for NaN.
inline double Logarithm(double x) {
  if (!(x > 0)) return x == 0 ? -HUGE_VAL : NAN;
  if (x == HUGE_VAL) return x;
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0.70710678118654752) {
    m *= 2;
    --exponent;
  }
  const double s = (m - 1) / (m + 1), square = s * s;
  double sum = 0;
  for (int n = 23; n > 0; n -= 2) sum = 1.0 / n + square * sum;
  return exponent * 0.693147180369123816490 + (exponent * 1.90821492927058770002e-10 + 2 * s * sum);
}

}  // namespace qkv
