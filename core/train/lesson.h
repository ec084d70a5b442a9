// One batch taught: the loss, and what every weight has to do with it.
#pragma once

#include "core/base/context.h"
#include "core/train/pupil.h"

namespace qkv {

struct Loss {
  double smoothed = 0;  // summed over target pieces: cross-entropy with label smoothing, in nats
  double negative = 0;  // without: -log p of the pieces
  size_t pieces = 0;

  Loss& operator+=(const Loss& other);
};

// The context's tape, if it has one, is run: gradients of `scale` times the smoothed sum are added to those that it
// watches. Without a tape only the loss is computed. 0 <= smoothing < 1. What the context's arena gave is free again
// afterwards.
Loss Teach(Context& ctx, const Pupil& pupil, const Batch& batch, float smoothing, float scale);

}  // namespace qkv
