// Recurrent layers: LSTM (Hochreiter and Schmidhuber 1997) and GRU (Cho et al. 2014), with the weights, the names and
// the numbers of PyTorch's nn.LSTM and nn.GRU. The input takes one product for the whole sequence; the last state takes
// one product at each step for all segments that are not finished.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/attention/segments.h"
#include "core/base/context.h"
#include "core/kernels/gates.h"
#include "core/layers/linear.h"
#include "core/layers/steps.h"
#include "core/layers/weight_slots.h"

namespace qkv {

struct RecurrentCell {
  CellKind kind = CellKind::kLstm;
  Linear input;      // weight_ih [gates * n, inputs], bias_ih
  Linear recurrent;  // weight_hh [gates * n, n], bias_hh

  size_t size() const { return recurrent.weight.inputs(); }
};

// `suffix`: "l0", "l1_reverse".
void CellSlots(WeightSlots& slots, const std::string& prefix, const std::string& suffix, RecurrentCell& cell, size_t n,
               size_t inputs);

// A state of some sequences, [rows, n]. A GRU has no cell: its view is empty.
struct CellRows {
  ConstMatrixView hidden{nullptr, 0, 0};
  ConstMatrixView cell{nullptr, 0, 0};
};
inline CellRows Part(const CellRows& state, size_t first, size_t count) {
  return {Part(state.hidden, first, count), state.cell.size() != 0 ? Part(state.cell, first, count) : state.cell};
}

// Copies the given rows of a state to new matrices.
inline CellRows Gathered(Context& ctx, const CellRows& state, std::span<const int32_t> rows) {
  return {View(GatherRows(ctx, state.hidden, rows)),
          state.cell.size() != 0 ? View(GatherRows(ctx, state.cell, rows)) : state.cell};
}

// A cell over the steps of some sequences, or over one step, as in decoding.
class CellSteps {
 public:
  // input [rows, gates * n] is W_ih x + b_ih. A step reads only its own rows.
  CellSteps(Context& ctx, const RecurrentCell& cell, MatrixView input);

  // Computes rows [first, first + rows of previous) from the previous state.
  void Run(Context& ctx, size_t first, const CellRows& previous);

  // [rows, n]; only rows of computed steps are set.
  CellRows state() const { return {View(hidden_), View(cell_)}; }
  MatrixView hidden() const { return hidden_; }

 private:
  const RecurrentCell& cell_of_;
  MatrixView input_, hidden_, cell_, previous_, recurrent_, saved_;
  StepLinear product_;
};

// One direction or two; the states of two are side by side.
struct RecurrentLayer {
  RecurrentCell forward, backward;
  bool bidirectional = false;
  bool reversed = false;  // one direction, from the last row to the first

  size_t outputs() const { return forward.size() * (bidirectional ? 2 : 1); }
};

struct RecurrentOutput {
  MatrixView rows;  // [rows, outputs]: the state at every row
  // [segments, outputs]: the state at each segment's end, or at its beginning for the reverse direction
  CellRows last;
};

// x [rows, inputs] has packed segments; each starts from a state of zeros.
RecurrentOutput Forward(Context& ctx, const RecurrentLayer& layer, ConstMatrixView x, const Segments& segments);

}  // namespace qkv
