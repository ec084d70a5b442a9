// Attention pooling: each of a few learned queries makes one row of a text's rows, whatever their number.
//   s_hi = q_h . e_i / sqrt(d),   w_h = softmax(s_h),   c_h = sum_i w_hi e_i
// (Lin et al. 2017, "A structured self-attentive sentence embedding", with scores that are linear in e.) Keys and
// values are the rows themselves: a projection of the keys could be multiplied into the queries, and one of the values
// into the layer that reads the result.
#pragma once

#include "core/attention/segments.h"
#include "core/base/context.h"

namespace qkv {

// queries [heads, d], x [rows, d], each segment of x a text of one row or more -> [texts, heads * d]. `weights`
// [heads, rows], if it is not null, receives the softmax of each head, text after text. With a tape it is recorded.
MatrixView AttentionPool(Context& ctx, ConstMatrixView queries, ConstMatrixView x, const Segments& texts,
                         float* weights = nullptr);

}  // namespace qkv
