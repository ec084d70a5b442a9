// Attention: one choice each of score, selection, window and mask, over heads of queries, keys and values.
//
//   logits  = (score(q_i, k_j) + bias_ij) / temperature      where i may see j
//   weights = selection(logits) [window's Gaussian]
//   output  = weights V
//
// It works on some queries at a time and keeps no matrix of scores unless it is asked to: memory grows with the length,
// not with its square.
#pragma once

#include <cstdint>
#include <span>

#include "core/attention/score.h"
#include "core/attention/segments.h"
#include "core/attention/selection.h"
#include "core/attention/window.h"
#include "core/base/context.h"

namespace qkv {

extern const Score kScaledDot;

struct Attention {
  const Score* score = &kScaledDot;
  std::span<const Parameter> parameters = {};  // of the score
  Selection selection = {};
  Window window = {};
  Mask mask = {};
  // As a pointer (Vinyals et al. 2015): a key that an earlier query of the head pointed to is out of question.
  bool mask_used = false;
  // For one query at a time, as a recurrent decoder has them: products read keys and values where they lie, since
  // packing would cost as much as it saves, and fuse nothing, so that every target gives the same bits.
  bool in_place = false;
};

// Head h of H queries' heads meets key and value head h / (H / G) of G, so that G divides H.
struct AttentionInputs {
  ConstHeads query;  // [H, queries, dq]
  ConstHeads key;    // [G, keys, dk]
  ConstHeads value;  // [G, keys, dv]; without data only the weights are wanted
};

// What is kept on the way, on request: each may be null. Asking does not change the output by a bit.
struct AttentionRecord {
  float* scores = nullptr;    // [heads, queries, keys], of all pairs
  float* logits = nullptr;    // the same shape; kMasked where a query does not see
  float* weights = nullptr;   // the same shape
  uint8_t* empty = nullptr;   // [heads, queries]: 1 where the query sees nothing; its weights and output are zeros
  int32_t* chosen = nullptr;  // [heads, queries]: the key of a hard selection, else the largest weight's; or kNoKey
  float* centres = nullptr;   // [heads, queries]: the window's p
};

// Shapes fit one another and the choices; nothing is larger than a limit. The error names what to change.
Result<void> CheckAttention(const Attention& attention, const AttentionInputs& in);

// output [H, queries, dv]. Inputs have been checked, and output overlaps none of them. A query's result does not depend
// on the other queries (but with mask_used) or on the number of threads, bit for bit.
//
// A key that a query may not see never reaches its result, NaN and infinities included; a NaN in one that it sees makes
// its row NaN.
//
// With a tape in the context it records its backward (core/attention/attend_backward.h, RecordAttend).
void Attend(Context& ctx, const Attention& attention, const AttentionInputs& in, Heads output,
            const AttentionRecord& record = {});

// The same for packed segments: queries of segment s see keys of segment s. The mask's arrays, if any, are not for
// this.
void AttendSegments(Context& ctx, const Attention& attention, const AttentionInputs& in, const Segments& query_segments,
                    const Segments& key_segments, Heads output);

// Keys and values of one head made ready once for any number of calls: a decoder's memory. Lives as long as the arena's
// mark, and the inputs.
struct ReadyHead {
  ReadyScore score;
  const float* keys = nullptr;    // packed
  const float* values = nullptr;  // packed, or null
  ConstRows value;
  bool finite_values = true;
};
ReadyHead MakeReady(const Attention& attention, const AttentionInputs& in, size_t head, Arena& arena);
void AttendHead(Context& ctx, const Attention& attention, const AttentionInputs& in, size_t head,
                const ReadyHead& ready, Heads output, const AttentionRecord& record = {});

}  // namespace qkv
