// From logits to weights. Besides soft and hard attention there are two baselines from the literature that choose by
// salience: a gate, which weighs each key on its own, and max pooling, which does not depend on the query.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/attention/mask.h"

namespace qkv {

enum class SelectionKind {
  kSoft,       // softmax
  kArgmax,     // the key of the largest logit, the first of equals
  kSampled,    // a key drawn from the softmax (Xu et al. 2015)
  kGate,       // sigmoid of each logit; the weights need not sum to 1
  kMaxPool,    // for each column the largest value that the query may see; logits say only which values it may see
  kSparsemax,  // entmax with alpha 2 (Martins and Astudillo 2016)
  kEntmax,     // between softmax and sparsemax, with exact zeros (Peters et al. 2019; core/attention/entmax.h)
};

// Their names in lists, in the order of SelectionKind.
inline constexpr std::string_view kSelectionNames[] = {"soft",     "argmax",    "sampled", "gate",
                                                       "max-pool", "sparsemax", "entmax"};

// Logits divided by less may be infinite, and their softmax no number.
inline constexpr float kLeastTemperature = 1e-30f;

struct Selection {
  SelectionKind kind = SelectionKind::kSoft;
  float temperature = 1;  // logits are divided by it; from kLeastTemperature on
  uint64_t seed = 0;      // of kSampled: one (seed, head, query's place) always draws the same key
  float alpha = 1.5f;     // of kEntmax, from 1, the softmax, to kLargestAlpha

  // Whether weights may be exact zeros, which pass no gradient.
  bool sparse() const { return kind == SelectionKind::kSparsemax || kind == SelectionKind::kEntmax; }
  // alpha of a sparse selection.
  double power() const { return kind == SelectionKind::kSparsemax ? 2 : static_cast<double>(alpha); }
};

inline constexpr int32_t kNoKey = -1;

// Logits become weights in place; row[j] is key j's. A kMasked logit becomes 0, and a row with no other becomes zeros.
// Returns the key that a hard selection chose, or kNoKey. NaN stays in the row. Not for kMaxPool.
int32_t Select(const Selection& selection, size_t head, size_t place, KeyRange range, float* row);

// The key of the largest logit, the first of equals; kNoKey if the row is empty, holds a NaN, or holds kMasked alone.
int32_t LargestLogit(KeyRange range, const float* row);

}  // namespace qkv
