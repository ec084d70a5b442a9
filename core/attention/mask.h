// Which keys a query may not see: later positions, padding, and keys that the caller masks.
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
  bool causal = false;                                       // query i sees keys [0, first_query + i]
  size_t first_query = 0;                                    // the place of query 0, here and in windows
  size_t padding_from = std::numeric_limits<size_t>::max();  // keys from here on are padding
  // Both [queries, keys], or with a head stride [heads, queries, keys]. `allowed`: not 0 where the query may see the
  // key. `bias` is added to the score; -inf masks the key whatever its score is, NaN included.
  const uint8_t* allowed = nullptr;
  size_t allowed_head_stride = 0;
  const float* bias = nullptr;
  size_t bias_head_stride = 0;
};

// The keys that a query may see by order and padding, of `keys` keys.
inline KeyRange MaskRange(const Mask& mask, size_t query, size_t keys) {
  const size_t end = std::min(keys, mask.padding_from);
  return {0, mask.causal ? std::min(end, mask.first_query + query + 1) : end};
}

// Adds the bias to a query's scores, and sets kMasked where it may not see the key. row[j] is key j's, j in `range`.
void ApplyMask(const Mask& mask, size_t head, size_t query, size_t keys, KeyRange range, float* row);

}  // namespace qkv
