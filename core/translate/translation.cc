#include "core/translate/translation.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "core/base/sort.h"

namespace qkv {
namespace {

// The largest batch. A batch is limited so that one layer or one decoding step takes a short time. With the default
// model this is about 10 ms in WebAssembly and a few milliseconds in a native build.
//
// The native limit is higher because larger batches are faster there. Some sentences end later than others, so the last
// steps of a batch have only a few sentences. Such a step reads all weights, as a full step does. In a larger batch,
// more sentences share these steps.
#ifdef __EMSCRIPTEN__
constexpr size_t kMostSourceRows = 128;
constexpr size_t kMostHypotheses = 32;
#else
constexpr size_t kMostSourceRows = 512;
constexpr size_t kMostHypotheses = 128;
#endif
// Steps of different batches take different times. With a few steps at a time the threads wait less for each other.
constexpr size_t kStepsTogether = 4;

}  // namespace

TranslationJob::TranslationJob(const TranslationModel& model, const std::vector<std::string>& texts,
                               DecodeOptions options)
    : model_(model), options_(std::move(options)), order_(texts.size()), results_(texts.size()) {
  sources_.reserve(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    const bool is_given = i < options_.given.size();
    sources_.emplace_back(model, texts[i], options_.copy, is_given ? options_.given[i] : std::vector<GivenPart>());
  }
  std::iota(order_.begin(), order_.end(), size_t{0});
  SortSmall(order_, [&](size_t a, size_t b) {
    return std::pair(sources_[a].tokens().ids.size(), a) < std::pair(sources_[b].tokens().ids.size(), b);
  });
  while (next_ < order_.size() && sources_[order_[next_]].tokens().ids.size() == 1) {  // only </s>
    results_[order_[next_]].text = qkv::Spell(model, sources_[order_[next_]], {}).text;
    ++next_;
    ++finished_;
  }
}

bool TranslationJob::Advance(Context& ctx) {
  if (!unplaced_.empty()) return Align(ctx);
  FillRunners(ctx.pool.size());
  const auto busy =
      std::count_if(runners_.begin(), runners_.end(), [](const auto& runner) { return runner->batch != nullptr; });
  if (!ReserveRunners(ctx, busy > 1)) return true;
  if (busy > 1) {
    StepTogether(ctx);
  } else {  // all threads compute one batch
    for (auto& runner : runners_) runner->done = runner->batch != nullptr && runner->batch->Step(ctx);
  }
  for (auto& runner : runners_) {
    if (runner->done) TakeResults(*runner);
  }
  return unplaced_.empty() && finished_ == results_.size();
}

void TranslationJob::FillRunners(size_t count) {
  while (runners_.size() < count) runners_.push_back(std::make_unique<Runner>());
  const auto idle = static_cast<size_t>(
      std::count_if(runners_.begin(), runners_.end(), [](const auto& runner) { return runner->batch == nullptr; }));
  if (idle == 0) return;
  const size_t share = (order_.size() - next_ + idle - 1) / idle;
  for (auto& runner : runners_) {
    if (runner->batch == nullptr) Fill(*runner, share);
  }
}

// `share`: the remaining texts divided by the number of idle runners.
void TranslationJob::Fill(Runner& runner, size_t share) {
  runner.texts.clear();
  std::vector<const Tokens*> sentences;
  const size_t most = std::min(std::max<size_t>(kMostHypotheses / BeamOf(model_, options_), 1), share);
  for (size_t rows = 0; next_ < order_.size() && sentences.size() < most; ++next_) {
    const Tokens& source = sources_[order_[next_]].tokens();
    rows += source.ids.size();
    if (!sentences.empty() && rows > kMostSourceRows) break;
    runner.texts.push_back(order_[next_]);
    sentences.push_back(&source);
  }
  if (sentences.empty()) return;
  runner.batch = std::make_unique<SentenceBatch>(model_, options_, std::move(sentences), runner.texts);
}

// Reserves the memory of a step of every batch. Batches that are computed together have their own arenas.
bool TranslationJob::ReserveRunners(Context& ctx, bool together) {
  uint64_t kept = 0;
  for (auto& runner : runners_) {
    if (runner->batch == nullptr) continue;
    MemoryNeed need = runner->batch->NextMemoryNeed(together ? 1 : ctx.pool.size());
    kept += together ? kStepsTogether * need.kept : need.kept;
    need.kept = kept;
    if (!ReserveMemory(together ? runner->arena : ctx.arena, need, "translation")) return false;
  }
  return true;
}

void TranslationJob::StepTogether(Context& ctx) {
  ctx.pool.For(runners_.size(), 1, [&](size_t begin, size_t end) {
    ThreadPool alone(1);
    for (size_t i = begin; i < end; ++i) {
      Runner& runner = *runners_[i];
      for (size_t step = 0; runner.batch != nullptr && !runner.done && step < kStepsTogether; ++step) {
        const ArenaScope scope(runner.arena);
        Context own = {runner.arena, alone};
        runner.done = runner.batch->Step(own);
      }
    }
  });
}

void TranslationJob::TakeResults(Runner& runner) {
  for (size_t i = 0; i < runner.texts.size(); ++i) {
    if (Take(runner.texts[i], runner.batch->search(), i)) {
      ++finished_;
    } else {
      order_.push_back(runner.texts[i]);
    }
  }
  runner.batch.reset();
  runner.done = false;
}

// Takes the best hypothesis that has every carried part once. If there is none, the source takes its next reading, and
// false is returned: it must be translated again. After the last reading the best hypothesis is taken.
bool TranslationJob::Take(size_t text, const BeamSearch& search, size_t sentence) {
  // Hypotheses in the order of the search: as many as are wanted, and more until one has every carried part.
  CarriedSource& source = sources_[text];
  std::vector<Hypothesis> finished = search.Finished(sentence);
  const size_t count = std::min(std::max<size_t>(options_.n_best, 1), finished.size());
  std::vector<ScoredText> ranked;
  size_t best = finished.size();
  while (ranked.size() < finished.size() && (best == finished.size() || ranked.size() < count)) {
    ranked.push_back(Describe(source, std::move(finished[ranked.size()])));
    if (best == finished.size() && ranked.back().is_whole) best = ranked.size() - 1;
  }
  // If none has them, the source takes another reading. After the last reading the best hypothesis is taken.
  if (best == finished.size()) {
    if (source.ReadOtherwise()) return false;
    best = 0;
  }
  // The one that is taken comes first.
  std::rotate(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(best),
              ranked.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  ranked.resize(count);

  // The result. Where carried parts lie in the target is found by the alignment, in a later step.
  Translation& result = results_[text];
  static_cast<ScoredText&>(result) = ranked.front();
  if (options_.n_best > 1) result.n_best = std::move(ranked);
  if (options_.align || !result.is_whole) unplaced_.push_back({text, &result});
  for (ScoredText& scored : result.n_best) {
    if (!scored.is_whole) unplaced_.push_back({text, &scored});
  }
  result.truncated = source.tokens().truncated;
  result.foreign = LooksForeign(source.tokens(), source.bytes(), result.ids, result.confidence);
  if (options_.tree) result.tree = search.Tree(sentence);
  return true;
}

ScoredText TranslationJob::Describe(const CarriedSource& source, Hypothesis hypothesis) const {
  ScoredText scored{.ids = std::move(hypothesis.pieces),
                    .log_prob = hypothesis.log_prob,
                    .score = hypothesis.score,
                    .cut = hypothesis.cut};
  scored.confidence = Confidence(scored.log_prob, scored.ids.size());
  if (options_.copy) {
    const size_t kept = std::max(WithoutRepetition(source.tokens().ids, scored.ids), options_.prefix.size());
    if (kept + 1 < scored.ids.size()) {
      scored.cut = Cut::kRepetition;
      scored.ids.erase(scored.ids.begin() + static_cast<std::ptrdiff_t>(kept), scored.ids.end() - 1);
    }
  }
  Spell(scored, source);
  return scored;
}

void TranslationJob::Spell(ScoredText& scored, const CarriedSource& source, const AttentionMap* alignment,
                           Tokens* tokens) const {
  Spelling spelling = qkv::Spell(model_, source, scored.ids, alignment, tokens);
  scored.text = std::move(spelling.text);
  scored.copied = std::move(spelling.copied);
  scored.is_whole = spelling.is_whole;
}

// One step of the alignment of the last translation that needs one.
bool TranslationJob::Align(Context& ctx) {
  const auto& [text, translation] = unplaced_.back();
  const CarriedSource& source = sources_[text];
  if (alignment_ == nullptr) {
    alignment_ = std::make_unique<AlignmentJob>(model_, source.tokens(), translation->ids,
                                                InterventionsOf(options_, kOneText, text));
  }
  if (!alignment_->Step(ctx)) return false;
  if (!alignment_->outcome()) return Fail(alignment_->outcome().error()), true;
  Translation& result = results_[text];
  const bool is_wanted = options_.align && translation == &result;
  Spell(*translation, source, &alignment_->result(), is_wanted ? &result.tokens : nullptr);
  if (is_wanted) result.alignment = alignment_->result();
  alignment_.reset();
  unplaced_.pop_back();
  return unplaced_.empty() && finished_ == results_.size();
}

}  // namespace qkv
