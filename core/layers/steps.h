// Sequences that are computed step by step.
//
// A step's rows are a part of a larger matrix that holds all steps, one after the other. So work for a whole sequence
// is one operation on the whole matrix, and the gradient of a weight is one product for any number of steps. NewRows
// makes a matrix that is written in parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/attention/segments.h"
#include "core/base/context.h"
#include "core/layers/linear.h"

namespace qkv {

// The order of a batch's rows by steps. The longest segment is first, so the segments that are not finished at a step
// are always the first ones.
class StepOrder {
 public:
  // `reversed`: from each segment's last row to its first.
  explicit StepOrder(const Segments& segments, bool reversed = false);

  size_t steps() const { return firsts_.size() - 1; }
  size_t rows() const { return firsts_.back(); }
  // Step t is rows [first(t), first(t) + count(t)), and row first(t) + r is of segment segment(r).
  size_t first(size_t step) const { return firsts_[step]; }
  size_t count(size_t step) const { return firsts_[step + 1] - firsts_[step]; }
  size_t segment(size_t rank) const { return static_cast<size_t>(segments_[rank]); }
  const std::vector<int32_t>& segments() const { return segments_; }

  // Row i by steps is row packed()[i] of the packed segments; packed row j is row by_steps()[j].
  const std::vector<int32_t>& packed() const { return packed_; }
  const std::vector<int32_t>& by_steps() const { return by_steps_; }
  // The last row of each segment by steps, in the segments' own order.
  std::vector<int32_t> Last() const;

 private:
  std::vector<size_t> firsts_ = {0};
  std::vector<int32_t> segments_, packed_, by_steps_;
};

// A matrix in the context's arena whose parts are written, and recorded, one after the other.
MatrixView NewRows(Context& ctx, size_t rows, size_t columns);

// Rows of `from`, or those that `rows` names, into rows [first, ...) and columns [column, ...) of `to`, which NewRows
// made.
void CopyRows(Context& ctx, ConstMatrixView from, std::span<const int32_t> rows, MatrixView to, size_t first = 0,
              size_t column = 0);

// Copies the given rows of x to a new matrix.
inline MatrixView GatherRows(Context& ctx, ConstMatrixView x, std::span<const int32_t> rows) {
  MatrixView y = NewRows(ctx, rows.size(), static_cast<size_t>(x.cols()));
  CopyRows(ctx, x, rows, y);
  return y;
}

inline ConstMatrixView Part(ConstMatrixView x, size_t first, size_t count) {
  return {x.data() + static_cast<Eigen::Index>(first) * x.cols(), static_cast<Eigen::Index>(count), x.cols()};
}
inline MatrixView Part(MatrixView x, size_t first, size_t count) {
  return {x.data() + static_cast<Eigen::Index>(first) * x.cols(), static_cast<Eigen::Index>(count), x.cols()};
}

// y = act(x W' + b), or y += x W' + b, some rows at a time. x and y are made by NewRows and outlive it.
class StepLinear {
 public:
  enum class Write { kSet, kAdd };
  StepLinear(Context& ctx, const Linear& linear, MatrixView x, MatrixView y, Write write = Write::kSet);

  // Rows [first, first + count), once each. An activation is only allowed with kSet, and is none or tanh.
  void Run(Context& ctx, size_t first, size_t count, Activation activation = Activation::kNone) const;

 private:
  const Linear& linear_;
  MatrixView x_, y_;
  bool add_;
};

}  // namespace qkv
