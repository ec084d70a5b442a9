// What training teaches: a model of any kind, asked for the pieces that a batch names.
#pragma once

#include "core/models/sequence_model.h"
#include "core/train/batch.h"

namespace qkv {

class Pupil {
 public:
  virtual ~Pupil() = default;

  // What the logits of batch.target_out are made of, [batch.target_out.size(), d].
  virtual MatrixView Teach(Context& ctx, const Batch& batch) const = 0;
  // rows [n, d] of those -> [n, outputs].
  virtual MatrixView Logits(Context& ctx, ConstMatrixView rows) const = 0;
};

// One that turns one sequence into another, by teacher forcing.
class SequencePupil : public Pupil {
 public:
  explicit SequencePupil(const SequenceModel& model) : model_(model) {}

  MatrixView Teach(Context& ctx, const Batch& batch) const override {
    return model_.Teach(ctx, batch.source, batch.source_segments, batch.target_in, batch.target_segments);
  }
  MatrixView Logits(Context& ctx, ConstMatrixView rows) const override { return model_.Logits(ctx, rows); }

 private:
  const SequenceModel& model_;
};

}  // namespace qkv
