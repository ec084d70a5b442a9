#include "core/attention/attend.h"

#include <algorithm>
#include <cmath>

#include "core/attention/head_stages.h"
#include "core/attention/record_attend.h"
#include "core/kernels/attention.h"
#include "core/kernels/matmul.h"

namespace qkv {
namespace {

// The forward of one head of one call.
class HeadForward {
 public:
  HeadForward(AttendGroup fast_path, const HeadTask& task, const PreparedHead& head, Rows output,
              const AttentionRecord& record)
      : fast_path_(fast_path),
        task_(task),
        head_(head),
        output_(output),
        record_(record),
        width_(task.row_width()),
        selection_(task.attention.selection.kind) {}

  // Floats of scratch that Group needs: mapped queries and their rows of scores; one more row if values are not finite
  // or are pooled; a group of outputs for the fast path.
  size_t Scratch() const {
    const bool one_more = !head_.finite_values || selection_ == SelectionKind::kMaxPool;
    const size_t sums = fast_path_ != nullptr ? kQueryGroup * output_.dim : 0;
    return QueryFloats(task_) + kQueryGroup * width_ + (one_more ? width_ : 0) + sums;
  }

  // Queries [first, first + count), count <= kQueryGroup. `used`: one byte a key, or null.
  void Group(size_t first, size_t count, float* scratch, uint8_t* used) const {
    if (fast_path_ != nullptr && fast_path_({task_, head_, record_, first, count, scratch, output_})) return;
    float* queries = scratch;
    float* rows = queries + QueryFloats(task_);
    float* extra = rows + kQueryGroup * width_;
    // Scores of the group: only the keys that it sees, unless a record wants all.
    VisibleKeys visible[kQueryGroup];
    const KeyRange computed = FindVisibleKeys(task_, first, count, visible, record_);
    MapQueries(task_, first, count, queries);
    ScaleQueries(task_, count, queries);
    ComputeScores(task_, first, queries, count, record_.scores != nullptr ? KeyRange{0, task_.keys.rows} : computed,
                  rows);
    // Each row by itself: logits, weights, and the parts of the output that are not a product of weights and values.
    for (size_t r = 0; r < count; ++r) {
      float* row = rows + r * width_;
      ScoresToLogits(task_, first + r, visible[r], used, row, record_);
      if (selection_ == SelectionKind::kMaxPool) {
        MaxPool(first + r, visible[r], row, extra, used);
        continue;
      }
      if (!head_.finite_values) std::copy_n(row, width_, extra);
      LogitsToWeights(task_, first + r, visible[r], computed, used, row, record_);
      if (head_.finite_values) continue;
      MultiplyValues(first + r, 1, computed, row);
      AddNotFinite(visible[r].keys, row, extra, output_.Row(first + r));
      AddRelativeValues(first + r, 1, computed, row);
    }
    // One product for the group: weights V.
    const bool product = head_.value.data != nullptr && selection_ != SelectionKind::kMaxPool;
    if (!product || !head_.finite_values) return;
    MultiplyValues(first, count, computed, rows);
    AddRelativeValues(first, count, computed, rows);
  }

 private:
  // output = weights V for queries [first, first + count) and the keys of `computed`.
  void MultiplyValues(size_t first, size_t count, KeyRange computed, const float* rows) const {
    // Without keys the output is zero.
    if (computed.empty()) {
      for (size_t r = 0; r < count; ++r) std::fill_n(output_.Row(first + r), output_.dim, 0.0f);
      return;
    }
    // Values that are read where they are: query by query.
    if (task_.attention.in_place) {
      for (size_t r = 0; r < count; ++r) {
        SumRows(rows + r * width_ + computed.begin, head_.value.Row(computed.begin), head_.value.stride, output_.dim,
                computed.size(), output_.Row(first + r));
      }
      return;
    }
    // Packed values: all queries in one product.
    MultiplyPacked(task_, head_, computed, rows, count, output_.Row(first), output_.stride);
  }

  // Adds the rows of the values' table. Keys in one bin of distances share a row, so the row is multiplied by the sum
  // of their weights.
  void AddRelativeValues(size_t first, size_t count, KeyRange computed, const float* rows) const {
    const RelativeTable& table = task_.score.relative_values;
    for (size_t r = 0; r < count && !table.empty(); ++r) {
      float* output = output_.Row(first + r);
      table.ForEachRun(task_.Place(first + r), computed, [&](size_t bin, KeyRange keys) {
        double weight = 0;
        for (size_t j = keys.begin; j < keys.end; ++j) weight += rows[r * width_ + j];
        const float* row = table.rows.Row(bin);
        for (size_t c = 0; c < output_.dim && weight != 0; ++c) output[c] += static_cast<float>(weight * row[c]);
      });
    }
  }

  // Adds NaN and infinities of the values that a query sees: the packed values have zeros there. A soft weight that is
  // 0 by rounding counts as seen; the zeros of a hard or sparse selection do not.
  void AddNotFinite(KeyRange visible, const float* weights, const float* logits, float* output) const {
    const bool hard = selection_ == SelectionKind::kArgmax || selection_ == SelectionKind::kSampled ||
                      task_.attention.selection.sparse();
    for (size_t j = visible.begin; j < visible.end; ++j) {
      if (logits[j] == kMasked || (hard && weights[j] == 0)) continue;
      const float* value = head_.value.Row(j);
      for (size_t c = 0; c < output_.dim; ++c) {
        if (!std::isfinite(value[c])) output[c] += weights[j] * value[c];
      }
    }
  }

  // For each column the largest value that the query sees. A key's weight is the share of the columns that it won. Both
  // are multiplied by the window's Gaussian. `weights`: memory for a row.
  void MaxPool(size_t query, const VisibleKeys& visible, const float* logits, float* weights, uint8_t* used) const {
    std::fill(weights + visible.keys.begin, weights + visible.keys.end, 0.0f);
    float* output = output_.Row(query);
    std::fill_n(output, output_.dim, 0.0f);
    ForEachWinner(visible.keys, logits, head_.value, [&](size_t c, size_t winner) {
      const float factor = Gaussian(task_.attention.window, visible.centre, winner);
      output[c] = factor * head_.value.Row(winner)[c];
      weights[winner] += factor / static_cast<float>(output_.dim);
    });
    StoreWeights(task_, query, visible.keys, kNoKey, used, weights, record_);
  }

  AttendGroup fast_path_;
  const HeadTask& task_;
  const PreparedHead& head_;
  Rows output_;
  const AttentionRecord& record_;
  size_t width_;
  SelectionKind selection_;
};

// One head: its groups of queries, divided among the threads. Each thread has its part of the scratch.
void AttendHead(AttendGroup fast_path, Context& ctx, const Attention& attention, const AttentionInputs& in, size_t head,
                Heads output, const AttentionRecord& record) {
  const ArenaScope scope(ctx.arena);
  const PreparedHead prepared = PrepareHead(attention, in, head, ctx.arena);
  const HeadTask task = {
      attention, prepared.score, in.query.Head(head), Part(prepared.score.keys, 0, in.key.rows), prepared.keys, head};
  const HeadForward forward(fast_path, task, prepared, in.value.data != nullptr ? output.Head(head) : Rows{}, record);
  // With mask_used a query depends on those before it, so one thread takes them in order.
  const size_t queries = in.query.rows, groups = (queries + kQueryGroup - 1) / kQueryGroup;
  const size_t threads = attention.mask_used ? 1 : std::clamp<size_t>(groups, 1, ctx.pool.size());
  const size_t grain = std::max<size_t>((groups + threads - 1) / threads, 1);
  const size_t floats = RoundUp(forward.Scratch(), kPanel);
  float* scratch = ctx.arena.Floats(floats * threads);
  uint8_t* used = nullptr;
  if (attention.mask_used) {
    used = reinterpret_cast<uint8_t*>(ctx.arena.Floats(in.key.rows / sizeof(float) + 1));
    std::fill_n(used, in.key.rows, uint8_t{0});
  }
  ctx.pool.For(groups, grain, [&](size_t begin, size_t end) {
    for (size_t g = begin; g < end; ++g) {
      const size_t first = g * kQueryGroup;
      forward.Group(first, std::min(kQueryGroup, queries - first), scratch + begin / grain * floats, used);
    }
  });
}

void AttendAll(AttendGroup fast_path, Context& ctx, const Attention& attention, const AttentionInputs& in, Heads output,
               const AttentionRecord& record) {
  for (size_t head = 0; head < in.query.heads; ++head) AttendHead(fast_path, ctx, attention, in, head, output, record);
}

}  // namespace

void Attend(Context& ctx, const Attention& attention, const AttentionInputs& in, Heads output,
            const AttentionRecord& record) {
  AttendWith(nullptr, ctx, attention, in, output, record);
}

void AttendWith(AttendGroup fast_path, Context& ctx, const Attention& attention, const AttentionInputs& in,
                Heads output, const AttentionRecord& record) {
  AttendAll(fast_path, ctx, attention, in, output, record);
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
    AttendAll(nullptr, ctx, part,
              {in.query.Slice(first, count), in.key.Slice(first_key, keys), in.value.Slice(first_key, keys)},
              output.Slice(first, count), {});
  }
  if (ctx.Recording() != nullptr) RecordAttend(ctx, attention, in, query_segments, key_segments, output);
}

}  // namespace qkv
