// Recurrent layers: LSTM (Hochreiter and Schmidhuber 1997) and GRU (Cho et al. 2014), with the weights, the names and
// the numbers of PyTorch's nn.LSTM and nn.GRU. What reads the input is one product for the whole sequence; what reads
// the last state is one a step for all segments that still run.
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

// Those rows of a state, in matrices of their own.
inline CellRows Gathered(Context& ctx, const CellRows& state, std::span<const int32_t> rows) {
  return {View(GatherRows(ctx, state.hidden, rows)),
          state.cell.size() != 0 ? View(GatherRows(ctx, state.cell, rows)) : state.cell};
}

// A cell over the steps of some sequences, or over one step alone, which decoding takes.
class CellSteps {
 public:
  // input [rows, gates * n], W_ih x + b_ih: a part of it is read at its step, not before.
  CellSteps(Context& ctx, const RecurrentCell& cell, MatrixView input);

  // Rows [first, first + previous's rows) from the state before.
  void Run(Context& ctx, size_t first, const CellRows& previous);

  // [rows, n], as far as it has run.
  CellRows state() const { return {View(hidden_), View(cell_)}; }
  MatrixView hidden() const { return hidden_; }

 private:
  const RecurrentCell& cell_of_;
  MatrixView input_, hidden_, cell_, previous_, recurrent_, kept_;
  StepLinear product_;
};

// One direction, or two; with two their states stand side by side.
struct RecurrentLayer {
  RecurrentCell forward, backward;
  bool bidirectional = false;
  bool reversed = false;  // one direction, from the last row to the first

  size_t outputs() const { return forward.size() * (bidirectional ? 2 : 1); }
};

struct RecurrentOutput {
  MatrixView rows;  // [rows, outputs]: the state at every row
  CellRows last;    // [segments, outputs]: at each segment's end; at its beginning where that is read last
};

// x [rows, inputs], segments packed, each from a state of zeros.
RecurrentOutput Forward(Context& ctx, const RecurrentLayer& layer, ConstMatrixView x, const Segments& segments);

}  // namespace qkv
