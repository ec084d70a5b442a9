// Attention of a decoder that goes step by step (Bahdanau et al. 2014; Luong et al. 2015): one query a sequence and
// step, over a memory that stays. The part of a score that needs only the memory is computed once for all steps.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/attention/attend.h"
#include "core/layers/linear.h"
#include "core/layers/step_score.h"
#include "core/layers/steps.h"
#include "core/layers/weight_slots.h"

namespace qkv {

// w_v' tanh(q + k): the additive score of queries and keys that have been mapped already. Its parameter is w_v [1, n].
extern const Score kMappedAdditive;

struct StepAttention {
  StepScore score = StepScore::kDot;
  bool hard = false;  // one key is read: in training a key that is drawn, else that of the largest score
  WindowKind window = WindowKind::kGlobal;
  double half_width = 0;
  Linear query;                        // additive: W_a [n, n]
  Linear memory;                       // general: W_a [n, m]; additive: U_a [n, m]
  Vector v;                            // additive: v_a [n]
  Weight location{Int8Layout::kRows};  // location: W_a [positions, n]
  Linear place;                        // local-p: W_p [n, n], in p = S sigmoid(v_p' tanh(W_p h))
  Vector v_place;                      // local-p: v_p [n]
};

// The slots of the weights of the score and the window, for queries of n columns and a memory of m columns.
void StepAttentionSlots(WeightSlots& slots, const std::string& name, StepAttention& layer, size_t n, size_t m,
                        size_t positions);

// The keys [rows, n] of a memory [rows, m], computed once for all steps.
ConstMatrixView MemoryKeys(Context& ctx, const StepAttention& layer, ConstMatrixView memory, const Segments& segments);

struct StepMemory {
  ConstMatrixView keys, values;
  const Segments& segments;
};

// The attention of all steps of some sequences.
class AttentionSteps {
 public:
  // `rows` queries in all. The memory outlives it.
  AttentionSteps(Context& ctx, const StepAttention& layer, const StepMemory& memory, size_t rows);

  // Queries [count, n] of step `step`, as rows [first, first + count). Query r attends to segment segment[r] of the
  // memory, or to segment r if `segment` is empty, as in training. With a trace in the context there is one query.
  void Run(Context& ctx, size_t first, ConstMatrixView queries, std::span<const int32_t> segment, size_t step);

  // The target row of the batch that each row is for: where hard attention finds the reward of what it draws. It
  // outlives the forward.
  void set_target_rows(std::span<const int32_t> rows) { target_rows_ = rows; }

  // [rows, m]; only rows of computed steps are set.
  MatrixView context() const { return MatrixView(context_); }

 private:
  void Place(Context& ctx, size_t first, size_t count, std::span<const int32_t> segment);
  void RecordStep(Context& ctx, size_t first, size_t count, const Attention& attention);
  void RecordDraws(Context& ctx, size_t first, const Attention& attention, std::span<const uint64_t> seeds);
  Attention Choices(size_t row, size_t step) const;
  AttentionInputs Inputs(size_t row, size_t count, size_t first_key, size_t keys) const;

  const StepAttention& layer_;
  StepMemory memory_;
  MatrixView queries_, mapped_, tanh_, centres_, context_;
  Parameter v_;
  StepLinear map_, place_;
  std::span<const int32_t> target_rows_;
};

}  // namespace qkv
