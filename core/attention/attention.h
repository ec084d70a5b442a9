// What one attention call computes and reads: one choice each of score, selection, window and mask, over heads of
// queries, keys and values.
//
//   logits  = (score(q_i, k_j) + bias_ij) / temperature      where query i may see key j
//   weights = selection(logits) [times the window's Gaussian]
//   output  = weights V
#pragma once

#include <cstdint>
#include <span>

#include "core/attention/score.h"
#include "core/attention/selection.h"
#include "core/attention/window.h"
#include "core/base/function_ref.h"

namespace qkv {

extern const Score kScaledDot;

// Turns the logits of one query for the keys in `keys` into weights, in place; row[j] belongs to key j. Returns true if
// no window may change these weights. `query`: its place.
using CustomSelection = FunctionRef<bool(size_t head, size_t query, KeyRange keys, float* row)>;

struct Attention {
  const Score* score = &kScaledDot;
  std::span<const Parameter> parameters = {};  // of the score
  Selection selection = {};
  Window window = {};
  Mask mask = {};
  // For pointer networks (Vinyals et al. 2015): a key that an earlier query of the head chose is masked.
  bool mask_used = false;
  // For one query at a time, as in a recurrent decoder. Products read keys and values where they are, because packing
  // them would cost as much as it saves. They fuse no multiply-add, so every target gives the same bits.
  bool in_place = false;
  // Used instead of the selection, unless it is null. For inference alone.
  const CustomSelection* custom_selection = nullptr;
};

// Query head h of H uses key and value head h / (H / G) of G. G divides H.
struct AttentionInputs {
  ConstHeads query;  // [H, queries, dq]
  ConstHeads key;    // [G, keys, dk]
  ConstHeads value;  // [G, keys, dv]; without data only the weights are computed

  // The key and value head that a query head uses.
  size_t KeyHead(size_t query_head) const { return query_head / (query.heads / key.heads); }
};

// Intermediate results to store; each pointer may be null. Storing them does not change a bit of the output.
struct AttentionRecord {
  float* scores = nullptr;    // [heads, queries, keys], of all pairs
  float* logits = nullptr;    // the same shape; kMasked where a query may not see the key
  float* weights = nullptr;   // the same shape
  uint8_t* empty = nullptr;   // [heads, queries]: 1 where the query sees nothing; its weights and output are zeros
  int32_t* chosen = nullptr;  // [heads, queries]: the key of a hard selection, else the largest weight's; or kNoKey
  float* centres = nullptr;   // [heads, queries]: the window's p
};

// Checks that shapes fit one another and the choices. The error names the argument to change.
Result<void> CheckAttention(const Attention& attention, const AttentionInputs& in);

}  // namespace qkv
