#include "core/layers/positions.h"

#include <cassert>
#include <cmath>

#include "core/base/exponential.h"
#include "core/base/tape.h"

namespace qkv {
namespace {

// base^(-2 pair / d)
double Frequency(size_t pair, size_t d, double base = 10000) {
  return Exponential(-2.0 * static_cast<double>(pair) / static_cast<double>(d) * std::log(base));
}

// The sine and the cosine of an angle.
struct Phase {
  double sine, cosine;
};

// For an angle from 0 to 1, by the Taylor series: 20 terms are exact up to rounding.
Phase PhaseOf(double angle) {
  Phase phase = {1, 1};
  const double square = angle * angle;
  for (int k = 20; k > 0; k -= 2) {
    phase.cosine = 1 - square / (k * (k - 1)) * phase.cosine;
    phase.sine = 1 - square / (k * (k + 1)) * phase.sine;
  }
  return {phase.sine * angle, phase.cosine};
}

// For the sum of two angles.
Phase Sum(Phase a, Phase b) { return {a.sine * b.cosine + a.cosine * b.sine, a.cosine * b.cosine - a.sine * b.sine}; }

// For `times` times the angle, by doubling. It is as exact as the sine of the product, which is rounded too, and avoids
// the C library's tables for large angles, 3 KB of the download.
Phase Multiple(Phase angle, size_t times) {
  Phase phase = {0, 1};
  for (; times > 0; times /= 2) {
    if (times % 2 == 1) phase = Sum(phase, angle);
    angle = Sum(angle, angle);
  }
  return phase;
}

struct PairColumns {
  size_t sine, cosine;
};

PairColumns Columns(PairLayout layout, size_t pair, size_t d) {
  if (layout == PairLayout::kInterleaved) return {2 * pair, 2 * pair + 1};
  return {pair, (d + 1) / 2 + pair};
}

// Calls a function with each pair of x in row i, rotated by `direction` (first + i) / base^(2j/d). The function may
// overwrite the pair.
template <class Function>
void Turn(ConstHeads x, size_t first, double direction, PairLayout layout, double base, const Function& take) {
  assert(x.dim % 2 == 0);
  for (size_t pair = 0; pair < x.dim / 2; ++pair) {
    const auto [a, b] = Columns(layout, pair, x.dim);
    const double frequency = direction * Frequency(pair, x.dim, base);
    for (size_t i = 0; i < x.rows; ++i) {
      const double angle = static_cast<double>(first + i) * frequency;
      const auto sine = static_cast<float>(std::sin(angle)), cosine = static_cast<float>(std::cos(angle));
      for (size_t h = 0; h < x.heads; ++h) {
        const float* from = x.Head(h).Row(i);
        const float u = from[a], v = from[b];
        take(h, i, a, u * cosine - v * sine);
        take(h, i, b, u * sine + v * cosine);
      }
    }
  }
}

}  // namespace

Matrix SinusoidalPositions(size_t positions, size_t d, PairLayout layout, size_t first, Frequencies frequencies) {
  Matrix table(positions, d);
  if (frequencies == Frequencies::kNone) table.setZero();
  for (size_t pair = 0; frequencies != Frequencies::kNone && pair < (d + 1) / 2; ++pair) {
    const auto [sine, cosine] = Columns(layout, pair, d);
    const Phase step = PhaseOf(Frequency(pair, frequencies == Frequencies::kMarian ? d - 2 : d));
    for (size_t p = 0; p < positions; ++p) {
      const Phase phase = Multiple(step, first + p);
      table(p, sine) = static_cast<float>(phase.sine);
      if (cosine < d) table(p, cosine) = static_cast<float>(phase.cosine);
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
  Turn(x, first, 1, layout, base,
       [&](size_t h, size_t i, size_t column, float turned) { y.Head(h).Row(i)[column] = turned; });
}

void RotaryPositionsBackward(ConstHeads dy, size_t first, Heads dx, PairLayout layout, double base) {
  const bool one = dx.data == dy.data;
  Turn(dy, first, -1, layout, base, [&](size_t h, size_t i, size_t column, float turned) {
    float& to = dx.Head(h).Row(i)[column];
    to = one ? turned : to + turned;
  });
}

void LearnedPositions(ConstMatrixView x, ConstMatrixView table, size_t first, MatrixView y) {
  assert(first + static_cast<size_t>(x.rows()) <= static_cast<size_t>(table.rows()) && x.cols() == table.cols());
  y = x + table.middleRows(static_cast<Eigen::Index>(first), x.rows());
}

void LearnedPositionsBackward(ConstMatrixView dy, size_t first, float* dx, float* table_gradient) {
  float* rows = table_gradient != nullptr ? table_gradient + static_cast<Eigen::Index>(first) * dy.cols() : nullptr;
  for (Eigen::Index i = 0; i < dy.size(); ++i) {
    if (dx != nullptr) dx[i] += dy.data()[i];
    if (rows != nullptr) rows[i] += dy.data()[i];
  }
}

void RotaryPositions(Context& ctx, ConstHeads x, size_t first, Heads y, PairLayout layout, double base) {
  RotaryPositions(x, first, y, layout, base);
  Tape* tape = ctx.Recording();
  if (tape == nullptr || y.heads * y.rows == 0) return;
  const size_t size = (y.heads - 1) * y.head_stride + (y.rows - 1) * y.row_stride + y.dim;
  tape->Record({y.data, 1, static_cast<Eigen::Index>(size)}, [=] {
    const ConstHeads dy = {tape->Gradient(y.data), y.heads, y.rows, y.dim, y.head_stride, y.row_stride};
    const Heads dx = {tape->Gradient(x.data), x.heads, x.rows, x.dim, x.head_stride, x.row_stride};
    if (dx.data != nullptr) RotaryPositionsBackward(dy, first, dx, layout, base);
  });
}

void LearnedPositions(Context& ctx, ConstMatrixView x, ConstMatrixView table, size_t first, MatrixView y) {
  LearnedPositions(x, table, first, y);
  Tape* tape = ctx.Recording();
  if (tape == nullptr) return;
  tape->Record(View(y), [=] {
    const ConstMatrixView dy = {tape->Gradient(y.data()), y.rows(), y.cols()};
    // In place, the gradient of x is the one of y already.
    float* dx = x.data() != y.data() ? tape->Gradient(x.data()) : nullptr;
    LearnedPositionsBackward(dy, first, dx, tape->Gradient(table.data()));
  });
}

}  // namespace qkv
