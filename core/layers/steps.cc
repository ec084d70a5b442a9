#include "core/layers/steps.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "core/base/tape.h"
#include "core/kernels/columns.h"
#include "core/kernels/gemm.h"

namespace qkv {

StepOrder::StepOrder(const Segments& segments, bool reversed) : segments_(segments.size()), by_steps_(segments.rows()) {
  std::iota(segments_.begin(), segments_.end(), 0);
  // Insertion sort: a batch has some hundred segments, usually almost in this order.
  for (size_t i = 1; i < segments_.size(); ++i) {
    const int32_t moved = segments_[i];
    size_t at = i;
    for (; at > 0 && segments.length(segment(at - 1)) < segments.length(static_cast<size_t>(moved)); --at) {
      segments_[at] = segments_[at - 1];
    }
    segments_[at] = moved;
  }
  // For each step, the rows of the segments that are long enough, the longest segment first.
  size_t running = segments_.size();
  for (size_t step = 0;; ++step) {
    while (running > 0 && segments.length(segment(running - 1)) <= step) --running;
    if (running == 0) break;
    for (size_t rank = 0; rank < running; ++rank) {
      const size_t s = segment(rank), row = reversed ? segments.end(s) - 1 - step : segments.begin(s) + step;
      by_steps_[row] = static_cast<int32_t>(packed_.size());
      packed_.push_back(static_cast<int32_t>(row));
    }
    firsts_.push_back(packed_.size());
  }
}

std::vector<int32_t> StepOrder::Last() const {
  std::vector<int32_t> last(segments_.size());
  for (size_t step = 0; step < steps(); ++step) {
    for (size_t rank = 0; rank < count(step); ++rank) last[segment(rank)] = static_cast<int32_t>(first(step) + rank);
  }
  return last;
}

MatrixView NewRows(Context& ctx, size_t rows, size_t columns) {
  MatrixView y = ctx.New(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
  if (Tape* tape = ctx.Recording()) tape->Record(View(y), [] {});
  return y;
}

void CopyRows(Context& ctx, ConstMatrixView from, std::span<const int32_t> rows, MatrixView to, size_t first,
              size_t column) {
  const auto count = rows.empty() ? static_cast<size_t>(from.rows()) : rows.size();
  const auto width = static_cast<size_t>(from.cols()), stride = static_cast<size_t>(to.cols());
  const auto each = [rows_of = std::vector<int32_t>(rows.begin(), rows.end()), count, width, stride, first,
                     column](const auto& use) {
    for (size_t i = 0; i < count; ++i) {
      use((rows_of.empty() ? i : static_cast<size_t>(rows_of[i])) * width, (first + i) * stride + column);
    }
  };
  each([&](size_t at, size_t place) { std::copy_n(from.data() + at, width, to.data() + place); });
  Tape* tape = ctx.Recording();
  if (tape == nullptr) return;
  tape->Record(View(to), [tape, from, to, width, each] {
    float* d_from = tape->Gradient(from.data());
    if (d_from == nullptr) return;
    const float* d_to = tape->Gradient(to.data());
    each([&](size_t at, size_t place) {
      for (size_t i = 0; i < width; ++i) d_from[at + i] += d_to[place + i];
    });
  });
}

StepLinear::StepLinear(Context& ctx, const Linear& linear, MatrixView x, MatrixView y, Write write)
    : linear_(linear), x_(x.data(), x.rows(), x.cols()), y_(y.data(), y.rows(), y.cols()), add_(write == Write::kAdd) {
  Tape* tape = ctx.Recording();
  if (tape == nullptr || linear.weight.outputs() == 0) return;
  // This is recorded before the steps, so it runs after their backwards, when the gradient of y is complete.
  tape->Record(View(y), [ctx, &linear, x, y] {
    const PackedMatrix& w = linear.weight.floats();
    const float* bias = linear.bias.size() != 0 ? linear.bias.data() : nullptr;
    const ConstMatrixView g(ctx.tape->Gradient(y.data()), y.rows(), y.cols());
    if (float* to = bias != nullptr ? ctx.tape->Gradient(bias) : nullptr) AddColumnSums(g, to, ctx.arena, ctx.pool);
    if (float* to = ctx.tape->Gradient(w.data())) {
      AddWeightGradient(static_cast<size_t>(y.rows()), w.outputs(), w.inputs(), g.data(), x.data(), to, ctx.arena,
                        ctx.pool);
    }
  });
}

void StepLinear::Run(Context& ctx, size_t first, size_t count, Activation activation) const {
  assert(activation == Activation::kNone || (activation == Activation::kTanh && !add_));
  Context plain = ctx;  // the product is recorded by this function, not by the inner call
  plain.tape = nullptr;
  // The step's rows of x and y.
  const ConstMatrixView x = Part(View(x_), first, count);
  MatrixView y = Part(MatrixView(y_), first, count);
  if (add_) {
    const ArenaScope scope(ctx.arena);
    MatrixView product = Forward(plain, linear_, x);
    AddTo(product.data(), y.data(), static_cast<size_t>(y.size()), ctx.pool);
  } else {
    ForwardInto(plain, linear_, x, activation, y);
  }
  // The backward in x. That of the weights is one product over all steps, which the constructor records.
  if (ctx.Recording() == nullptr) return;
  ctx.tape->Record(View(y_), [ctx, &linear = linear_, x, y, activation] {
    const PackedMatrix& w = linear.weight.floats();
    float* g = ctx.tape->Gradient(y.data());
    if (activation == Activation::kTanh) {
      for (Eigen::Index i = 0; i < y.size(); ++i) g[i] *= 1 - y.data()[i] * y.data()[i];
    }
    float* to = ctx.tape->Gradient(x.data());
    if (to == nullptr) return;
    GemmPacked(static_cast<size_t>(y.rows()), {g, w.outputs()}, w, {to, w.inputs(), true}, ctx.arena, ctx.pool);
  });
}

}  // namespace qkv
