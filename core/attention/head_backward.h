// The backward of one head: from gradients of its output and weights to those of its values, and of the queries and
// keys as they met in its score.
#pragma once

#include "core/attention/attend_backward.h"

namespace qkv {

inline size_t OfKeys(const AttentionInputs& in, size_t head) { return head / (in.query.heads / in.key.heads); }

// A head's numbers for all segments: what its score made ready, and gradients that its score's backward passes on.
struct HeadState {
  ReadyScore score;
  float* met_queries = nullptr;  // [queries, n]
  float* met_keys = nullptr;     // [keys, n]
  float* centres = nullptr;      // [queries]
  // For each segment, n of the pair weight, the scale, the slope.
  float* sums = nullptr;

  size_t dim() const { return score.keys.dim; }
  size_t sums_size() const { return dim() + 2; }
};

// One head of one segment.
struct HeadCall {
  const Attention& attention;              // its window is the segment's
  AttentionInputs in;                      // of the segment
  size_t segment, first_query, first_key;  // which one, and where it begins
  size_t head;
  const HeadState& state;
  ConstRows keys;              // the score's
  const float* packed_keys;    // the same
  const float* packed_values;  // as keys are; null where no output's gradient meets them
  ConstRows output;            // gradient of the segment's output, or without data
  Rows value;                  // gradient of the segment's values, or without data
  float* of_values;            // [dv, width]: what products add to it, to be added at the end; null without both
  const AttentionLoss& loss;
  size_t queries;  // what its arrays have of a head
  float* bias;     // gradient of the mask's, or null
};

// Adds to what the state, the value and of_values point to.
void HeadBackward(const HeadCall& call, Arena& arena);

}  // namespace qkv
