// The backward of attention: from gradients of its results to those of queries, keys, values and parameters, for every
// score, selection, window, mask and head layout.
//
// Scores and weights are computed again, some queries at a time, by the stages of the forward
// (core/attention/head_stages.h). No matrix of them is stored: memory grows with the lengths, not with their product.
#pragma once

#include <cstdint>
#include <span>

#include "core/attention/attention.h"
#include "core/attention/attention_loss.h"
#include "core/attention/score_backward.h"
#include "core/attention/segments.h"
#include "core/base/context.h"

namespace qkv {

// Where gradients are added. Each has the shape and the strides of the argument that it belongs to, and no data where
// it is not wanted. Query heads that share keys, values or parameters add to the same gradient.
struct AttentionGradients {
  Heads query = {}, key = {}, value = {};
  std::span<const ParameterGradient> parameters = {};  // of the score
  Heads W_p = {}, v_p = {}, centres = {};              // of the window
  float* bias = nullptr;                               // of the mask
};

// The backward of Attend; the first three arguments are those of Attend. Gradients that overlap are added up, with the
// same bits on any number of threads. What each selection passes on:
//   soft, gate    to logits and values
//   sparsemax, entmax  the same, where the weight is above 0
//   argmax        to values, and through the window's Gaussian
//   sampled       the same, and to logits through the log-likelihood of the key that was drawn
//   max pooling   to the values that won, and through the window's Gaussian
// Nothing passes the edges of a window, and nothing passes to or from a key that a query may not see, NaN included. A
// NaN in a key that it sees makes all gradients that depend on it NaN. Where a score has no derivative (cosine of a row
// of zeros) the derivative is taken as 0.
void AttendBackward(Context& ctx, const Attention& attention, const AttentionInputs& in, const AttentionLoss& loss,
                    const AttentionGradients& gradients);

// The same for AttendSegments.
void AttendSegmentsBackward(Context& ctx, const Attention& attention, const AttentionInputs& in,
                            const Segments& query_segments, const Segments& key_segments, const AttentionLoss& loss,
                            const AttentionGradients& gradients);

}  // namespace qkv
