// Dropout (Srivastava et al. 2014), scaled while training so that inference is the identity.
#pragma once

#include "core/base/context.h"

namespace qkv {

// In place. With a generator in the context each element is set to 0 with probability `rate`, and the others are
// divided by 1 - rate. Without a generator nothing changes. 0 <= rate < 1.
void Dropout(Context& ctx, float rate, MatrixView x);
// The same for a part of `whole`, a matrix that is recorded in parts (core/layers/steps.h).
void Dropout(Context& ctx, float rate, MatrixView part, ConstMatrixView whole);

}  // namespace qkv
