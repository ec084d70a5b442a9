// Sentences that are encoded and searched together.
#pragma once

#include <memory>
#include <vector>

#include "core/translate/decode_options.h"

namespace qkv {

class SentenceBatch {
 public:
  // `model`, `options`, `sentences` and `texts`, their numbers in the call, must outlive the batch. No sentence is
  // empty.
  SentenceBatch(const TranslationModel& model, const DecodeOptions& options, std::vector<const Tokens*> sentences,
                std::span<const size_t> texts);

  // An upper bound of the memory that Step takes.
  MemoryNeed NextMemoryNeed(size_t threads) const;
  // Computes one layer of the encoder, or one piece of every live hypothesis. Returns true when done.
  bool Step(Context& plain);

  size_t size() const { return sentences_.size(); }
  // The search of a batch that is done.
  const BeamSearch& search() const { return *search_; }

 private:
  void StartSearch(Context& ctx);
  std::vector<std::vector<int32_t>> Shortlists() const;

  const TranslationModel& model_;
  const DecodeOptions& options_;
  std::vector<const Tokens*> sentences_;
  std::optional<Interventions> interventions_;
  std::unique_ptr<EncoderPass> encoder_;
  std::unique_ptr<BeamSearch> search_;
};

// The number of hypotheses that a search keeps.
inline size_t BeamOf(const TranslationModel& model, const DecodeOptions& options) {
  return options.beam != 0 ? options.beam : model.generation().beam;
}

// The most pieces of a translation of `source_pieces` pieces (</s> included): min(max_length, 3 * source + 50 +
// prefix).
size_t LongestTranslation(const TranslationModel& model, size_t source_pieces, const DecodeOptions& options);

}  // namespace qkv
