// Texts in, texts out: sentences are packed into batches by length, encoded and searched together.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/translate/job.h"

namespace qkv {

struct ScoredText {
  std::string text;
  std::vector<int32_t> ids;  // </s> included
  float log_prob = 0;        // natural
  float score = 0;           // log_prob / length^penalty
  bool cut = false;          // it had not ended by the longest length it may have
};

struct Translation : ScoredText {
  bool truncated = false;          // the source was cut to the model's positions
  std::vector<ScoredText> n_best;  // best first, itself included; empty unless more than one was asked for
  std::vector<SearchNode> tree;    // empty unless asked for
};

class TranslationJob : public Job {
 public:
  // `model` must outlive the job. A text without pieces (empty, or white space alone) is translated by an empty one.
  TranslationJob(const TranslationModel& model, const std::vector<std::string>& texts, DecodeOptions options);

  // In the order of the texts; complete once Step has returned true.
  const std::vector<Translation>& results() const { return results_; }
  // Texts translated so far.
  size_t finished() const { return finished_; }

 private:
  bool Advance(Context& ctx) override;
  void NextBatch();
  void StartSearch(Context& ctx);
  void TakeResults();
  std::vector<std::vector<int32_t>> Shortlists() const;
  ScoredText Spell(Hypothesis hypothesis) const;
  size_t beam() const { return options_.beam != 0 ? options_.beam : model_.generation().beam; }

  const TranslationModel& model_;
  DecodeOptions options_;
  std::vector<Tokens> sources_;
  std::vector<size_t> order_;  // texts by length
  size_t next_ = 0;            // in order_
  std::vector<size_t> batch_;  // texts
  std::unique_ptr<EncoderPass> encoder_;
  std::unique_ptr<BeamSearch> search_;
  std::vector<Translation> results_;
  size_t finished_ = 0;
};

// The most pieces that a source of `source_pieces` (</s> included) may be given: min(max_length, 3 * source + 50 +
// prefix).
size_t LongestTranslation(const TranslationModel& model, size_t source_pieces, const DecodeOptions& options);

}  // namespace qkv
