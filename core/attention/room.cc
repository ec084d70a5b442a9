#include "core/attention/room.h"

#include <algorithm>

namespace qkv {
namespace {

// At least the queries that are worked on at a time, and at least a panel.
constexpr uint64_t kGroup = 32;
constexpr uint64_t kPadding = 16;

// The columns of queries and keys that meet, mapped or not.
uint64_t MeetingDim(const Attention& attention, const AttentionInputs& in) {
  uint64_t dim = std::max(in.query.dim, in.key.dim);
  for (const ParameterSpec& spec : attention.score->parameters) {
    for (const Parameter& parameter : attention.parameters) {
      if (parameter.name != spec.name) continue;
      if (spec.rows == Size::kHidden) dim = std::max<uint64_t>(dim, parameter.value.rows);
    }
  }
  return dim;
}

}  // namespace

uint64_t AttendRoom(const Attention& attention, const AttentionInputs& in) {
  const uint64_t keys = in.key.rows + kPadding, dim = MeetingDim(attention, in);
  uint64_t floats = 2 * keys * dim;            // mapped, packed
  floats += keys * (in.value.dim + kPadding);  // packed
  floats += kGroup * (dim + keys + kPadding);  // queries and their scores
  for (const Parameter& parameter : attention.parameters) {
    floats += (parameter.value.rows + kPadding) * (parameter.value.dim + kPadding);  // packed
  }
  return floats * sizeof(float);
}

}  // namespace qkv
