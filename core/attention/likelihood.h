// The likelihood of keys, for losses of pointers and of sampled attention.
#pragma once

#include <cstdint>

#include "core/attention/attention.h"
#include "core/attention/segments.h"
#include "core/base/context.h"

namespace qkv {

// Log-likelihoods of chosen keys, and entropies: [2, H * queries] in the context's arena.
//
// Row 0 is for the key chosen[head, query]. With soft selection it is the logarithm of the key's weight, the window's
// Gaussian included; the loss of a pointer network is its negative (Vinyals et al. 2015). With sampled selection it is
// the logarithm of the key's probability, for learning from rewards (core/attention/reinforce.h). Other selections are
// not allowed. Row 1 is the entropy of the softmax.
//
// Keys count from the first of the segment; kNoKey gives 0. With mask_used the chosen keys are masked for later
// queries, as in teacher forcing. A key that the query may not see gives -infinity and passes no gradient.
MatrixView Likelihood(Context& ctx, const Attention& attention, const AttentionInputs& in,
                      const Segments& query_segments, const Segments& key_segments, const int32_t* chosen);

}  // namespace qkv
