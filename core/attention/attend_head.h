// How one head comes from queries and keys to weights, some queries at a time: what the forward, the backward and the
// likelihoods of attention share, so that all see the very numbers, and decisions, of the forward. Included by these
// alone.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/attention/attend.h"
#include "core/kernels/attention.h"
#include "core/kernels/matmul.h"

namespace qkv {

// The product over keys begins at a multiple of this, so that its order of summation is the same wherever a window
// starts.
inline constexpr size_t kKeyChain = 128;

inline size_t RoundUp(size_t size, size_t step) { return (size + step - 1) / step * step; }

inline ConstRows Part(ConstRows x, size_t begin, size_t count) { return {x.Row(begin), count, x.dim, x.stride}; }

// Panels of kPanel rows, each with its columns in order; rows past the last are zero. Four rows at a time: their reads
// are in order, and what they write is one vector.
inline const float* PackKeys(ConstRows keys, Arena& arena) {
  constexpr size_t kTogether = 4;
  const size_t padded = RoundUp(keys.rows, kPanel);
  float* packed = arena.Floats(padded * keys.dim);
  for (size_t first = 0; first < padded; first += kTogether) {
    float* to = packed + first / kPanel * kPanel * keys.dim + first % kPanel;
    if (first + kTogether <= keys.rows) {
      const float *a = keys.Row(first), *b = keys.Row(first + 1), *c = keys.Row(first + 2), *d = keys.Row(first + 3);
      for (size_t i = 0; i < keys.dim; ++i, to += kPanel) {
        const float column[] = {a[i], b[i], c[i], d[i]};
        std::copy_n(column, kTogether, to);
      }
      continue;
    }
    for (size_t i = 0; i < keys.dim; ++i, to += kPanel) {
      for (size_t r = 0; r < kTogether; ++r) to[r] = first + r < keys.rows ? keys.Row(first + r)[i] : 0;
    }
  }
  return packed;
}

// The weights of one head of one call.
class HeadWeights {
 public:
  // `keys`: the call's of the score's keys; `packed`: the same, unless they are read in place.
  HeadWeights(const Attention& attention, ConstRows queries, const ReadyScore& score, ConstRows keys,
              const float* packed, size_t head, const AttentionRecord& record)
      : a_(attention),
        score_(score),
        met_(keys),
        packed_(packed),
        queries_(queries),
        record_(record),
        head_(head),
        keys_(keys.rows),
        width_(RoundUp(keys.rows, kPanel)) {}

  // Floats between two rows of scores.
  size_t width() const { return width_; }

  // The keys that each of queries [first, first + count) sees, the centres of their windows, and what of the keys is
  // worked on for them together.
  KeyRange Look(size_t first, size_t count, KeyRange* seen, double* centres) const {
    KeyRange all = {keys_, 0};
    for (size_t r = 0; r < count; ++r) {
      seen[r] = Seen(first + r, centres[r]);
      if (seen[r].empty()) continue;
      all = {std::min(all.begin, seen[r].begin), std::max(all.end, seen[r].end)};
    }
    if (all.empty()) all = {0, 0};
    all.begin = all.begin / kKeyChain * kKeyChain;
    return all;
  }

  // [count, n], without gaps.
  void MapQueries(size_t first, size_t count, float* queries) const {
    const size_t dim = score_.keys.dim;
    if (score_.query_map.outputs() != 0) {
      Product product = Whole(score_.query_map);
      product.x = queries_.Row(first);
      product.x_stride = queries_.stride;
      product.y = queries;
      product.y_stride = dim;
      Multiply(product, count);
    } else {
      for (size_t r = 0; r < count; ++r) std::copy_n(queries_.Row(first + r), dim, queries + r * dim);
    }
  }
  void ScaleQueries(size_t count, float* queries) const {
    const size_t dim = score_.keys.dim;
    if (score_.unit_queries) DivideByLength({queries, count, dim, dim});
    if (score_.scale != 1) {
      for (size_t i = 0; i < count * dim; ++i) queries[i] *= score_.scale;
    }
  }

  void SumPairs(const float* queries, size_t count, KeyRange all, float* rows) const {
    const KeyRange range = record_.scores != nullptr ? KeyRange{0, keys_} : all;
    if (range.empty()) return;
    const size_t dim = score_.keys.dim, begin = range.begin / kPanel * kPanel, end = RoundUp(range.end, kPanel);
    if (score_.pair_sum != nullptr) {
      return score_.pair_sum(
          {queries, count, dim, packed_ + begin * dim, end - begin, score_.pair_weight, rows + begin, width_});
    }
    if (a_.in_place) {
      for (size_t r = 0; r < count; ++r) {
        DotRows(queries + r * dim, met_.Row(range.begin), met_.stride, dim, range.size(),
                rows + r * width_ + range.begin);
      }
      return;
    }
    Product product;
    product.x = queries;
    product.x_stride = product.inputs = dim;
    product.w = packed_ + begin * dim;
    product.panel_stride = dim * kPanel;
    product.outputs = end - begin;
    product.y = rows + begin;
    product.y_stride = width_;
    Multiply(product, count);
  }

  // Scores become logits. `used`: a byte a key, or null.
  void Edit(size_t query, KeyRange seen, float* row, const uint8_t* used) const {
    if (const float slope = score_.slope; slope != 0) {
      const KeyRange range = record_.scores != nullptr ? KeyRange{0, keys_} : seen;
      const auto t = static_cast<float>(Place(query));
      for (size_t j = range.begin; j < range.end; ++j) row[j] -= slope * std::abs(t - static_cast<float>(j));
    }
    if (record_.scores != nullptr) std::copy_n(row, keys_, record_.scores + Kept(query));
    Apply(a_.mask, head_, query, keys_, seen, row);
    if (used != nullptr) {
      for (size_t j = seen.begin; j < seen.end; ++j) row[j] = used[j] != 0 ? kMasked : row[j];
    }
    if (const float temperature = a_.selection.temperature; temperature != 1) {
      for (size_t j = seen.begin; j < seen.end; ++j) row[j] /= temperature;
    }
    if (record_.logits != nullptr) Keep(query, seen, row, kMasked, record_.logits);
    if (record_.empty != nullptr) {
      const bool empty = std::all_of(row + seen.begin, row + seen.end, [](float x) { return x == kMasked; });
      record_.empty[head_ * queries_.rows + query] = empty ? 1 : 0;
    }
  }

  // Logits become weights, and zeros in the rest of `all`.
  void Weights(size_t query, KeyRange seen, double centre, KeyRange all, float* row, uint8_t* used) const {
    if (a_.selection.kind == SelectionKind::kMaxPool) return;
    int32_t chosen = Select(a_.selection, head_, Place(query), seen, row);
    Weigh(a_.window, centre, seen, row);
    ClearRest(seen, all, row);
    if (record_.weights != nullptr) Keep(query, seen, row, 0, record_.weights);
    if (chosen == kNoKey && (record_.chosen != nullptr || used != nullptr)) chosen = LargestWeight(seen, row);
    if (record_.chosen != nullptr) record_.chosen[head_ * queries_.rows + query] = chosen;
    if (used != nullptr && chosen != kNoKey) used[chosen] = 1;
  }

  // Calls function(column, winner) for each column of the values in which the query sees a key: the first of the
  // largest, or of NaN.
  template <class Function>
  static void ForEachWinner(KeyRange seen, const float* logits, ConstRows value, const Function& function) {
    for (size_t c = 0; c < value.dim; ++c) {
      const size_t none = value.rows;
      size_t winner = none;
      for (size_t j = seen.begin; j < seen.end; ++j) {
        if (logits[j] == kMasked) continue;
        const float x = value.Row(j)[c];
        if (winner == none || x > value.Row(winner)[c] || std::isnan(x)) winner = j;
        if (std::isnan(x)) break;
      }
      if (winner != none) function(c, winner);
    }
  }

 protected:
  size_t Place(size_t query) const { return a_.mask.first_query + query; }
  size_t Kept(size_t query) const { return (head_ * queries_.rows + query) * keys_; }

  KeyRange Seen(size_t query, double& centre) const {
    KeyRange seen = Range(a_.mask, query, keys_);
    const size_t length = std::min(keys_, a_.mask.padding_from);
    if (a_.window.kind == WindowKind::kGlobal || length == 0) return seen;
    centre = Centre(a_.window, head_, query, Place(query), queries_.Row(query), length);
    if (record_.centres != nullptr) record_.centres[head_ * queries_.rows + query] = static_cast<float>(centre);
    const KeyRange window = Range(a_.window, centre, length);
    seen = {std::max(seen.begin, window.begin), std::min(seen.end, window.end)};
    return seen.empty() ? KeyRange{} : seen;
  }

  static void ClearRest(KeyRange seen, KeyRange all, float* row) {
    if (seen.empty()) seen = {all.begin, all.begin};
    std::fill(row + all.begin, row + seen.begin, 0.0f);
    std::fill(row + seen.end, row + all.end, 0.0f);
  }

  static int32_t LargestWeight(KeyRange seen, const float* row) {
    const int32_t largest = Largest(seen, row);
    return largest != kNoKey && row[largest] > 0 ? largest : kNoKey;
  }

  void Keep(size_t query, KeyRange seen, const float* row, float unseen, float* kept) const {
    kept += Kept(query);
    std::fill_n(kept, keys_, unseen);
    std::copy(row + seen.begin, row + seen.end, kept + seen.begin);
  }

  const Attention& a_;
  const ReadyScore& score_;
  ConstRows met_;
  const float* packed_;
  ConstRows queries_;
  const AttentionRecord& record_;
  size_t head_, keys_, width_;
};

}  // namespace qkv
