// The backward of one head: from gradients of its output and weights to those of its values, and of the queries and
// keys in its score.
#pragma once

#include "core/attention/attention.h"
#include "core/attention/attention_loss.h"
#include "core/attention/score_backward.h"

namespace qkv {

// One head, all segments: what its score prepared, and the gradients that the backward of the score starts from.
struct HeadGradients {
  PreparedScore score;
  float* mapped_queries = nullptr;  // [queries, n], before scaling
  float* mapped_keys = nullptr;     // [keys, n]
  float* centres = nullptr;         // [queries]
  // [segments, sums_size()]: the pair weight (n numbers), the scale, the slope, the tables by distance. Each segment
  // has its own sums, so threads share none.
  float* sums = nullptr;

  size_t dim() const { return score.keys.dim; }
  size_t sums_size() const { return dim() + 2 + score.relative.size() + score.relative_values.size(); }
};

// One head of one segment.
struct HeadBackwardTask {
  const Attention& attention;              // with the segment's window centres
  AttentionInputs in;                      // of the segment
  size_t segment, first_query, first_key;  // its index, and its first rows in the batch
  size_t head;
  const HeadGradients& head_gradients;
  ConstRows keys;              // the score's keys of the segment
  const float* packed_keys;    // the same, packed
  const float* packed_values;  // packed as keys are; null where no gradient of the output uses them
  ConstRows output;            // gradient of the segment's output, or without data
  Rows value;                  // gradient of the segment's values, or without data
  float* value_sums;           // [dv, row width]: gradients of values from products; null where not wanted
  const AttentionLoss& loss;
  size_t queries;  // rows of a head in the arrays of `loss`
  float* bias;     // gradient of the mask's bias, or null
};

// Adds to head_gradients, value, value_sums and bias.
void HeadBackward(const HeadBackwardTask& task, Arena& arena);

}  // namespace qkv
