#include "core/attention/likelihood.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/attention/attend_backward.h"
#include "core/attention/attend_head.h"
#include "core/attention/record_attend.h"
#include "core/attention/row_odds.h"
#include "core/base/tape.h"

namespace qkv {
namespace {

// Queries worked on at a time.
constexpr size_t kGroup = 48;

const AttentionRecord kNoRecord;

double LogGaussian(const Window& window, double centre, size_t key) {
  const double distance = (static_cast<double>(key) - centre) / (window.half_width / 2);
  return -distance * distance / 2;
}

// The forward of Likelihood for one head of one segment.
class HeadLikelihood : public HeadWeights {
 public:
  using HeadWeights::HeadWeights;

  // chosen, likelihoods, entropies [queries]
  void Run(const int32_t* chosen, float* likelihoods, float* entropies, Arena& arena) {
    const ArenaScope scope(arena);
    const size_t dim = score_.keys.dim;
    float *queries = arena.Floats(kGroup * dim), *logits = arena.Floats(kGroup * width_);
    std::vector<uint8_t> used(a_.mask_used ? keys_ : 0);
    for (size_t first = 0; first < queries_.rows; first += kGroup) {
      const size_t count = std::min(kGroup, queries_.rows - first);
      double centres[kGroup] = {};
      KeyRange seen[kGroup];
      const KeyRange all = Look(first, count, seen, centres);
      MapQueries(first, count, queries);
      ScaleQueries(count, queries);
      SumPairs(queries, count, all, logits);
      for (size_t r = 0; r < count; ++r) {
        const size_t i = first + r;
        Edit(i, seen[r], logits + r * width_, a_.mask_used ? used.data() : nullptr);
        const RowOdds odds(seen[r], logits + r * width_);
        entropies[i] = static_cast<float>(odds.entropy);
        likelihoods[i] = OfKey(odds, chosen[i], seen[r], centres[r], logits + r * width_);
        if (a_.mask_used && chosen[i] != kNoKey) used[static_cast<size_t>(chosen[i])] = 1;
      }
    }
  }

 private:
  float OfKey(const RowOdds& odds, int32_t chosen, KeyRange seen, double centre, const float* logits) const {
    if (chosen == kNoKey) return 0;
    const auto key = static_cast<size_t>(chosen);
    if (key < seen.begin || key >= seen.end) return kMasked;
    double likelihood = odds.LogProbability(logits[key]);
    if (a_.window.kind == WindowKind::kLocalP && a_.selection.kind == SelectionKind::kSoft) {
      likelihood += LogGaussian(a_.window, centre, key);
    }
    return static_cast<float>(likelihood);
  }
};

}  // namespace

MatrixView Likelihood(Context& ctx, const Attention& attention, const AttentionInputs& in,
                      const Segments& query_segments, const Segments& key_segments, const int32_t* chosen) {
  const size_t heads = in.query.heads, rows = in.query.rows;
  MatrixView result = ctx.New(2, static_cast<Eigen::Index>(heads * rows));
  for (size_t s = 0; s < query_segments.size(); ++s) {
    const size_t first = query_segments.begin(s), first_key = key_segments.begin(s), keys = key_segments.length(s);
    for (size_t head = 0; head < heads; ++head) {
      const ArenaScope scope(ctx.arena);
      const AttentionInputs part = {in.query.Slice(first, query_segments.length(s)), in.key.Slice(first_key, keys), {}};
      const ReadyHead ready = MakeReady(attention, part, head, ctx.arena);
      float* likelihoods = result.data() + head * rows + first;
      HeadLikelihood(attention, part.query.Head(head), ready.score, Part(ready.score.keys, 0, keys), ready.keys, head,
                     kNoRecord)
          .Run(chosen + head * rows + first, likelihoods, likelihoods + heads * rows, ctx.arena);
    }
  }
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
