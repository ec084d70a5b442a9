// The decoder of a recurrent model over some steps: all steps in training, one in decoding.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/layers/recurrent.h"
#include "core/layers/step_attention.h"
#include "core/layers/steps.h"
#include "core/models/rnn_config.h"

namespace qkv {

// The decoder's weights, except its embeddings, its first states and its output.
struct RnnDecoder {
  std::vector<RecurrentCell> layers;
  Linear feed;  // C [gates * d, fed]: of the context, or of h~, into the first layer
  StepAttention attention;
  Linear join;  // W_c [d, m + d], or W_o [d, d + m + e]
};

class RnnSteps {
 public:
  // The states before a step: those of the layers, and h~ with input feeding.
  struct Before {
    std::vector<CellRows> layers;
    ConstMatrixView attended{nullptr, 0, 0};
  };

  // x [rows, e]: the embedded pieces; they are not changed. Without attention there is no memory. `config` and
  // `decoder` must outlive this.
  RnnSteps(Context& ctx, const RnnConfig& config, const RnnDecoder& decoder, MatrixView x,
           const std::optional<StepMemory>& memory);

  // Without attention every step reads the encoder's last state: `rows` [rows, fed] of it, for the rows from `first`
  // on.
  void Feed(Context& ctx, size_t first, ConstMatrixView rows);

  // Runs one step, rows [first, first + count). `segment` as in AttentionSteps::Run.
  void Run(Context& ctx, size_t first, size_t count, const Before& before, std::span<const int32_t> segment,
           size_t step);
  // Runs all steps of an order from `start`. Parts that do not depend on the step before are computed for all steps at
  // once.
  void RunAll(Context& ctx, const StepOrder& order, const Before& start);

  // The state of layer l after the steps, rows [first, first + count).
  CellRows layer(size_t l, size_t first, size_t count) const { return Part(layers_[l].cell->state(), first, count); }
  // The rows from which the logits are computed, [rows, d].
  ConstMatrixView output() const { return output_ ? View(*output_) : View(layers_.back().cell->hidden()); }

 private:
  struct Layer {
    std::optional<MatrixView> input;  // null for the first layer
    std::optional<StepLinear> linear;
    std::optional<CellSteps> cell;
  };

  // Whether a step's input does not depend on the step before, except through the layers' states.
  bool at_once() const { return !config_.attends_before() && !config_.input_feeding; }

  // Computes the input of layer l, rows [first, first + count).
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
