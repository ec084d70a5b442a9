// Work comes in steps: WebAssembly cannot hear a message while it computes, so whoever runs a job decides after each
// step whether to go on. Between steps a job keeps nothing in the arena.
#pragma once

#include "core/base/context.h"

namespace qkv {

class Job {
 public:
  virtual ~Job() = default;

  // A little further: one layer or one decoding step. True when done. Rewinds the arena.
  bool Step(Context& ctx) {
    const ArenaScope scope(ctx.arena);
    return Advance(ctx);
  }

 private:
  virtual bool Advance(Context& ctx) = 0;
};

}  // namespace qkv
