#include "core/layers/recurrent.h"

#include <algorithm>

#include "core/base/tape.h"

namespace qkv {

void CellSlots(WeightSlots& slots, const std::string& prefix, const std::string& suffix, RecurrentCell& cell, size_t n,
               size_t inputs) {
  const size_t gates = GatesOf(cell.kind) * n;
  slots.Add(prefix + ".weight_ih_" + suffix, cell.input.weight, gates, inputs);
  slots.Add(prefix + ".weight_hh_" + suffix, cell.recurrent.weight, gates, n);
  slots.Add(prefix + ".bias_ih_" + suffix, cell.input.bias, gates,
            cell.kind == CellKind::kLstm ? Start::kForgetting : Start::kZeros);
  slots.Add(prefix + ".bias_hh_" + suffix, cell.recurrent.bias, gates);
}

CellSteps::CellSteps(Context& ctx, const RecurrentCell& cell, MatrixView input)
    : cell_of_(cell),
      input_(input.data(), input.rows(), input.cols()),
      hidden_(NewRows(ctx, static_cast<size_t>(input.rows()), cell.size())),
      cell_(NewRows(ctx, cell.kind == CellKind::kLstm ? static_cast<size_t>(input.rows()) : 0, cell.size())),
      previous_(NewRows(ctx, static_cast<size_t>(input.rows()), cell.size())),
      recurrent_(NewRows(ctx, static_cast<size_t>(input.rows()), static_cast<size_t>(input.cols()))),
      saved_(ctx.New(input.rows(), static_cast<Eigen::Index>(SavedOf(cell.kind) * cell.size()))),
      product_(ctx, cell.recurrent, MatrixView(previous_), MatrixView(recurrent_)) {}

void CellSteps::Run(Context& ctx, size_t first, const CellRows& previous) {
  const auto rows = static_cast<size_t>(previous.hidden.rows());
  const bool lstm = cell_of_.kind == CellKind::kLstm;
  // The product with the previous state, then the gates, which read the input's product.
  CopyRows(ctx, previous.hidden, {}, MatrixView(previous_), first);
  product_.Run(ctx, first, rows);
  Gates gates;
  gates.kind = cell_of_.kind;
  gates.rows = rows;
  gates.n = cell_of_.size();
  gates.input = input_.row(static_cast<Eigen::Index>(first)).data();
  gates.recurrent = Part(MatrixView(recurrent_), first, rows).data();
  gates.previous = lstm ? previous.cell.data() : Part(MatrixView(previous_), first, rows).data();
  gates.saved = Part(MatrixView(saved_), first, rows).data();
  gates.hidden = Part(MatrixView(hidden_), first, rows).data();
  if (lstm) gates.cell = Part(MatrixView(cell_), first, rows).data();
  ComputeGates(gates, ctx.pool);
  // The backward of the gates; the product records itself.
  if (ctx.Recording() == nullptr) return;
  ctx.tape->Record(View(hidden_), [ctx, gates, lstm] {
    Tape& tape = *ctx.tape;
    GateGradients to;
    to.hidden = tape.Gradient(gates.hidden);
    if (lstm) to.cell = tape.Gradient(gates.cell);
    to.input = tape.Gradient(gates.input);
    to.recurrent = tape.Gradient(gates.recurrent);
    to.previous = tape.Gradient(gates.previous);
    GatesBackward(gates, to, ctx.pool);
  });
}

namespace {

// One direction. It writes its states to the columns of `to` from `column` on, and the last states to those of `last`.
struct Columns {
  MatrixView rows, hidden, cell;
  size_t column;
};
void RunDirection(Context& ctx, const RecurrentCell& cell, const Operand& x, const StepOrder& order,
                  const std::vector<int32_t>& ends, const Columns& to) {
  // W x + b of all rows, in the order in which steps read them: a step's rows lie together.
  MatrixView products = Forward(ctx, cell.input, x);
  CellSteps steps(ctx, cell, GatherRows(ctx, View(products), order.packed()));
  const size_t lstm = cell.kind == CellKind::kLstm ? 1 : 0;
  // The states before the first step are 0.
  MatrixView zeros = ctx.New(order.steps() != 0 ? static_cast<Eigen::Index>(order.count(0)) : 0,
                             static_cast<Eigen::Index>(cell.size()));
  zeros.setZero();
  CellRows none;
  Rebind(none.hidden, View(zeros));
  if (lstm != 0) Rebind(none.cell, View(zeros));
  for (size_t step = 0; step < order.steps(); ++step) {
    steps.Run(ctx, order.first(step),
              Part(step == 0 ? none : steps.state(), step == 0 ? 0 : order.first(step - 1), order.count(step)));
  }
  // Back to the order of the sentences, beside the columns of the other direction. Then the states after the last row
  // of each sentence.
  CopyRows(ctx, steps.state().hidden, order.by_steps(), to.rows, 0, to.column);
  CopyRows(ctx, steps.state().hidden, ends, to.hidden, 0, to.column);
  if (lstm != 0) CopyRows(ctx, steps.state().cell, ends, to.cell, 0, to.column);
}

}  // namespace

RecurrentOutput Forward(Context& ctx, const RecurrentLayer& layer, ConstMatrixView x, const Segments& segments) {
  const bool lstm = layer.forward.kind == CellKind::kLstm;
  // Forward and backward states lie side by side.
  MatrixView rows = NewRows(ctx, segments.rows(), layer.outputs());
  MatrixView hidden = NewRows(ctx, segments.size(), layer.outputs());
  MatrixView cell = NewRows(ctx, lstm ? segments.size() : 0, layer.outputs());
  const Operand in(x);
  for (const bool second : {false, true}) {
    if (second && !layer.bidirectional) break;
    const StepOrder order(segments, second || layer.reversed);
    RunDirection(ctx, second ? layer.backward : layer.forward, in, order, order.Last(),
                 {rows, hidden, cell, second ? layer.forward.size() : 0});
  }
  return {rows, {View(hidden), View(cell)}};
}

}  // namespace qkv
