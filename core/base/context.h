// What a forward runs in. Every layer is one function `out = op(ctx, in...)`: the same code infers, traces and trains.
#pragma once

#include "core/base/arena.h"
#include "core/base/matrix.h"
#include "core/base/threads.h"
#include "core/base/trainable.h"

namespace qkv {

class AttentionTrace;  // core/attention/trace.h: keeps scores and weights as they are computed
class Interventions;   // changes made on the way: a head silenced, a row replaced
class Random;          // core/base/random.h: dropout and sampling; without one dropout is the identity
class Tape;            // core/base/tape.h: what the backward needs, recorded by the forward

struct Context {
  Arena& arena;
  ThreadPool& pool;
  AttentionTrace* trace = nullptr;
  Tape* tape = nullptr;
  Random* random = nullptr;
  const Interventions* interventions = nullptr;

  // The tape, if there is one and this build can learn.
  Tape* Recording() const { return kTrainable ? tape : nullptr; }

  // Rows from the arena, not initialised.
  MatrixView New(Eigen::Index rows, Eigen::Index cols) const {
    return {arena.Floats(static_cast<size_t>(rows * cols)), rows, cols};
  }
};

}  // namespace qkv
