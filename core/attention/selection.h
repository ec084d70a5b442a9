// From logits to weights: what of its keys a query takes. Besides soft and hard attention there are the two baselines
// that the literature holds against attention, which choose by salience: a gate opens for each key alone, and max
// pooling asks no query.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/attention/mask.h"

namespace qkv {

enum class SelectionKind {
  kSoft,     // softmax
  kArgmax,   // the key of the largest logit, the first of equals
  kSampled,  // a key drawn from the softmax (Xu et al. 2015)
  kGate,     // sigmoid of each logit; no competition
  kMaxPool,  // for each column the largest allowed value; logits only say what is allowed
};

// In the order of SelectionKind: their names in every list.
inline constexpr std::string_view kSelectionNames[] = {"soft", "argmax", "sampled", "gate", "max-pool"};

struct Selection {
  SelectionKind kind = SelectionKind::kSoft;
  float temperature = 1;  // logits are divided by it; above 0
  uint64_t seed = 0;      // of kSampled: the draw of (seed, head, query's place) is always the same
};

inline constexpr int32_t kNoKey = -1;

// Logits become weights; row[j] is key j's, kMasked ones become 0, and a row of nothing else becomes zeros. Returns the
// key that a hard selection chose, or kNoKey. NaN stays in the row. Not for kMaxPool.
int32_t Select(const Selection& selection, size_t head, size_t place, KeyRange range, float* row);

// The index of the largest of a row, the first of equals; kNoKey when it is empty or holds a NaN or only kMasked.
int32_t Largest(KeyRange range, const float* row);

}  // namespace qkv
