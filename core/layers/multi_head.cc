#include "core/layers/multi_head.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/attention/interventions.h"
#include "core/base/round_up.h"

namespace qkv {

std::vector<AttendedSegment> AttendEach(const Segments& queries, const Segments& keys, ConstMatrixView key,
                                        ConstMatrixView value, bool causal) {
  std::vector<AttendedSegment> parts;
  parts.reserve(queries.size());
  for (size_t s = 0; s < queries.size(); ++s) {
    const size_t at = keys.begin(s) * static_cast<size_t>(key.cols());
    parts.push_back({.first_row = queries.begin(s),
                     .rows = queries.length(s),
                     .keys = key.data() + at,
                     .values = value.data() + at,
                     .length = keys.length(s),
                     .causal = causal,
                     .segment = s});
  }
  return parts;
}

ScaledDotAttention SegmentAttention(const MultiHead& layer, const AttendedSegment& segment, ConstMatrixView q,
                                    MatrixView context) {
  ScaledDotAttention a;
  a.heads = layer.heads;
  a.head_dim = layer.head_dim();
  a.scale = layer.scaled ? 1 / std::sqrt(static_cast<float>(a.head_dim)) : 1;
  const auto stride = static_cast<size_t>(q.cols());
  a.queries = segment.rows;
  a.query = q.data() + segment.first_row * stride;
  a.keys = segment.length;
  a.key = segment.keys;
  a.value = segment.values;
  a.query_stride = a.key_stride = a.output_stride = stride;
  a.key_rows = segment.key_rows;
  a.causal = segment.causal;
  a.first_query = segment.first_query;
  a.output = context.data() + segment.first_row * stride;
  return a;
}

namespace {

// With fewer multiplications for each thread, waking a thread costs more than it saves.
constexpr size_t kWorkPerThread = size_t{1} << 16;

// Copies rows with heads side by side to [heads, rows, dim].
void CopyHeads(const ScaledDotAttention& a, const float* from, size_t stride, size_t rows, const int32_t* places,
               float* to) {
  for (size_t head = 0; head < a.heads; ++head) {
    for (size_t i = 0; i < rows; ++i, to += a.head_dim) {
      const size_t row = places != nullptr ? static_cast<size_t>(places[i]) : i;
      std::copy_n(from + row * stride + head * a.head_dim, a.head_dim, to);
    }
  }
}

void RecordVectors(const ScaledDotAttention& a, const AttentionTrace::Vectors& to) {
  if (to.queries == nullptr) return;
  CopyHeads(a, a.query, a.query_stride, a.queries, nullptr, to.queries);
  CopyHeads(a, a.key, a.key_stride, a.keys, a.key_rows, to.keys);
  CopyHeads(a, a.value, a.key_stride, a.keys, a.key_rows, to.values);
}

// softmax(q k' / sqrt(d)) v of every segment, into `context`.
void AttendSegments(Context& ctx, const MultiHead& layer, std::span<const AttendedSegment> segments,
                    AttentionPlace place, ConstMatrixView q, MatrixView context) {
  // Memory for scores: as much as the largest segment needs, for each thread.
  const ArenaScope scope(ctx.arena);
  size_t scratch = 0, work = 0;
  for (const AttendedSegment& segment : segments) {
    scratch = std::max(scratch, AttentionScratch(SegmentAttention(layer, segment, q, context)));
    work += segment.rows * segment.length * static_cast<size_t>(q.cols());
  }
  constexpr size_t kLine = kCacheLine / sizeof(float);
  scratch = RoundUp(scratch, kLine);

  // A trace has one segment: its weights, queries, keys and values are kept.
  assert(ctx.trace == nullptr || segments.size() == 1);
  float* weights = nullptr;
  if (ctx.trace != nullptr) {
    weights = ctx.trace->Weights(place);
    RecordVectors(SegmentAttention(layer, segments.front(), q, context), ctx.trace->VectorsOf(place));
  }
  // The heads of all segments are divided, so that a single long sentence is shared by the threads too.
  const size_t heads = layer.heads, count = segments.size() * heads;
  const size_t threads = std::clamp<size_t>(work / kWorkPerThread, 1, std::min(ctx.pool.size(), count));
  const size_t grain = (count + threads - 1) / threads;
  float* buffers = ctx.arena.Floats(scratch * threads);
  ctx.pool.For(count, grain, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end;) {
      const size_t head = i % heads, some = std::min(heads - head, end - i);
      const AttendedSegment& segment = segments[i / heads];
      ScaledDotAttention a = SegmentAttention(layer, segment, q, context);
      a.weights = weights;
      const auto change = [&](size_t of, size_t query, float* row, size_t keys) {
        ctx.interventions->ChangedSoftmax(segment.segment, i / heads, {place, of, query, 0, {row, keys}});
      };
      const CustomSoftmax softmax = change;
      if (ctx.interventions != nullptr) a.custom_softmax = &softmax;
      Attend(SomeHeads(a, head, some), buffers + begin / grain * scratch);
      i += some;
    }
  });
}

}  // namespace

MatrixView Forward(Context& ctx, const MultiHead& layer, const Operand& x, std::span<const AttendedSegment> segments,
                   AttentionPlace place) {
  MatrixView q = Forward(ctx, layer.query, x);
  MatrixView context = ctx.New(q.rows(), q.cols());
  if (ctx.Recording() != nullptr) {
    AttendRecorded(ctx, layer, segments, place, View(q), context);
  } else {
    AttendSegments(ctx, layer, segments, place, View(q), context);
  }
  return Forward(ctx, layer.output, context);
}

}  // namespace qkv
