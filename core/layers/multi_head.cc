#include "core/layers/multi_head.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/kernels/attention.h"

namespace qkv {
namespace {

// Fewer multiplications than this a thread are not worth waking one for.
constexpr size_t kWorkPerThread = size_t{1} << 16;

ScaledDotAttention Heads(const MultiHead& layer, const AttendedSegment& segment, ConstMatrixView q, MatrixView context) {
  ScaledDotAttention a;
  a.heads = layer.heads;
  a.head_dim = layer.head_dim();
  a.scale = 1 / std::sqrt(static_cast<float>(a.head_dim));
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

}  // namespace

MatrixView Forward(Context& ctx, const MultiHead& layer, ConstMatrixView x, std::span<const AttendedSegment> segments,
                   AttentionPlace place) {
  MatrixView q = Forward(ctx, layer.query, x);
  MatrixView context = ctx.New(q.rows(), q.cols());
  const ArenaScope scope(ctx.arena);

  std::vector<ScaledDotAttention> parts;
  parts.reserve(segments.size());
  size_t scratch = 0, work = 0;
  for (const AttendedSegment& segment : segments) {
    parts.push_back(Heads(layer, segment, View(q), context));
    scratch = std::max(scratch, AttentionScratch(parts.back()));
    work += segment.rows * segment.length * static_cast<size_t>(q.cols());
  }
  if (ctx.trace != nullptr) {
    assert(parts.size() == 1);
    parts.front().weights = ctx.trace->Weights(place);
  }

  const size_t threads = std::clamp<size_t>(work / kWorkPerThread, 1, std::min(ctx.pool.size(), parts.size()));
  const size_t grain = (parts.size() + threads - 1) / threads;
  constexpr size_t kLine = kCacheLine / sizeof(float);
  scratch = (scratch + kLine - 1) / kLine * kLine;
  float* room = ctx.arena.Floats(scratch * threads);
  ctx.pool.For(parts.size(), grain, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) Attend(parts[i], room + begin / grain * scratch);
  });
  return Forward(ctx, layer.output, View(context));
}

}  // namespace qkv
