// Work comes in steps: WebAssembly cannot hear a message while it computes, so whoever runs a job decides after each
// step whether to go on. Between steps a job keeps nothing in the arena.
#pragma once

#include <utility>

#include "core/base/context.h"
#include "core/base/error.h"

namespace qkv {

class Job {
 public:
  virtual ~Job() = default;

  // A little further: one layer or one decoding step. True when done, or when it cannot go on. Rewinds the arena.
  bool Step(Context& ctx) {
    if (!outcome_) return true;
    const ArenaScope scope(ctx.arena);
    return Advance(ctx) || !outcome_;
  }

  // Once Step has returned true: why there is no result. Only kLimitExceeded: a trace, or the
  // guesses for many masks, that the memory has no room for.
  const Result<void>& outcome() const { return outcome_; }

 protected:
  void Fail(Error error) { outcome_ = std::move(error); }

 private:
  virtual bool Advance(Context& ctx) = 0;

  Result<void> outcome_;
};

}  // namespace qkv
