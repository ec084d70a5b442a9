// The likelihood of keys, for losses of pointers and of sampled attention.
#pragma once

#include <cstdint>

#include "core/attention/attend.h"

namespace qkv {

// How likely choices are, [2, H * queries] in the context's arena. Row 0: of soft selection the logarithm of the
// weight, with the window's Gaussian, of the key chosen[head, query], which a pointer's loss is the negative of
// (Vinyals et al. 2015); of sampled selection the logarithm of its probability, which learns from rewards
// (core/attention/reinforce.h). Keys count from the segment's first; kNoKey gives 0. Row 1: the entropy of the softmax.
// Not for the other selections. With mask_used it is the chosen keys that are used, as in teacher forcing. A key that
// the query may not see gives -infinity and passes nothing back.
MatrixView Likelihood(Context& ctx, const Attention& attention, const AttentionInputs& in,
                      const Segments& query_segments, const Segments& key_segments, const int32_t* chosen);

}  // namespace qkv
