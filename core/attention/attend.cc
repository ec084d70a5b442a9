#include "core/attention/attend.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "core/attention/attend_head.h"
#include "core/attention/record_attend.h"

namespace qkv {
namespace {

// Queries worked on at a time: whole tiles of the product on every target, and their scores stay in the second level of
// cache up to a thousand keys or two.
constexpr size_t kGroup = 12;
// to = from, with 0 for what is not finite; whether there was such.
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

// Panels of kPanel columns, each with its rows in order: V' as a product's weight. What is not finite is left out: 0
// times it is NaN, also for queries that may not see it (AddNotFinite). Returns whether all is finite.
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

// One head of one call.
class HeadCall : public HeadWeights {
 public:
  HeadCall(const Attention& attention, const AttentionInputs& in, size_t head, const ReadyHead& ready, Rows output,
           const AttentionRecord& record)
      : HeadWeights(attention, in.query.Head(head), ready.score, Part(ready.score.keys, 0, in.key.rows), ready.keys,
                    head, record),
        ready_(ready),
        output_(output) {}

  // Floats of scratch for Group.
  size_t Scratch() const {
    return RoundUp(kGroup * score_.keys.dim, kPanel) + kGroup * width_ + (ready_.finite_values ? 0 : width_);
  }

  // Queries [first, first + count), count <= kGroup. `used`: a byte a key, or null.
  void Group(size_t first, size_t count, float* scratch, uint8_t* used) const {
    float* queries = scratch;
    float* rows = queries + RoundUp(kGroup * score_.keys.dim, kPanel);
    float* kept = rows + kGroup * width_;
    double centres[kGroup] = {};
    KeyRange seen[kGroup];
    const KeyRange all = Look(first, count, seen, centres);
    MapQueries(first, count, queries);
    ScaleQueries(count, queries);
    SumPairs(queries, count, all, rows);
    for (size_t r = 0; r < count; ++r) {
      float* row = rows + r * width_;
      Edit(first + r, seen[r], row, used);
      if (!ready_.finite_values) std::copy_n(row, width_, kept);
      Weights(first + r, seen[r], centres[r], all, row, used);
      if (a_.selection.kind == SelectionKind::kMaxPool) {
        MaxPool(first + r, seen[r], row);
      } else if (!ready_.finite_values) {
        MultiplyValues(first + r, 1, all, row);
        AddNotFinite(seen[r], row, kept, output_.Row(first + r));
      }
    }
    const bool product = ready_.value.data != nullptr && a_.selection.kind != SelectionKind::kMaxPool;
    if (product && ready_.finite_values) MultiplyValues(first, count, all, rows);
  }

 private:
  void MultiplyValues(size_t first, size_t count, KeyRange all, const float* rows) const {
    if (all.empty()) {
      for (size_t r = 0; r < count; ++r) std::fill_n(output_.Row(first + r), output_.dim, 0.0f);
      return;
    }
    if (a_.in_place) {
      for (size_t r = 0; r < count; ++r) {
        SumRows(rows + r * width_ + all.begin, ready_.value.Row(all.begin), ready_.value.stride, output_.dim,
                all.size(), output_.Row(first + r));
      }
      return;
    }
    Product product;
    product.x = rows + all.begin;
    product.x_stride = width_;
    product.w = ready_.values + all.begin * kPanel;
    product.panel_stride = keys_ * kPanel;
    product.inputs = all.size();
    product.outputs = output_.dim;
    product.y = output_.Row(first);
    product.y_stride = output_.stride;
    Multiply(product, count);
  }

  // What the product left out of the values that a query sees. A soft weight that is 0 by rounding counts as seen, the
  // zeros of a hard selection do not.
  void AddNotFinite(KeyRange seen, const float* weights, const float* logits, float* output) const {
    const bool hard = a_.selection.kind == SelectionKind::kArgmax || a_.selection.kind == SelectionKind::kSampled;
    for (size_t j = seen.begin; j < seen.end; ++j) {
      if (logits[j] == kMasked || (hard && weights[j] == 0)) continue;
      const float* value = ready_.value.Row(j);
      for (size_t c = 0; c < output_.dim; ++c) {
        if (!std::isfinite(value[c])) output[c] += weights[j] * value[c];
      }
    }
  }

  // For each column the largest value that the query sees; a key's weight is the share of the columns that it won.
  void MaxPool(size_t query, KeyRange seen, const float* row) const {
    float* weights = record_.weights != nullptr ? record_.weights + Kept(query) : nullptr;
    if (weights != nullptr) std::fill_n(weights, keys_, 0.0f);
    float* output = output_.Row(query);
    std::fill_n(output, output_.dim, 0.0f);
    ForEachWinner(seen, row, ready_.value, [&](size_t c, size_t winner) {
      output[c] = ready_.value.Row(winner)[c];
      if (weights != nullptr) weights[winner] += 1 / static_cast<float>(output_.dim);
    });
    if (record_.chosen != nullptr) record_.chosen[head_ * queries_.rows + query] = kNoKey;
  }

  const ReadyHead& ready_;
  Rows output_;
};

Error Invalid(std::string message, std::string where) {
  return {ErrorCode::kInvalidArgument, std::move(message), std::move(where)};
}

}  // namespace

Result<void> CheckAttention(const Attention& attention, const AttentionInputs& in) {
  const ConstHeads &query = in.query, &key = in.key, &value = in.value;
  if (query.heads == 0 || query.dim == 0) return Invalid("queries need a head and a column or more", "query");
  if (key.heads == 0 || key.dim == 0) return Invalid("keys need a head and a column or more", "key");
  if (query.heads % key.heads != 0) {
    return Invalid("the number of key heads divides that of query heads, and " + std::to_string(key.heads) +
                       " does not divide " + std::to_string(query.heads),
                   "key");
  }
  if (value.data != nullptr && (value.heads != key.heads || value.rows != key.rows || value.dim == 0)) {
    return Invalid("there is one value for each key: " + std::to_string(key.heads) + " heads of " +
                       std::to_string(key.rows) + ", and not " + std::to_string(value.heads) + " of " +
                       std::to_string(value.rows),
                   "value");
  }
  if (attention.selection.kind == SelectionKind::kMaxPool && value.data == nullptr) {
    return Invalid("max pooling needs values", "value");
  }
  if (!(attention.selection.temperature > 0) || !std::isfinite(attention.selection.temperature)) {
    return Invalid("a temperature is above 0", "temperature");
  }
  QKV_CHECK(CheckScore(*attention.score, attention.parameters, query.heads, query.dim, key.dim, key.rows));
  return CheckWindow(attention.window, query.heads, query.rows, query.dim);
}

ReadyHead MakeReady(const Attention& attention, const AttentionInputs& in, size_t head, Arena& arena) {
  const size_t of_keys = head / (in.query.heads / in.key.heads);
  ReadyHead ready;
  const ConstRows keys = in.key.Head(of_keys);
  ready.score.keys = keys;
  attention.score->ready({keys, in.query.dim, head, in.query.heads, attention.parameters}, arena, ready.score);
  if (!attention.in_place || ready.score.pair_sum != nullptr) ready.keys = PackKeys(ready.score.keys, arena);
  if (in.value.data == nullptr) return ready;
  ready.value = in.value.Head(of_keys);
  if (attention.selection.kind == SelectionKind::kMaxPool || attention.in_place) return ready;
  float* values = arena.Floats(RoundUp(ready.value.dim, kPanel) * ready.value.rows);
  ready.finite_values = PackValues(ready.value, values);
  ready.values = values;
  return ready;
}

void AttendHead(Context& ctx, const Attention& attention, const AttentionInputs& in, size_t head,
                const ReadyHead& ready, Heads output, const AttentionRecord& record) {
  const ArenaScope scope(ctx.arena);
  const HeadCall call(attention, in, head, ready, in.value.data != nullptr ? output.Head(head) : Rows{}, record);
  const size_t queries = in.query.rows, groups = (queries + kGroup - 1) / kGroup;
  const size_t threads = attention.mask_used ? 1 : std::clamp<size_t>(groups, 1, ctx.pool.size());
  const size_t grain = std::max<size_t>((groups + threads - 1) / threads, 1), room = RoundUp(call.Scratch(), kPanel);
  float* scratch = ctx.arena.Floats(room * threads);
  uint8_t* used = nullptr;
  if (attention.mask_used) {
    used = reinterpret_cast<uint8_t*>(ctx.arena.Floats(in.key.rows / sizeof(float) + 1));
    std::fill_n(used, in.key.rows, uint8_t{0});
  }
  ctx.pool.For(groups, grain, [&](size_t begin, size_t end) {
    for (size_t g = begin; g < end; ++g) {
      call.Group(g * kGroup, std::min(kGroup, queries - g * kGroup), scratch + begin / grain * room, used);
    }
  });
}

static void AttendAll(Context& ctx, const Attention& attention, const AttentionInputs& in, Heads output,
                      const AttentionRecord& record) {
  for (size_t head = 0; head < in.query.heads; ++head) {
    const ArenaScope scope(ctx.arena);
    const ReadyHead ready = MakeReady(attention, in, head, ctx.arena);
    AttendHead(ctx, attention, in, head, ready, output, record);
  }
}

void Attend(Context& ctx, const Attention& attention, const AttentionInputs& in, Heads output,
            const AttentionRecord& record) {
  AttendAll(ctx, attention, in, output, record);
  if (ctx.Recording() == nullptr) return;
  RecordAttend(ctx, attention, in, Segments::One(in.query.rows), Segments::One(in.key.rows), output);
}

void AttendSegments(Context& ctx, const Attention& attention, const AttentionInputs& in, const Segments& query_segments,
                    const Segments& key_segments, Heads output) {
  assert(query_segments.size() == key_segments.size());
  for (size_t s = 0; s < query_segments.size(); ++s) {
    const size_t first = query_segments.begin(s), count = query_segments.length(s);
    const size_t first_key = key_segments.begin(s), keys = key_segments.length(s);
    Attention part = attention;
    part.window.centres = attention.window.centres.Slice(first, count);
    AttendAll(ctx, part, {in.query.Slice(first, count), in.key.Slice(first_key, keys), in.value.Slice(first_key, keys)},
              output.Slice(first, count), {});
  }
  if (ctx.Recording() != nullptr) RecordAttend(ctx, attention, in, query_segments, key_segments, output);
}

}  // namespace qkv
