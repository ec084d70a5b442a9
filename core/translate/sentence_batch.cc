#include "core/translate/sentence_batch.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace qkv {

size_t LongestTranslation(const TranslationModel& model, size_t source_pieces, const DecodeOptions& options) {
  const GenerationConfig& generation = model.generation();
  const size_t usual = generation.per_source != 0 ? generation.per_source * source_pieces + 1 : 3 * source_pieces + 50;
  const size_t asked = options.max_length != 0 ? options.max_length : usual + options.prefix.size();
  return std::min(asked, generation.max_length);
}

SentenceBatch::SentenceBatch(const TranslationModel& model, const DecodeOptions& options,
                             std::vector<const Tokens*> sentences, std::span<const size_t> texts)
    : model_(model),
      options_(options),
      sentences_(std::move(sentences)),
      interventions_(InterventionsOf(options, texts)),
      encoder_(Encode(model.model(), sentences_)) {}

MemoryNeed SentenceBatch::NextMemoryNeed(size_t threads) const {
  if (search_ != nullptr) return search_->NextMemoryNeed(threads);
  size_t rows = 0, longest = 0;
  for (const Tokens* source : sentences_) {
    rows += source->ids.size();
    longest = std::max(longest, source->ids.size());
  }
  return model_.model().PassMemoryNeed(rows, longest, threads);
}

bool SentenceBatch::Step(Context& plain) {
  Context ctx = With(plain, interventions_);
  if (search_ != nullptr) return search_->Step(ctx);
  if (encoder_->Step(ctx)) StartSearch(ctx);
  return false;
}

void SentenceBatch::StartSearch(Context& ctx) {
  std::vector<int32_t> segment(size());
  std::iota(segment.begin(), segment.end(), 0);
  std::unique_ptr<DecoderState> state = encoder_->Start(ctx, std::move(segment));
  std::vector<size_t> longest;
  longest.reserve(size());
  for (const Tokens* source : sentences_) longest.push_back(LongestTranslation(model_, source->ids.size(), options_));
  search_ = std::make_unique<BeamSearch>(model_.model(), std::move(state), std::move(longest),
                                         SearchOptions{.beam = BeamOf(model_, options_),
                                                       .length_penalty = model_.generation().length_penalty,
                                                       .start = model_.config().start,
                                                       .end = model_.config().end,
                                                       .banned = model_.generation().banned,
                                                       .avoided = options_.copy ? model_.Unknown(Side::kTarget) : -1,
                                                       .prefix = options_.prefix,
                                                       .shortlists = Shortlists()});
  encoder_.reset();
}

// One shortlist for each sentence; no lists if the model has none.
std::vector<std::vector<int32_t>> SentenceBatch::Shortlists() const {
  std::vector<std::vector<int32_t>> lists;
  if (!options_.shortlist || !model_.has_shortlist()) return lists;
  lists.reserve(size());
  for (const Tokens* source : sentences_) lists.push_back(model_.Candidates(*source, options_.prefix));
  return lists;
}

}  // namespace qkv
