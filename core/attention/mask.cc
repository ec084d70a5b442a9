#include "core/attention/mask.h"

namespace qkv {

void ApplyMask(const Mask& mask, size_t head, size_t query, size_t keys, KeyRange range, float* row) {
  if (mask.bias != nullptr) {
    const float* bias = mask.bias + head * mask.bias_head_stride + query * keys;
    for (size_t j = range.begin; j < range.end; ++j) row[j] = bias[j] == kMasked ? kMasked : row[j] + bias[j];
  }
  if (mask.allowed != nullptr) {
    const uint8_t* allowed = mask.allowed + head * mask.allowed_head_stride + query * keys;
    for (size_t j = range.begin; j < range.end; ++j) row[j] = allowed[j] != 0 ? row[j] : kMasked;
  }
}

}  // namespace qkv
