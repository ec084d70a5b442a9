#include "core/attention/likelihood.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/attention/attend_backward.h"
#include "core/attention/head_stages.h"
#include "core/attention/record_attend.h"
#include "core/attention/row_log_softmax.h"
#include "core/base/tape.h"

namespace qkv {
namespace {

double LogGaussian(const Window& window, double centre, size_t key) {
  const double distance = (static_cast<double>(key) - centre) / (window.half_width / 2);
  return -distance * distance / 2;
}

float LogLikelihood(const Attention& attention, const RowLogSoftmax& row_softmax, int32_t chosen,
                    const VisibleKeys& visible, const float* logits) {
  if (chosen == kNoKey) return 0;
  const auto key = static_cast<size_t>(chosen);
  if (key < visible.keys.begin || key >= visible.keys.end) return kMasked;
  double likelihood = row_softmax.LogProbability(logits[key]);
  if (attention.window.kind == WindowKind::kLocalP && attention.selection.kind == SelectionKind::kSoft) {
    likelihood += LogGaussian(attention.window, visible.centre, key);
  }
  return static_cast<float>(likelihood);
}

// One head of one segment. chosen, likelihoods, entropies [queries].
void HeadLikelihood(const HeadTask& task, const int32_t* chosen, float* likelihoods, float* entropies, Arena& arena) {
  const ArenaScope scope(arena);
  const size_t width = task.row_width();
  float *queries = arena.Floats(kQueryGroup * task.dim()), *logits = arena.Floats(kQueryGroup * width);
  std::vector<uint8_t> used(task.attention.mask_used ? task.keys.rows : 0);
  for (size_t first = 0; first < task.queries.rows; first += kQueryGroup) {
    const size_t count = std::min(kQueryGroup, task.queries.rows - first);
    // The stages of the forward, up to scores.
    VisibleKeys visible[kQueryGroup];
    const KeyRange computed = FindVisibleKeys(task, first, count, visible);
    MapQueries(task, first, count, queries);
    ScaleQueries(task, count, queries);
    ComputeScores(task, first, queries, count, computed, logits);
    // Each row by itself: logits, their softmax, and the likelihood of the chosen key.
    for (size_t r = 0; r < count; ++r) {
      const size_t i = first + r;
      float* row = logits + r * width;
      ScoresToLogits(task, i, visible[r], task.attention.mask_used ? used.data() : nullptr, row);
      const RowLogSoftmax row_softmax(visible[r].keys, row);
      entropies[i] = static_cast<float>(row_softmax.entropy);
      likelihoods[i] = LogLikelihood(task.attention, row_softmax, chosen[i], visible[r], row);
      if (task.attention.mask_used && chosen[i] != kNoKey) used[static_cast<size_t>(chosen[i])] = 1;
    }
  }
}

}  // namespace

MatrixView Likelihood(Context& ctx, const Attention& attention, const AttentionInputs& in,
                      const Segments& query_segments, const Segments& key_segments, const int32_t* chosen) {
  const size_t heads = in.query.heads, rows = in.query.rows;
  MatrixView result = ctx.New(2, static_cast<Eigen::Index>(heads * rows));
  // Each head of each segment by itself.
  for (size_t s = 0; s < query_segments.size(); ++s) {
    const size_t first = query_segments.begin(s), first_key = key_segments.begin(s), keys = key_segments.length(s);
    for (size_t head = 0; head < heads; ++head) {
      const ArenaScope scope(ctx.arena);
      const AttentionInputs part = {in.query.Slice(first, query_segments.length(s)), in.key.Slice(first_key, keys), {}};
      const PreparedHead prepared = PrepareHead(attention, part, head, ctx.arena);
      const HeadTask task = {
          attention, prepared.score, part.query.Head(head), Part(prepared.score.keys, 0, keys), prepared.keys, head};
      float* likelihoods = result.data() + head * rows + first;
      HeadLikelihood(task, chosen + head * rows + first, likelihoods, likelihoods + heads * rows, ctx.arena);
    }
  }
  // The backward is that of attention, with the gradients of these results.
  if (Tape* tape = ctx.Recording()) {
    tape->Record(View(result), [ctx, attention, in, query_segments, key_segments, chosen, result]() mutable {
      AttentionLoss loss;
      loss.chosen = chosen;
      loss.log_likelihood = ctx.tape->Gradient(result.data());
      loss.entropy = loss.log_likelihood + result.cols();
      AttendBackwardOnTape(ctx, attention, in, query_segments, key_segments, loss);
    });
  }
  return result;
}

}  // namespace qkv
