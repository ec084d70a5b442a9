// The backward of attention: from gradients of what it gave to those of queries, keys, values and parameters, for every
// score, selection, window, mask and head layout.
//
// Scores and weights are computed again, some queries at a time, with the numbers and the decisions of the forward: no
// matrix of them is kept. Memory grows with the lengths, not with their product.
#pragma once

#include <cstdint>
#include <span>

#include "core/attention/attend.h"
#include "core/attention/score_backward.h"

namespace qkv {

// What is known of a loss: its gradients with respect to what attention gave. Each may be left out.
struct AttentionLoss {
  ConstHeads output = {};          // [H, queries, dv]
  const float* weights = nullptr;  // [H, queries, keys], of AttentionRecord's weights; not with several segments

  // Of Likelihood's results, [H, queries] each. `chosen` are its keys; null: what the sampled selection drew.
  const int32_t* chosen = nullptr;
  const float* log_likelihood = nullptr;
  const float* entropy = nullptr;
};

// Where gradients are added, each of the shape and with the strides of what it belongs to; without data where it is not
// wanted. Heads of queries that share keys, values or parameters add to one another.
struct AttentionGradients {
  Heads query = {}, key = {}, value = {};
  std::span<const ParameterGradient> parameters = {};  // of the score
  Heads W_p = {}, v_p = {}, centres = {};              // of the window
  float* bias = nullptr;                               // of the mask
};

// The backward of Attend, whose arguments the first three are; what overlaps in the gradients is added up, the same on
// any number of threads, bit for bit. What each selection passes on:
//   soft, gate    to logits and values
//   argmax        to values alone, and through the window's Gaussian
//   sampled       the same, and through the log-likelihood of what was drawn to logits
//   max pooling   to the values that won
// Past the edges of a window nothing passes. Nor does anything pass to or from what a query may not see, NaN included;
// a NaN that it sees makes all gradients that it touches NaN. Where a score has no slope (cosine of a row of zeros) it
// is taken as 0.
void AttendBackward(Context& ctx, const Attention& attention, const AttentionInputs& in, const AttentionLoss& loss,
                    const AttentionGradients& gradients);

// The same for AttendSegments.
void AttendSegmentsBackward(Context& ctx, const Attention& attention, const AttentionInputs& in,
                            const Segments& query_segments, const Segments& key_segments, const AttentionLoss& loss,
                            const AttentionGradients& gradients);

}  // namespace qkv
