// Long work is done in steps. WebAssembly cannot receive a message while it computes, so the caller decides after each
// step whether to go on. A job keeps nothing in the arena between steps.
#pragma once

#include <utility>

#include "core/base/context.h"
#include "core/base/error.h"
#include "core/base/memory_need.h"

namespace qkv {

class Job {
 public:
  virtual ~Job() = default;

  // Runs one layer or one decoding step. Returns true when the job is done or has failed. Rewinds the arena.
  bool Step(Context& ctx) {
    if (!outcome_) return true;
    const ArenaScope scope(ctx.arena);
    return Advance(ctx) || !outcome_;
  }

  // After Step has returned true: the reason if there is no result. The only error is kLimitExceeded: a step, a trace,
  // or the guesses for many masks, would need too much memory.
  const Result<void>& outcome() const { return outcome_; }

 protected:
  void Fail(Error error) { outcome_ = std::move(error); }
  // Asks for the memory of a step before it begins. Returns false if there is not enough; then the job has failed.
  bool ReserveMemory(Arena& arena, const MemoryNeed& need, const char* asks) {
    if (outcome_) outcome_ = Reserve(arena, need, "give shorter texts, fewer at a time, or a smaller beam", asks);
    return static_cast<bool>(outcome_);
  }

 private:
  virtual bool Advance(Context& ctx) = 0;

  Result<void> outcome_;
};

}  // namespace qkv
