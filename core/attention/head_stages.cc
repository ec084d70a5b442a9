#include "core/attention/head_stages.h"

#include <algorithm>
#include <bit>

#include "core/kernels/attention.h"
#include "core/kernels/matmul.h"

namespace qkv {
namespace {

// to = from, with 0 for NaN and infinities. Returns whether there was one.
template <size_t kCount>
bool CopyFinite(const float* from, float* to) {
  constexpr uint32_t kExponent = 0x7f800000;  // all ones in NaN and in infinities
  uint32_t left_out = 0;
  for (size_t c = 0; c < kCount; ++c) {
    const uint32_t bits = std::bit_cast<uint32_t>(from[c]);
    const uint32_t mask = (bits & kExponent) == kExponent ? ~uint32_t{0} : 0;
    left_out |= mask;
    to[c] = std::bit_cast<float>(bits & ~mask);
  }
  return left_out != 0;
}

// Panels of kPanel columns, each with its rows in order: V' as the weight of a product. NaN and infinities become 0,
// because 0 times them is NaN, also for queries that may not see them. The caller adds them where they are seen.
// Returns whether all values are finite.
bool PackValues(ConstRows values, float* packed) {
  bool left_out = false;
  for (size_t first = 0; first < values.dim; first += kPanel) {
    const size_t count = std::min(kPanel, values.dim - first);
    for (size_t r = 0; r < values.rows; ++r, packed += kPanel) {
      const float* row = values.Row(r) + first;
      if (count == kPanel) {
        left_out |= CopyFinite<kPanel>(row, packed);
        continue;
      }
      for (size_t c = 0; c < count; ++c) left_out |= CopyFinite<1>(row + c, packed + c);
      std::fill(packed + count, packed + kPanel, 0.0f);
    }
  }
  return !left_out;
}

// What one query may see. The window counts places of the keys that are not padding.
VisibleKeys FindVisible(const HeadTask& task, size_t query, const AttentionRecord& record) {
  const Attention& a = task.attention;
  const size_t keys = task.keys.rows, length = std::min(keys, a.mask.padding_from);
  VisibleKeys visible = {MaskRange(a.mask, query, keys)};
  if (a.window.kind == WindowKind::kGlobal || length == 0) return visible;
  visible.centre = Centre(a.window, task.head, query, task.Place(query), task.queries.Row(query), length);
  if (record.centres != nullptr) record.centres[task.QueryIndex(query)] = static_cast<float>(visible.centre);
  const KeyRange window = WindowRange(a.window, visible.centre, length);
  const KeyRange sinks = {0, std::min(a.window.sinks, visible.keys.end)};
  visible.keys = {std::max(visible.keys.begin, window.begin), std::min(visible.keys.end, window.end)};
  if (visible.keys.empty()) visible.keys = {sinks.end, sinks.end};
  // Sinks and window are one range; the keys between them are hidden.
  if (!sinks.empty()) {
    visible.hidden = {sinks.end, std::max(sinks.end, visible.keys.begin)};
    visible.keys = {0, std::max(sinks.end, visible.keys.end)};
  }
  if (visible.keys.empty()) visible.keys = {};
  return visible;
}

// Adds the part of the scores that depends on the distance of a key from its query, by the score's table. Keys at one
// distance, or in one bin of distances, share a row; keys in order meet the bins in order, so each row is multiplied
// once.
void AddRelative(const HeadTask& task, size_t first, const float* queries, size_t count, KeyRange range,
                 float* scores) {
  const RelativeTable& table = task.score.relative;
  if (table.empty()) return;
  const size_t dim = task.dim();
  for (size_t r = 0; r < count; ++r) {
    float* row = scores + r * task.row_width();
    table.ForEachRun(task.Place(first + r), range, [&](size_t bin, KeyRange keys) {
      const float* entry = table.rows.Row(bin);
      double number = table.multiplied ? 0 : *entry;
      for (size_t c = 0; c < dim && table.multiplied; ++c)
        number += static_cast<double>(queries[r * dim + c]) * entry[c];
      for (size_t j = keys.begin; j < keys.end; ++j) row[j] += static_cast<float>(number);
    });
  }
}

// Stores one row of a query in an array [heads, queries, keys], with `unseen` for keys that it may not see.
void StoreRow(const HeadTask& task, size_t query, KeyRange visible, const float* row, float unseen, float* array) {
  array += task.RowOffset(query);
  std::fill_n(array, task.keys.rows, unseen);
  std::copy(row + visible.begin, row + visible.end, array + visible.begin);
}

}  // namespace

const float* PackKeys(ConstRows keys, Arena& arena) {
  // Four rows at a time: their reads are in order, and what they write is one vector.
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

PreparedHead PrepareHead(const Attention& attention, const AttentionInputs& in, size_t head, Arena& arena) {
  PreparedHead prepared;
  // The score maps the keys, where it has a matrix for them.
  const ConstRows keys = in.key.Head(in.KeyHead(head));
  prepared.score.keys = keys;
  attention.score->prepare({keys, in.query.dim, head, in.query.heads, attention.parameters}, arena, prepared.score);
  // Sums over pairs read packed keys only; products can read them in place.
  if (!attention.in_place || prepared.score.pair_sum != nullptr) {
    prepared.keys = PackKeys(prepared.score.keys, arena);
  }
  if (in.value.data == nullptr) return prepared;
  prepared.value = in.value.Head(in.KeyHead(head));
  if (attention.selection.kind == SelectionKind::kMaxPool || attention.in_place) return prepared;
  float* values = arena.Floats(RoundUp(prepared.value.dim, kPanel) * prepared.value.rows);
  prepared.finite_values = PackValues(prepared.value, values);
  prepared.values = values;
  return prepared;
}

KeyRange FindVisibleKeys(const HeadTask& task, size_t first, size_t count, VisibleKeys* visible,
                         const AttentionRecord& record) {
  KeyRange all = {task.keys.rows, 0};
  for (size_t r = 0; r < count; ++r) {
    visible[r] = FindVisible(task, first + r, record);
    const KeyRange keys = visible[r].keys;
    if (!keys.empty()) all = {std::min(all.begin, keys.begin), std::max(all.end, keys.end)};
  }
  if (all.empty()) return {0, 0};
  return {all.begin / kKeyChain * kKeyChain, all.end};
}

void MapQueries(const HeadTask& task, size_t first, size_t count, float* mapped) {
  const size_t dim = task.dim();
  if (task.score.query_map.outputs() == 0) {
    for (size_t r = 0; r < count; ++r) std::copy_n(task.queries.Row(first + r), dim, mapped + r * dim);
    return;
  }
  Product product = Whole(task.score.query_map);
  product.x = task.queries.Row(first);
  product.x_stride = task.queries.stride;
  product.y = mapped;
  product.y_stride = dim;
  Multiply(product, count);
}

void ScaleQueries(const HeadTask& task, size_t count, float* mapped) {
  const size_t dim = task.dim();
  if (task.score.unit_queries) DivideByLength({mapped, count, dim, dim});
  if (task.score.scale == 1) return;
  for (size_t i = 0; i < count * dim; ++i) mapped[i] *= task.score.scale;
}

namespace {

// The sum over pairs of a score: its own loop, or the product q k'.
void SumPairs(const HeadTask& task, const float* queries, size_t count, KeyRange range, float* scores) {
  const size_t dim = task.dim(), width = task.row_width();
  // One query in place: read only the keys of the range.
  if (task.score.pair_sum == nullptr && task.attention.in_place) {
    for (size_t r = 0; r < count; ++r) {
      DotRows(queries + r * dim, task.keys.Row(range.begin), task.keys.stride, dim, range.size(),
              scores + r * width + range.begin);
    }
    return;
  }
  // Whole panels: a sum over pairs where the score has one, else the product q k'.
  const size_t begin = range.begin / kPanel * kPanel, end = RoundUp(range.end, kPanel);
  const float* keys = task.packed_keys + begin * dim;
  if (task.score.pair_sum != nullptr) {
    task.score.pair_sum({queries, count, dim, keys, end - begin, task.score.pair_weight, scores + begin, width});
    return;
  }
  Product product;
  product.x = queries;
  product.x_stride = product.inputs = dim;
  product.w = keys;
  product.panel_stride = dim * kPanel;
  product.outputs = end - begin;
  product.y = scores + begin;
  product.y_stride = width;
  Multiply(product, count);
}

}  // namespace

void ComputeScores(const HeadTask& task, size_t first, const float* queries, size_t count, KeyRange range,
                   float* scores) {
  if (range.empty()) return;
  SumPairs(task, queries, count, range, scores);
  AddRelative(task, first, queries, count, range, scores);
}

void ScoresToLogits(const HeadTask& task, size_t query, const VisibleKeys& seen, const uint8_t* used, float* row,
                    const AttentionRecord& record) {
  const Attention& a = task.attention;
  const KeyRange visible = seen.keys;
  // A slope on the distance belongs to the score: a record of scores holds it for all pairs.
  if (const float slope = task.score.slope; slope != 0) {
    const KeyRange range = record.scores != nullptr ? KeyRange{0, task.keys.rows} : visible;
    const auto t = static_cast<float>(task.Place(query));
    for (size_t j = range.begin; j < range.end; ++j) row[j] -= slope * std::abs(t - static_cast<float>(j));
  }
  if (record.scores != nullptr) std::copy_n(row, task.keys.rows, record.scores + task.RowOffset(query));
  // Bias and masks, then the keys that earlier queries used.
  ApplyMask(a.mask, task.head, query, task.keys.rows, visible, row);
  std::fill(row + seen.hidden.begin, row + seen.hidden.end, kMasked);
  if (used != nullptr) {
    for (size_t j = visible.begin; j < visible.end; ++j) row[j] = used[j] != 0 ? kMasked : row[j];
  }
  if (const float temperature = a.selection.temperature; temperature != 1) {
    for (size_t j = visible.begin; j < visible.end; ++j) row[j] /= temperature;
  }
  if (record.logits != nullptr) StoreRow(task, query, visible, row, kMasked, record.logits);
  if (record.empty != nullptr) {
    const auto masked = [](float logit) { return logit == kMasked; };
    record.empty[task.QueryIndex(query)] = std::all_of(row + visible.begin, row + visible.end, masked) ? 1 : 0;
  }
}

void LogitsToWeights(const HeadTask& task, size_t query, const VisibleKeys& visible, KeyRange computed, uint8_t* used,
                     float* row, const AttentionRecord& record) {
  const Attention& a = task.attention;
  int32_t chosen = kNoKey;
  bool is_given = false;
  if (a.custom_selection == nullptr) {
    chosen = Select(a.selection, task.head, task.Place(query), visible.keys, row);
  } else {
    is_given = (*a.custom_selection)(task.head, task.Place(query), visible.keys, row);
  }
  if (!is_given) ApplyGaussian(a.window, visible.centre, visible.keys, row);
  ClearRest(visible.keys, computed, row);
  StoreWeights(task, query, visible.keys, chosen, used, row, record);
}

void StoreWeights(const HeadTask& task, size_t query, KeyRange visible, int32_t chosen, uint8_t* used,
                  const float* weights, const AttentionRecord& record) {
  if (record.weights != nullptr) StoreRow(task, query, visible, weights, 0, record.weights);
  // A soft selection chooses no key; its largest weight stands for one where somebody asks.
  if (chosen == kNoKey && (record.chosen != nullptr || used != nullptr)) chosen = LargestWeight(visible, weights);
  if (record.chosen != nullptr) record.chosen[task.QueryIndex(query)] = chosen;
  if (used != nullptr && chosen != kNoKey) used[chosen] = 1;
}

void ClearRest(KeyRange visible, KeyRange computed, float* row) {
  if (visible.empty()) visible = {computed.begin, computed.begin};
  std::fill(row + computed.begin, row + visible.begin, 0.0f);
  std::fill(row + visible.end, row + computed.end, 0.0f);
}

void MultiplyPacked(const HeadTask& task, const PreparedHead& head, KeyRange keys, const float* rows, size_t count,
                    float* y, size_t stride) {
  Product product;
  product.x = rows + keys.begin;
  product.x_stride = task.row_width();
  product.w = head.values + keys.begin * kPanel;
  product.panel_stride = task.keys.rows * kPanel;
  product.inputs = keys.size();
  product.outputs = head.value.dim;
  product.y = y;
  product.y_stride = stride;
  Multiply(product, count);
}

int32_t LargestWeight(KeyRange visible, const float* weights) {
  const int32_t largest = LargestLogit(visible, weights);
  return largest != kNoKey && weights[largest] > 0 ? largest : kNoKey;
}

}  // namespace qkv
