#include "core/translate/translation.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace qkv {
namespace {

// A step must stay short: these bound what one layer, or one decoding step, has to do, to some 10 ms of WebAssembly
// with the default model.
constexpr size_t kMostSourceRows = 128;
constexpr size_t kMostHypotheses = 32;

}  // namespace

size_t LongestTranslation(const TranslationModel& model, size_t source_pieces, const DecodeOptions& options) {
  const size_t asked = options.max_length != 0 ? options.max_length : 3 * source_pieces + 50 + options.prefix.size();
  return std::min(asked, model.generation().max_length);
}

TranslationJob::TranslationJob(const TranslationModel& model, const std::vector<std::string>& texts,
                               DecodeOptions options)
    : model_(model), options_(std::move(options)), order_(texts.size()), results_(texts.size()) {
  for (const std::string& text : texts) sources_.push_back(model.Encode(text, Side::kSource));
  std::iota(order_.begin(), order_.end(), size_t{0});
  std::sort(order_.begin(), order_.end(), [&](size_t a, size_t b) {
    return std::pair(sources_[a].ids.size(), a) < std::pair(sources_[b].ids.size(), b);
  });
  while (next_ < order_.size() && sources_[order_[next_]].ids.size() == 1) {  // nothing but </s>
    ++next_;
    ++finished_;
  }
}

bool TranslationJob::Advance(Context& ctx) {
  if (search_ != nullptr) {
    if (search_->Step(ctx)) TakeResults();
  } else if (encoder_ != nullptr) {
    if (encoder_->Step(ctx)) StartSearch(ctx);
  } else if (next_ < order_.size()) {
    NextBatch();
    return Advance(ctx);
  }
  return finished_ == results_.size();
}

void TranslationJob::NextBatch() {
  batch_.clear();
  std::vector<const Tokens*> sentences;
  const size_t most = std::max<size_t>(kMostHypotheses / beam(), 1);
  for (size_t rows = 0; next_ < order_.size() && batch_.size() < most; ++next_) {
    const Tokens& source = sources_[order_[next_]];
    rows += source.ids.size();
    if (!batch_.empty() && rows > kMostSourceRows) break;
    batch_.push_back(order_[next_]);
    sentences.push_back(&source);
  }
  encoder_ = Encode(model_.model(), sentences);
}

void TranslationJob::StartSearch(Context& ctx) {
  const SequenceConfig& config = model_.config();
  std::vector<int32_t> segment(batch_.size());
  std::iota(segment.begin(), segment.end(), 0);
  std::unique_ptr<DecoderState> state = encoder_->Start(ctx, std::move(segment));
  std::vector<size_t> longest;
  longest.reserve(batch_.size());
  for (const size_t text : batch_) longest.push_back(LongestTranslation(model_, sources_[text].ids.size(), options_));
  search_ = std::make_unique<BeamSearch>(model_.model(), std::move(state), std::move(longest),
                                         SearchOptions{.beam = beam(),
                                                       .length_penalty = model_.generation().length_penalty,
                                                       .start = config.start,
                                                       .end = config.end,
                                                       .banned = model_.generation().banned,
                                                       .prefix = options_.prefix,
                                                       .shortlists = Shortlists()});
  encoder_.reset();
}

void TranslationJob::TakeResults() {
  for (size_t i = 0; i < batch_.size(); ++i) {
    std::vector<Hypothesis> finished = search_->Finished(i);
    Translation& result = results_[batch_[i]];
    for (size_t rank = 0; options_.n_best > 1 && rank < std::min(options_.n_best, finished.size()); ++rank) {
      result.n_best.push_back(Spell(finished[rank]));
    }
    static_cast<ScoredText&>(result) = Spell(std::move(finished.front()));
    result.truncated = sources_[batch_[i]].truncated;
    if (options_.tree) result.tree = search_->Tree(i);
  }
  finished_ += batch_.size();
  search_.reset();
}

// One a sentence of the batch, or none.
std::vector<std::vector<int32_t>> TranslationJob::Shortlists() const {
  std::vector<std::vector<int32_t>> lists;
  if (!options_.shortlist || !model_.has_shortlist()) return lists;
  for (const size_t text : batch_) lists.push_back(model_.Candidates(sources_[text], options_.prefix));
  return lists;
}

ScoredText TranslationJob::Spell(Hypothesis hypothesis) const {
  return {model_.Decode(hypothesis.pieces), std::move(hypothesis.pieces), hypothesis.log_prob, hypothesis.score,
          hypothesis.cut};
}

}  // namespace qkv
