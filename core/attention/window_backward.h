// The backward of the predicted place of local attention (core/attention/window.h).
#pragma once

#include <span>

#include "core/attention/window.h"

namespace qkv {

// For p = PredictPlace(W, v, q, keys) of one query and the gradient dp: adds dv to `dv` [n], and writes the gradient
// with respect to W q to `dproducts` [n]. `hidden` is scratch, [n].
void PredictPlaceBackward(ConstRows W, const float* v, const float* q, double keys, double dp, std::span<double> hidden,
                          float* dv, float* dproducts);

}  // namespace qkv
