#include "core/attention/memory.h"

#include <algorithm>

#include "core/attention/head_stages.h"
#include "core/kernels/pairwise_backward.h"

namespace qkv {
namespace {

// Rows of a group's scratch: its scores, a row of logits, and what rounding to whole panels adds.
constexpr uint64_t kScratchRows = kQueryGroup + 4;
constexpr uint64_t kPadding = kPanel;

// The columns of queries and keys in the score, mapped or not.
uint64_t ScoreDim(const Attention& attention, const AttentionInputs& in) {
  uint64_t dim = std::max(in.query.dim, in.key.dim);
  for (const ParameterSpec& spec : attention.score->parameters) {
    for (const Parameter& parameter : attention.parameters) {
      if (parameter.name != spec.name) continue;
      if (spec.rows == ParameterSize::kHidden) dim = std::max<uint64_t>(dim, parameter.value.rows);
    }
  }
  return dim;
}

uint64_t PackedParameters(const Attention& attention) {
  uint64_t floats = 0;
  for (const Parameter& parameter : attention.parameters) {
    floats += (parameter.value.rows + kPadding) * (parameter.value.dim + kPadding);
  }
  return floats;
}

}  // namespace

uint64_t AttendMemory(const Attention& attention, const AttentionInputs& in) {
  const uint64_t keys = in.key.rows + kPadding, dim = ScoreDim(attention, in);
  uint64_t floats = 2 * keys * dim;            // mapped, packed
  floats += keys * (in.value.dim + kPadding);  // packed
  // Queries, their scores, and the sums of a chain if a window has sinks.
  floats += kScratchRows * (dim + keys + in.value.dim + kPadding);
  floats += PackedParameters(attention);
  return floats * sizeof(float);
}

uint64_t AttendBackwardMemory(const Attention& attention, const AttentionInputs& in) {
  const uint64_t keys = in.key.rows + kPadding, queries = in.query.rows + kPadding, dim = ScoreDim(attention, in);
  // For every head: mapped keys, and the gradients of mapped queries and keys.
  uint64_t floats = in.query.heads * (2 * keys * dim + queries * (dim + 1) + PackedParameters(attention));
  // For one head: packed keys and values, their sums, and the rows of a group of queries.
  floats += 3 * keys * dim + 2 * keys * (in.value.dim + kPadding) + kPairRows * (2 * dim + 4 * keys);
  // Products copy at most what they read.
  return 2 * floats * sizeof(float);
}

}  // namespace qkv
