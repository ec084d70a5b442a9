#include "core/layers/ssru.h"

#include <algorithm>
#include <vector>

#include "core/base/tape.h"
#include "core/kernels/gates.h"

namespace qkv {
namespace {

SsruRows RowsOf(const SsruPart& part, ConstMatrixView candidates, MatrixView gates, MatrixView cells, MatrixView y) {
  const size_t n = static_cast<size_t>(y.cols()), at = part.first_row * n;
  return {part.rows, n, candidates.data() + at, gates.data() + at, part.cell, cells.data() + at, y.data() + at};
}

// weights [rows, rows], zeros at first. `left` [n] is the remaining share of row j in each unit.
void RecordShares(const SsruRows& s, float* weights) {
  std::vector<float> left(s.n);
  for (size_t j = 0; j < s.rows; ++j) {
    for (size_t t = j; t < s.rows; ++t) {
      float sum = 0;
      for (size_t u = 0; u < s.n; ++u) {
        const float f = s.gates[t * s.n + u];
        left[u] = t == j ? 1 - f : left[u] * f;
        sum += left[u];
      }
      weights[t * s.rows + j] = sum / static_cast<float>(s.n);
    }
  }
}

}  // namespace

MatrixView Forward(Context& ctx, const Ssru& layer, const Operand& x, std::span<const SsruPart> parts,
                   AttentionPlace place) {
  // c_t = f_t c_(t-1) + (1 - f_t) W x_t, y_t = max(c_t, 0), with f_t = sigmoid(W_f x_t + b_f) (Kim et al. 2019).
  MatrixView candidates = Forward(ctx, layer.candidate, x), gates = Forward(ctx, layer.forget, x);
  MatrixView cells = ctx.New(gates.rows(), gates.cols()), y = ctx.New(gates.rows(), gates.cols());
  for (const SsruPart& part : parts) {
    const SsruRows rows = RowsOf(part, View(candidates), gates, cells, y);
    RunSsru(rows);
    // The last cell is the state of the hypothesis.
    if (part.cell != nullptr) std::copy_n(rows.cells + (rows.rows - 1) * rows.n, rows.n, part.cell);
    float* const weights = ctx.trace != nullptr ? ctx.trace->Weights(place) : nullptr;
    if (weights != nullptr) RecordShares(rows, weights);
    float* const kept = ctx.trace != nullptr ? ctx.trace->Weights({AttentionKind::kGates, place.layer}) : nullptr;
    if (kept != nullptr) std::copy_n(rows.gates, rows.rows * rows.n, kept);
  }
  // The backward runs through each part from its last row to its first; the products record themselves.
  if (ctx.Recording() == nullptr) return y;
  ctx.tape->Record(View(y), [ctx, candidates, gates, cells, y, all = std::vector(parts.begin(), parts.end())] {
    const float* const dy = ctx.tape->Gradient(y.data());
    float *dw = ctx.tape->Gradient(candidates.data()), *da = ctx.tape->Gradient(gates.data());
    ctx.pool.For(all.size(), 1, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) {
        const SsruRows rows = RowsOf(all[i], View(candidates), gates, cells, y);
        const size_t at = all[i].first_row * rows.n;
        SsruBackward(rows, dy + at, dw + at, da + at);
      }
    });
  });
  return y;
}

}  // namespace qkv
