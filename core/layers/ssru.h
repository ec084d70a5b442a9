// The simpler simple recurrent unit (Kim et al. 2019, "From Research to Production and Back: Ludicrously Fast Neural
// Machine Translation"): a decoder uses it instead of self-attention. Its state is one row, for any length:
//   f_t = sigmoid(x_t W_f' + b_f),  c_t = f_t c_{t-1} + (1 - f_t) x_t W',  y_t = ReLU(c_t)
#pragma once

#include <span>

#include "core/attention/trace.h"
#include "core/layers/linear.h"

namespace qkv {

struct Ssru {
  Linear candidate, forget;  // W, which has no bias; W_f and b_f
};

// Rows [first_row, first_row + rows) of one sequence.
struct SsruPart {
  size_t first_row = 0, rows = 0;
  float* cell = nullptr;  // c before the first row, [d]; becomes c after the last row; null: zeros, not stored
};

// x [rows, d] -> [rows, d]. Every row belongs to one part. With a trace in the context there is one part, and `place`
// gets the share of row j in cell t: the mean over units of (1 - f_j) f_{j+1} ... f_t, in row t and column j. The trace
// also gets the gates f, if it was reserved for them. With a tape in the context every part begins at zeros.
MatrixView Forward(Context& ctx, const Ssru& layer, const Operand& x, std::span<const SsruPart> parts,
                   AttentionPlace place);

}  // namespace qkv
