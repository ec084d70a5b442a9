// Encodings of positions. Attention by itself does not depend on the order of rows.
#pragma once

#include <cstddef>

#include "core/attention/heads.h"
#include "core/base/context.h"
#include "core/base/matrix.h"

namespace qkv {

// The columns of the sine and the cosine of one frequency in a row of d columns.
enum class PairLayout {
  kHalves,       // columns j and ceil(d / 2) + j: MarianMT's sinusoids, GPT-NeoX's rotary positions
  kInterleaved,  // columns 2 j and 2 j + 1: as in both papers
};

// The frequencies of d / 2 pairs, from 1 on.
enum class Frequencies {
  kPaper,   // 10000^(-2j/d)
  kMarian,  // 10000^(-j/(d/2 - 1)): the last one is exactly 1 / 10000. d is at least 4
  kNone,    // no positions: zeros
};

// Sinusoidal positions (Vaswani et al. 2017, section 3.5), [positions, d] of first, first + 1, ...: the sine and the
// cosine of p times each frequency. Computed in double, rounded once. If d is odd, there is one more sine than cosines.
Matrix SinusoidalPositions(size_t positions, size_t d, PairLayout layout = PairLayout::kHalves, size_t first = 0,
                           Frequencies frequencies = Frequencies::kPaper);

// R(delta) [d, d], d even: the sinusoid of position p + delta is R(delta) times that of p, whatever p is (the paper's
// reason for choosing it). R turns each frequency's pair by delta / 10000^(2j/d).
Matrix SinusoidRotation(double delta, size_t d, PairLayout layout = PairLayout::kHalves);

// Rotary positions (Su et al. 2021): each pair of x in row i is rotated by (first + i) / base^(2j/d), so the product of
// two rows depends on their distance. x and y [heads, rows, d], d even; y may be x.
void RotaryPositions(ConstHeads x, size_t first, Heads y, PairLayout layout = PairLayout::kHalves, double base = 10000);

// Learned positions (Gehring et al. 2017): y = x + rows first, first + 1, ... of the table. x, y [rows, d], table
// [positions, d] with first + rows <= positions; y may be x.
void LearnedPositions(ConstMatrixView x, ConstMatrixView table, size_t first, MatrixView y);

// The backward functions. dx += R' dy, or dx = R' dy if dx and dy are the same memory; dx += dy and the table's rows +=
// dy, of which either may have no data.
void RotaryPositionsBackward(ConstHeads dy, size_t first, Heads dx, PairLayout layout = PairLayout::kHalves,
                             double base = 10000);
void LearnedPositionsBackward(ConstMatrixView dy, size_t first, float* dx, float* table_gradient);

// The same as layers, which record themselves on the context's tape. y may be x if x is not a parameter.
void RotaryPositions(Context& ctx, ConstHeads x, size_t first, Heads y, PairLayout layout = PairLayout::kHalves,
                     double base = 10000);
void LearnedPositions(Context& ctx, ConstMatrixView x, ConstMatrixView table, size_t first, MatrixView y);

}  // namespace qkv
