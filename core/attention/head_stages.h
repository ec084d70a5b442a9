// The stages of one head, from queries and keys to weights, for a group of queries at a time. The forward, the
// backward and the likelihoods call the same stages, so all three see the same numbers and make the same choices.
//
//   PrepareHead        keys and values, once for a head
//   FindVisibleKeys    mask and window: the keys that each query may see
//   MapQueries         x W_q', where the score has such a matrix
//   ScaleQueries       unit length and scale, where the score has them
//   ComputeScores      score(q, k) for all pairs of a range
//   ScoresToLogits     bias, masks, temperature
//   LogitsToWeights    selection and the window's Gaussian
#pragma once

#include <cmath>
#include <cstdint>

#include "core/attention/attention.h"
#include "core/base/arena.h"
#include "core/base/context.h"
#include "core/base/round_up.h"

namespace qkv {

// Queries of one group in the forward: whole tiles of the product on every target, and the scores of up to about two
// thousand keys stay in the second-level cache.
inline constexpr size_t kQueryGroup = 12;

// The product over keys begins at a multiple of this. Its order of summation is then the same wherever a window starts.
inline constexpr size_t kKeyChain = 128;

inline ConstRows Part(ConstRows x, size_t begin, size_t count) { return {x.Row(begin), count, x.dim, x.stride}; }

// Panels of kPanel rows, each with its columns in order; rows past the last are zero.
const float* PackKeys(ConstRows keys, Arena& arena);

// Keys and values of one head, prepared once for any number of queries. It lives as long as the arena's mark and the
// inputs.
struct PreparedHead {
  PreparedScore score;
  const float* keys = nullptr;    // the score's keys, packed; null where they are read in place
  const float* values = nullptr;  // packed, or null
  ConstRows value;
  bool finite_values = true;
};
PreparedHead PrepareHead(const Attention& attention, const AttentionInputs& in, size_t head, Arena& arena);

// One head of one call: what every stage reads.
struct HeadTask {
  const Attention& attention;
  const PreparedScore& score;
  ConstRows queries;         // [queries, query dim]
  ConstRows keys;            // the score's keys, [keys, n]
  const float* packed_keys;  // the same, packed; null where they are read in place
  size_t head = 0;

  // Columns of mapped queries and keys.
  size_t dim() const { return score.keys.dim; }
  // Floats between two rows of scores.
  size_t row_width() const { return RoundUp(keys.rows, kPanel); }
  // The place of a query in its sequence.
  size_t Place(size_t query) const { return attention.mask.first_query + query; }
  // The first float of a query in an array [heads, queries, keys].
  size_t RowOffset(size_t query) const { return QueryIndex(query) * keys.rows; }
  // Its index in an array [heads, queries].
  size_t QueryIndex(size_t query) const { return head * queries.rows + query; }
};

// The keys that one query may see by mask order, padding and window, and the centre of its window.
struct VisibleKeys {
  KeyRange keys;
  double centre = 0;
  KeyRange hidden = {};  // of `keys`, those between the sinks and the window
};

// Some queries of a head in the forward: their output is computed as a whole.
struct GroupTask {
  const HeadTask& task;
  const PreparedHead& head;
  const AttentionRecord& record;
  size_t first, count;  // count <= kQueryGroup
  float* scratch;
  Rows output;  // of the head
};

// A faster way to compute a group's output. Returns false and writes nothing if it does not apply to the group.
using AttendGroup = bool (*)(const GroupTask& group);
// Attend, which tries `fast_path` for each group first, unless it is null. A program links only those that it names.
void AttendWith(AttendGroup fast_path, Context& ctx, const Attention& attention, const AttentionInputs& in,
                Heads output, const AttentionRecord& record);

// For queries [first, first + count). Returns the range of keys that the group computes together: it covers what each
// query sees and begins at a multiple of kKeyChain.
KeyRange FindVisibleKeys(const HeadTask& task, size_t first, size_t count, VisibleKeys* visible,
                         const AttentionRecord& record = {});

// Floats of a group's mapped queries, in whole panels.
inline size_t QueryFloats(const HeadTask& task) { return RoundUp(kQueryGroup * task.dim(), kPanel); }

// mapped [count, n], without gaps.
void MapQueries(const HeadTask& task, size_t first, size_t count, float* mapped);
void ScaleQueries(const HeadTask& task, size_t count, float* mapped);

// scores [count, row_width]: columns of `range`, for mapped and scaled queries from `first` on.
void ComputeScores(const HeadTask& task, size_t first, const float* queries, size_t count, KeyRange range,
                   float* scores);

// One query's row of scores becomes logits in place. `used`: one byte a key, not 0 where the key is masked; or null.
void ScoresToLogits(const HeadTask& task, size_t query, const VisibleKeys& seen, const uint8_t* used, float* row,
                    const AttentionRecord& record = {});

// One query's row of logits becomes weights in place, with zeros in the rest of `computed`. Marks the chosen key in
// `used`, if not null. Not for max pooling.
void LogitsToWeights(const HeadTask& task, size_t query, const VisibleKeys& visible, KeyRange computed, uint8_t* used,
                     float* row, const AttentionRecord& record = {});

// Records one query's weights and its key: `chosen` by a hard selection, or else the key of the largest weight. Marks
// the key in `used`, if not null.
void StoreWeights(const HeadTask& task, size_t query, KeyRange visible, int32_t chosen, uint8_t* used,
                  const float* weights, const AttentionRecord& record);

// Zeros in those columns of `computed` that are not visible.
void ClearRest(KeyRange visible, KeyRange computed, float* row);

// y [count, value.dim] = weights V for the keys of a range, which begins at a multiple of kKeyChain. The values are
// packed; `rows`: the weights, [count, row_width].
void MultiplyPacked(const HeadTask& task, const PreparedHead& head, KeyRange keys, const float* rows, size_t count,
                    float* y, size_t stride);

// The key of the largest weight, the first of equals; kNoKey where none is above 0 or one is NaN.
int32_t LargestWeight(KeyRange visible, const float* weights);

// Max pooling: calls function(column, winner) for each column of the values in which the query sees a key. The winner
// is the first key with the largest value, or with NaN.
template <class Function>
void ForEachWinner(KeyRange visible, const float* logits, ConstRows value, const Function& function) {
  for (size_t c = 0; c < value.dim; ++c) {
    const size_t none = value.rows;
    size_t winner = none;
    for (size_t j = visible.begin; j < visible.end; ++j) {
      if (logits[j] == kMasked) continue;
      const float x = value.Row(j)[c];
      if (winner == none || x > value.Row(winner)[c] || std::isnan(x)) winner = j;
      if (std::isnan(x)) break;
    }
    if (winner != none) function(c, winner);
  }
}

}  // namespace qkv
