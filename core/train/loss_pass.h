// One pass over a batch with teacher forcing: the loss, and the gradients of all weights.
#pragma once

#include "core/base/context.h"
#include "core/train/trainable_model.h"

namespace qkv {

struct Loss {
  double smoothed = 0;  // summed over target pieces: cross-entropy with label smoothing, in nats
  double negative = 0;  // without smoothing: -log p of the pieces
  size_t pieces = 0;

  Loss& operator+=(const Loss& other);
};

// With a tape in the context, adds the gradients of `scale` times the smoothed sum to those of the parameters on the
// tape. Without a tape it computes only the loss. 0 <= smoothing < 1. Rewinds the context's arena.
Loss LossPass(Context& ctx, const TrainableModel& trainable, const Batch& batch, float smoothing, float scale);

}  // namespace qkv
