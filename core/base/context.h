// The context of a forward pass. Every layer is one function `out = op(ctx, in...)`; the same code serves inference,
// tracing and training.
#pragma once

#include "core/base/arena.h"
#include "core/base/matrix.h"
#include "core/base/threads.h"
#include "core/base/trainable.h"

namespace qkv {

class AttentionTrace;  // core/attention/trace.h: stores attention weights as they are computed
class Interventions;   // changes to a forward pass, such as a head switched off
class Random;          // core/base/random.h: dropout and sampling; without one dropout is the identity
class Tape;            // core/base/tape.h: the operations of the forward, recorded for the backward

struct Context {
  Arena& arena;
  ThreadPool& pool;
  AttentionTrace* trace = nullptr;
  Tape* tape = nullptr;
  Random* random = nullptr;
  const Interventions* interventions = nullptr;

  // The tape; null without one, and in builds without training.
  Tape* Recording() const { return kTrainable ? tape : nullptr; }

  // Rows from the arena, not initialised.
  MatrixView New(Eigen::Index rows, Eigen::Index cols) const {
    return {arena.Floats(static_cast<size_t>(rows * cols)), rows, cols};
  }
};

}  // namespace qkv
