// Sentences that are encoded and searched together.
#pragma once

#include <memory>
#include <vector>

#include "core/translate/job.h"

namespace qkv {

class SentenceBatch {
 public:
  // `model` and `options` must outlive the batch, `sentences` as well; none of them is empty.
  SentenceBatch(const TranslationModel& model, const DecodeOptions& options, std::vector<const Tokens*> sentences);

  // What Step takes at most.
  Room NextRoom(size_t threads) const;
  // One layer of the encoder, or one piece of every live hypothesis, further. True when done.
  bool Step(Context& ctx);

  size_t size() const { return sentences_.size(); }
  // Of a batch that is done.
  const BeamSearch& search() const { return *search_; }

 private:
  void StartSearch(Context& ctx);
  std::vector<std::vector<int32_t>> Shortlists() const;

  const TranslationModel& model_;
  const DecodeOptions& options_;
  std::vector<const Tokens*> sentences_;
  std::unique_ptr<EncoderPass> encoder_;
  std::unique_ptr<BeamSearch> search_;
};

// How many hypotheses a search keeps.
inline size_t BeamOf(const TranslationModel& model, const DecodeOptions& options) {
  return options.beam != 0 ? options.beam : model.generation().beam;
}

// The most pieces that a source of `source_pieces` (</s> included) may be given: min(max_length, 3 * source + 50 +
// prefix).
size_t LongestTranslation(const TranslationModel& model, size_t source_pieces, const DecodeOptions& options);

}  // namespace qkv
