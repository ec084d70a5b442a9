// The interface of a model of any kind for training.
#pragma once

#include "core/models/sequence_model.h"
#include "core/train/batch.h"

namespace qkv {

class TrainableModel {
 public:
  virtual ~TrainableModel() = default;

  // Forward with teacher forcing: the rows before the logits of batch.target_out, [batch.target_out.size(), d].
  virtual MatrixView Forward(Context& ctx, const Batch& batch) const = 0;
  // Some of those rows [n, d] -> logits [n, outputs].
  virtual MatrixView Logits(Context& ctx, ConstMatrixView rows) const = 0;
};

// A sequence-to-sequence model.
class TrainableSequenceModel : public TrainableModel {
 public:
  explicit TrainableSequenceModel(const SequenceModel& model) : model_(model) {}

  MatrixView Forward(Context& ctx, const Batch& batch) const override {
    return model_.ForwardForTraining(ctx, batch.source, batch.source_segments, batch.target_in, batch.target_segments);
  }
  MatrixView Logits(Context& ctx, ConstMatrixView rows) const override { return model_.Logits(ctx, rows); }

 private:
  const SequenceModel& model_;
};

}  // namespace qkv
