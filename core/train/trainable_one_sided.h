// Encoders alone and decoders alone, for training.
#pragma once

#include <vector>

#include "core/models/encoder.h"
#include "core/models/gpt2.h"
#include "core/train/trainable_model.h"

namespace qkv {

// Learns the labels of rows. All texts are of BERT's first segment.
class TrainableEncoder : public TrainableModel {
 public:
  explicit TrainableEncoder(const Encoder& encoder) : encoder_(encoder) {}

  MatrixView Forward(Context& ctx, const Batch& batch) const override {
    const std::vector<int32_t> types(batch.source.size(), 0);
    return encoder_.ForwardForTraining(ctx, batch.source, types, batch.source_segments, batch.labelled);
  }
  MatrixView Logits(Context& ctx, ConstMatrixView rows) const override { return encoder_.Logits(ctx, rows); }

 private:
  const Encoder& encoder_;
};

// Learns every next piece.
class TrainableGenerator : public TrainableModel {
 public:
  explicit TrainableGenerator(const Gpt2& decoder) : decoder_(decoder) {}

  MatrixView Forward(Context& ctx, const Batch& batch) const override {
    return decoder_.ForwardForTraining(ctx, batch.target_in, batch.target_segments);
  }
  MatrixView Logits(Context& ctx, ConstMatrixView rows) const override { return decoder_.Logits(ctx, rows); }

 private:
  const Gpt2& decoder_;
};

}  // namespace qkv
