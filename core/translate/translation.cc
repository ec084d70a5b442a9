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
// Steps of several batches take different times: after a few of them the threads have waited less for each other.
constexpr size_t kStepsTogether = 4;

}  // namespace

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
  FillLanes(ctx.pool.size());
  const auto busy =
      std::count_if(lanes_.begin(), lanes_.end(), [](const auto& lane) { return lane->batch != nullptr; });
  if (busy > 1) {
    StepTogether(ctx);
  } else {  // all threads at one batch
    for (auto& lane : lanes_) lane->done = lane->batch != nullptr && lane->batch->Step(ctx);
  }
  for (auto& lane : lanes_) {
    if (lane->done) TakeResults(*lane);
  }
  return finished_ == results_.size();
}

void TranslationJob::FillLanes(size_t count) {
  while (lanes_.size() < count) lanes_.push_back(std::make_unique<Lane>());
  const auto idle = static_cast<size_t>(
      std::count_if(lanes_.begin(), lanes_.end(), [](const auto& lane) { return lane->batch == nullptr; }));
  if (idle == 0) return;
  const size_t share = (order_.size() - next_ + idle - 1) / idle;
  for (auto& lane : lanes_) {
    if (lane->batch == nullptr) Fill(*lane, share);
  }
}

// `share`: what is left, dealt out to the idle lanes.
void TranslationJob::Fill(Lane& lane, size_t share) {
  lane.texts.clear();
  std::vector<const Tokens*> sentences;
  const size_t most = std::min(std::max<size_t>(kMostHypotheses / BeamOf(model_, options_), 1), share);
  for (size_t rows = 0; next_ < order_.size() && sentences.size() < most; ++next_) {
    const Tokens& source = sources_[order_[next_]];
    rows += source.ids.size();
    if (!sentences.empty() && rows > kMostSourceRows) break;
    lane.texts.push_back(order_[next_]);
    sentences.push_back(&source);
  }
  if (!sentences.empty()) lane.batch = std::make_unique<SentenceBatch>(model_, options_, std::move(sentences));
}

void TranslationJob::StepTogether(Context& ctx) {
  ctx.pool.For(lanes_.size(), 1, [&](size_t begin, size_t end) {
    ThreadPool alone(1);
    for (size_t i = begin; i < end; ++i) {
      Lane& lane = *lanes_[i];
      for (size_t step = 0; lane.batch != nullptr && !lane.done && step < kStepsTogether; ++step) {
        const ArenaScope scope(lane.arena);
        Context own = {lane.arena, alone};
        lane.done = lane.batch->Step(own);
      }
    }
  });
}

void TranslationJob::TakeResults(Lane& lane) {
  const BeamSearch& search = lane.batch->search();
  for (size_t i = 0; i < lane.texts.size(); ++i) {
    std::vector<Hypothesis> finished = search.Finished(i);
    Translation& result = results_[lane.texts[i]];
    for (size_t rank = 0; options_.n_best > 1 && rank < std::min(options_.n_best, finished.size()); ++rank) {
      result.n_best.push_back(Spell(finished[rank]));
    }
    static_cast<ScoredText&>(result) = Spell(std::move(finished.front()));
    result.truncated = sources_[lane.texts[i]].truncated;
    if (options_.tree) result.tree = search.Tree(i);
  }
  finished_ += lane.texts.size();
  lane.batch.reset();
  lane.done = false;
}

ScoredText TranslationJob::Spell(Hypothesis hypothesis) const {
  return {model_.Decode(hypothesis.pieces), std::move(hypothesis.pieces), hypothesis.log_prob, hypothesis.score,
          hypothesis.cut};
}

}  // namespace qkv
