// Passes the gradient of an output unchanged to an operand.
#pragma once

#include <algorithm>

#include "core/base/context.h"
#include "core/base/tape.h"
#include "core/kernels/columns.h"

namespace qkv {

// Adds `g` [size] to the gradient of the value at `x`, or sets it. `x` may be null or a constant.
inline void PassOn(const Context& ctx, const float* g, const float* x, size_t size) {
  const Tape::Sum sum = x != nullptr ? ctx.tape->Into(x) : Tape::Sum();
  if (sum.to == nullptr) return;
  if (sum.add) {
    AddTo(g, sum.to, size, ctx.pool);
  } else {
    std::copy_n(g, size, sum.to);
  }
}

}  // namespace qkv
