#include <algorithm>
#include <cassert>

#include "core/base/random.h"
#include "core/base/round_up.h"
#include "core/base/tape.h"
#include "core/kernels/attention_backward.h"
#include "core/kernels/dropout.h"
#include "core/layers/multi_head.h"

namespace qkv {
namespace {

constexpr size_t kLine = kCacheLine / sizeof(float);

// The weights of all segments, one after another, each [heads, rows, length].
struct Recorded {
  AttentionPlace place;
  std::vector<AttendedSegment> segments;
  std::vector<size_t> offsets;  // the offset of each segment's weights, and the total
  float* weights = nullptr;
  const float* dropped = nullptr;  // weights after dropout; the same array without dropout
  float dropout = 0;
  uint64_t first_block = 0;

  size_t size() const { return offsets.back(); }
};

template <class Function>
void ForSegments(const Context& ctx, const Recorded& recorded, const Function& function) {
  const size_t count = recorded.segments.size(), threads = std::min(ctx.pool.size(), count);
  const size_t grain = std::max<size_t>((count + threads - 1) / threads, 1);
  ctx.pool.For(count, grain, [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) function(i, begin / grain);
  });
}

// Records the gradients of the weights of one segment; masked weights have none.
void RecordWeightGradients(const Recorded& recorded, size_t heads, const float* d_weights, AttentionTrace& to) {
  const AttendedSegment& segment = recorded.segments.front();
  float* kept = to.Weights(recorded.place);
  if (kept == nullptr) return;
  for (size_t head = 0; head < heads; ++head) {
    for (size_t i = 0; i < segment.rows; ++i) {
      const size_t at = (head * segment.rows + i) * segment.length;
      const size_t seen = segment.causal ? std::min(segment.first_query + i + 1, segment.length) : segment.length;
      std::copy_n(d_weights + at, seen, kept + at);
    }
  }
}

void Backward(const Context& ctx, const MultiHead& layer, const Recorded& recorded, ConstMatrixView q,
              MatrixView context) {
  // The gradients that are read and written.
  Tape& tape = *ctx.tape;
  const ArenaScope scope(ctx.arena);
  const float* d_context = tape.Gradient(context.data());
  float* d_q = tape.Gradient(q.data());
  float* d_weights = ctx.arena.Floats(recorded.size());
  struct Places {
    float *key, *value;
  };
  std::vector<Places> to;  // found before the threads run, because only one thread may use the tape
  to.reserve(recorded.segments.size());
  for (const AttendedSegment& segment : recorded.segments) {
    to.push_back({tape.Gradient(segment.keys), tape.Gradient(segment.values)});
  }
  // dA = dC V', of the weights after dropout.
  const auto stride = static_cast<size_t>(q.cols());
  ForSegments(ctx, recorded, [&](size_t i, size_t) {
    const AttendedSegment& segment = recorded.segments[i];
    WeightsBackward(SegmentAttention(layer, segment, q, context), d_context + segment.first_row * stride,
                    d_weights + recorded.offsets[i]);
  });
  // Through dropout: the same elements are 0, the others are divided by 1 - rate.
  if (recorded.dropout > 0) {
    DropoutElements(*ctx.random, recorded.first_block, recorded.dropout, d_weights, recorded.size(), ctx.pool);
  }
  if (tape.weight_gradients != nullptr) RecordWeightGradients(recorded, layer.heads, d_weights, *tape.weight_gradients);
  // Through the softmax and the product: dS = A (dA - sum(A dA)), dQ = dS K, dK = dS' Q; and dV = A' dC.
  ForSegments(ctx, recorded, [&](size_t i, size_t) {
    const AttendedSegment& segment = recorded.segments[i];
    ScaledDotAttention a = SegmentAttention(layer, segment, q, context);
    a.weights = recorded.weights + recorded.offsets[i];
    ScoresBackward(a, recorded.dropped + recorded.offsets[i], d_context + segment.first_row * stride,
                   d_weights + recorded.offsets[i], d_q + segment.first_row * stride, to[i].key, to[i].value);
  });
}

}  // namespace

void AttendRecorded(Context& ctx, const MultiHead& layer, std::span<const AttendedSegment> segments,
                    AttentionPlace place, ConstMatrixView q, MatrixView context) {
  assert(ctx.trace == nullptr);
  Recorded recorded;
  recorded.place = place;
  recorded.segments.assign(segments.begin(), segments.end());
  recorded.offsets.push_back(0);
  size_t scratch = 0;
  for (const AttendedSegment& segment : segments) {
    recorded.offsets.push_back(recorded.size() + layer.heads * segment.rows * segment.length);
    scratch = std::max(scratch, RoundUp(AttentionScratch(SegmentAttention(layer, segment, q, context)), kLine));
  }
  // The forward stores the weights of all segments, because the backward reads them.
  recorded.weights = ctx.arena.Floats(recorded.size());
  {
    const ArenaScope scope(ctx.arena);
    float* buffers = ctx.arena.Floats(scratch * ctx.pool.size());
    ForSegments(ctx, recorded, [&](size_t i, size_t thread) {
      ScaledDotAttention a = SegmentAttention(layer, segments[i], q, context);
      a.weights = recorded.weights + recorded.offsets[i];
      Attend(a, buffers + thread * scratch);
    });
  }
  // Dropout of weights. The output is computed again from the weights that are left.
  recorded.dropped = recorded.weights;
  if (ctx.random != nullptr && layer.dropout > 0) {
    recorded.dropout = layer.dropout;
    recorded.first_block = ctx.random->TakeBlocks(DropoutBlocks(recorded.size()));
    float* dropped = ctx.arena.Floats(recorded.size());
    std::copy_n(recorded.weights, recorded.size(), dropped);
    DropoutElements(*ctx.random, recorded.first_block, recorded.dropout, dropped, recorded.size(), ctx.pool);
    ForSegments(ctx, recorded, [&](size_t i, size_t) {
      MultiplyWeights(SegmentAttention(layer, segments[i], q, context), dropped + recorded.offsets[i]);
    });
    recorded.dropped = dropped;
  }
  ctx.tape->Record(View(context), [ctx, &layer, recorded = std::move(recorded), q, context] {
    Backward(ctx, layer, recorded, q, context);
  });
}

}  // namespace qkv
