// Dropout (Srivastava et al. 2014), scaled while training so that inference is the identity.
#pragma once

#include "core/base/context.h"

namespace qkv {

// In place: without a generator in the context nothing happens; with one each element is zeroed with probability
// `rate`, and what stays is divided by 1 - rate. 0 <= rate < 1.
void Dropout(Context& ctx, float rate, MatrixView x);
// The same for a part of `whole`, a matrix that is recorded in parts (core/layers/steps.h).
void Dropout(Context& ctx, float rate, MatrixView part, ConstMatrixView whole);

}  // namespace qkv
