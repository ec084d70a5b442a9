// The alignment of a translation with its source: one forced pass that keeps the attention of the alignment heads.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "core/attention/trace.h"
#include "core/translate/decode_options.h"

namespace qkv {

// The alignment heads as (layer, head): those that the model names, or all heads of the last layer. Empty without cross
// attention.
std::vector<std::pair<size_t, size_t>> AlignmentHeads(const TranslationModel& model);
// The mean of these heads, [1, 1, targets, sources]; zeros if there are none.
AttentionMap MeanOf(const AttentionMap& cross, const std::vector<std::pair<size_t, size_t>>& heads);

// The decoder's input for a given `target`: the start piece, then the target without its last piece.
std::vector<int32_t> DecoderInput(std::vector<int32_t> target, int32_t start);

// The alignment of one translation.
class AlignmentJob : public Job {
 public:
  // Source and target both end with </s>. `model` and `source` must outlive the job.
  AlignmentJob(const TranslationModel& model, const Tokens& source, std::vector<int32_t> target,
               std::optional<Interventions> interventions = std::nullopt);

  // Complete when Step has returned true and outcome() has no error: [1, 1, target, source].
  const AttentionMap& result() const { return result_; }

 private:
  bool Advance(Context& plain) override;

  const TranslationModel& model_;
  size_t source_;  // pieces
  std::vector<int32_t> target_;
  std::optional<Interventions> interventions_;
  AttentionTrace trace_;
  std::unique_ptr<EncoderPass> encoder_;
  std::unique_ptr<ForcedPass> decoder_;
  AttentionMap result_;
};

}  // namespace qkv
