#include "core/layers/positions.h"

#include <cassert>
#include <cmath>

namespace qkv {
namespace {

double Frequency(size_t pair, size_t d, double base = 10000) {
  return std::pow(base, -2.0 * static_cast<double>(pair) / static_cast<double>(d));
}

struct PairColumns {
  size_t sine, cosine;
};

PairColumns Columns(PairLayout layout, size_t pair, size_t d) {
  if (layout == PairLayout::kInterleaved) return {2 * pair, 2 * pair + 1};
  return {pair, (d + 1) / 2 + pair};
}

}  // namespace

Matrix SinusoidalPositions(size_t positions, size_t d, PairLayout layout, size_t first) {
  Matrix table(positions, d);
  for (size_t pair = 0; pair < (d + 1) / 2; ++pair) {
    const auto [sine, cosine] = Columns(layout, pair, d);
    const double frequency = Frequency(pair, d);
    for (size_t p = 0; p < positions; ++p) {
      const double angle = static_cast<double>(first + p) * frequency;
      table(p, sine) = static_cast<float>(std::sin(angle));
      if (cosine < d) table(p, cosine) = static_cast<float>(std::cos(angle));
    }
  }
  return table;
}

Matrix SinusoidRotation(double delta, size_t d, PairLayout layout) {
  assert(d % 2 == 0);
  Matrix rotation = Matrix::Zero(static_cast<Eigen::Index>(d), static_cast<Eigen::Index>(d));
  for (size_t pair = 0; pair < d / 2; ++pair) {
    const auto [sine, cosine] = Columns(layout, pair, d);
    const double angle = delta * Frequency(pair, d);
    // sin(a + b) = cos b sin a + sin b cos a; cos(a + b) = cos b cos a - sin b sin a.
    rotation(sine, sine) = rotation(cosine, cosine) = static_cast<float>(std::cos(angle));
    rotation(sine, cosine) = static_cast<float>(std::sin(angle));
    rotation(cosine, sine) = -rotation(sine, cosine);
  }
  return rotation;
}

void RotaryPositions(ConstHeads x, size_t first, Heads y, PairLayout layout, double base) {
  assert(x.dim % 2 == 0);
  for (size_t pair = 0; pair < x.dim / 2; ++pair) {
    const auto [a, b] = Columns(layout, pair, x.dim);
    const double frequency = Frequency(pair, x.dim, base);
    for (size_t i = 0; i < x.rows; ++i) {
      const double angle = static_cast<double>(first + i) * frequency;
      const auto sine = static_cast<float>(std::sin(angle)), cosine = static_cast<float>(std::cos(angle));
      for (size_t h = 0; h < x.heads; ++h) {
        const float* from = x.Head(h).Row(i);
        float* to = y.Head(h).Row(i);
        const float u = from[a], v = from[b];
        to[a] = u * cosine - v * sine;
        to[b] = u * sine + v * cosine;
      }
    }
  }
}

void LearnedPositions(ConstMatrixView x, ConstMatrixView table, size_t first, MatrixView y) {
  assert(first + static_cast<size_t>(x.rows()) <= static_cast<size_t>(table.rows()) && x.cols() == table.cols());
  y = x + table.middleRows(static_cast<Eigen::Index>(first), x.rows());
}

}  // namespace qkv
