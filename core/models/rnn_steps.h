// The decoder of a recurrent model over some steps: all of them in learning, one in decoding.
#pragma once

#include <optional>
#include <vector>

#include "core/models/rnn_seq2seq.h"

namespace qkv {

class RnnSeq2Seq::Steps {
 public:
  // What a step begins with: the layers' states, and h~ where it is fed.
  struct Before {
    std::vector<CellRows> layers;
    ConstMatrixView attended{nullptr, 0, 0};
  };

  // x [rows, e]: the embedded pieces, which are not written. No memory where nothing attends.
  Steps(Context& ctx, const RnnSeq2Seq& model, MatrixView x, const std::optional<StepMemory>& memory);

  // Where nothing attends every step reads the encoder's last state: `rows` [rows, fed] of it, for the rows from
  // `first` on.
  void Feed(Context& ctx, size_t first, ConstMatrixView rows);

  // One step, rows [first, first + count). `segment` as in AttentionSteps::Run.
  void Run(Context& ctx, size_t first, size_t count, const Before& before, std::span<const int32_t> segment,
           size_t step);
  // All steps of an order, from `start`: at once as far as no step waits for the one before.
  void RunAll(Context& ctx, const StepOrder& order, const Before& start);

  // What the steps leave at [first, first + count).
  CellRows layer(size_t l, size_t first, size_t count) const { return Part(layers_[l].cell->state(), first, count); }
  // What the output is made of, [rows, d].
  ConstMatrixView output() const { return output_ ? View(*output_) : View(layers_.back().cell->hidden()); }

 private:
  struct Layer {
    std::optional<MatrixView> input;  // of all but the first
    std::optional<StepLinear> linear;
    std::optional<CellSteps> cell;
  };

  // A step's input waits for nothing that the step before gave, but through the layers' own states.
  bool at_once() const { return !config_.attends_before() && !config_.input_feeding; }

  // All of layer l's input, rows [first, first + count).
  void ReadLayer(Context& ctx, size_t l, size_t first, size_t count);
  void AttendAfter(Context& ctx, size_t first, size_t count, std::span<const int32_t> segment, size_t step);
  void Join(Context& ctx, size_t first, size_t count);
  // The state of layer l before a step.
  CellRows Previous(const StepOrder& order, const Before& start, size_t step, size_t l) const;

  const RnnConfig& config_;
  size_t rows_;
  MatrixView x_;
  std::optional<MatrixView> first_, fed_, joined_, output_;
  std::optional<AttentionSteps> attention_;
  std::optional<StepLinear> feed_, join_;
  std::vector<Layer> layers_;
};

}  // namespace qkv
