// What a query may not see: later positions, padding, and whatever the caller rules out.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

namespace qkv {

inline constexpr float kMasked = -std::numeric_limits<float>::infinity();

// Keys [begin, end).
struct KeyRange {
  size_t begin = 0, end = 0;

  size_t size() const { return end - begin; }
  bool empty() const { return begin >= end; }
};

struct Mask {
  bool causal = false;     // query i sees keys [0, first_query + i]
  size_t first_query = 0;  // the place of query 0, here and in windows: after as many queries before
  size_t padding_from = std::numeric_limits<size_t>::max();  // keys from here on are padding
  // [queries, keys], or with a head stride [heads, queries, keys]: a byte that is not 0 allows, and what is added to a
  // score, where -inf rules the key out whatever its score is, NaN too.
  const uint8_t* allowed = nullptr;
  size_t allowed_head_stride = 0;
  const float* bias = nullptr;
  size_t bias_head_stride = 0;
};

// What of `keys` keys query i may see by order and padding.
inline KeyRange Range(const Mask& mask, size_t query, size_t keys) {
  const size_t end = std::min(keys, mask.padding_from);
  return {0, mask.causal ? std::min(end, mask.first_query + query + 1) : end};
}

// Adds the bias to the scores of query i, and puts kMasked where it does not see; row[j] is key j's, j in `range`.
void Apply(const Mask& mask, size_t head, size_t query, size_t keys, KeyRange range, float* row);

}  // namespace qkv
