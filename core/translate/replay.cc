#include "core/translate/replay.h"

#include <algorithm>
#include <cmath>

#include "core/attention/memory.h"
#include "core/base/budget.h"
#include "core/layers/scratch.h"

namespace qkv {
namespace {
constexpr Eigen::Index kRowsScoredAtOnce = 32;
const std::vector<GivenPart> kNoneGiven;
}  // namespace

ReplayJob::ReplayJob(const TranslationModel& model, std::string source, std::optional<std::string> target,
                     ReplayKind kind, const DecodeOptions& options)
    : model_(model),
      kind_(kind),
      interventions_(InterventionsOf(options)),
      source_(model, std::move(source), options.copy, options.given.empty() ? kNoneGiven : options.given.front()),
      is_own_(!target) {
  result_.changes = options.changes;
  result_.source.text = source_.text();
  result_.source.tokens = source_.tokens();
  if (target) {
    result_.target.tokens = source_.ReadTarget(*target);
    result_.target.text = std::move(*target);
  }
  if (is_own_ || source_.is_read_otherwise()) {
    translation_ = std::make_unique<TranslationJob>(model, std::vector<std::string>{source_.text()}, options);
  }
}

bool ReplayJob::Advance(Context& ctx) {
  // Without a target the model translates first.
  if (translation_ != nullptr) {
    if (!translation_->Step(ctx)) return false;
    if (!translation_->outcome()) return Fail(translation_->outcome().error()), true;
    TakeTranslation();
    return false;
  }
  // Then a step of the encoder, of the decoder, or of the scores.
  if (encoder_ == nullptr) {
    if (!ReserveTrace()) return true;
    encoder_ = Encode(model_.model(), {&result_.source.tokens});
  }
  if (!ReserveStep(ctx)) return true;
  Context traced = With(ctx, interventions_);
  if (kind_ != ReplayKind::kScore) traced.trace = &trace_;
  if (decoder_ == nullptr) {
    if (encoder_->Step(traced)) StartDecoder(ctx);
  } else if (!read_) {
    read_ = decoder_->Step(traced);
  } else {
    Score(ctx);
  }
  if (scored_ < result_.target.tokens.ids.size()) return false;
  // The confidence of the model's own translation is the one of its search, which also scored the part that was cut.
  if (!is_own_) result_.confidence = Confidence(result_.log_prob, scored_);
  if (kind_ != ReplayKind::kScore) Align();
  return true;
}

// Takes the reading of the translation and, if no target was given, its pieces.
void ReplayJob::TakeTranslation() {
  const Translation& translation = translation_->results().front();
  std::vector<int32_t> ids = translation.ids;
  if (ids.empty()) ids = {model_.config().end};  // a source without pieces
  source_ = translation_->source(0);
  result_.source.tokens = source_.tokens();
  // A score has no attention, so the spans of lost parts are not known.
  const bool is_known = kind_ != ReplayKind::kScore || translation.is_whole;
  if (is_own_ || (is_known && result_.target.text == translation.text)) {
    is_own_ = true;
    Spell(model_, source_, ids, nullptr, &result_.target.tokens);
    result_.cut = translation.cut;
    result_.foreign = translation.foreign;
    result_.confidence = translation.confidence;
  } else {
    result_.target.tokens = source_.ReadTarget(result_.target.text);
  }
  translation_.reset();
}

// Reserves the memory of the trace. Returns false if there is not enough.
bool ReplayJob::ReserveTrace() {
  if (kind_ == ReplayKind::kScore) return true;
  const SequenceConfig& config = model_.config();
  const size_t sources = result_.source.tokens.ids.size(), targets = result_.target.tokens.ids.size();
  struct Part {
    AttentionKind kind;
    AttentionShape shape;
    size_t rows, columns;
  };
  // What is recorded: [layers, heads, rows, columns] of each kind.
  const Part parts[] = {
      {AttentionKind::kEncoderSelf, config.encoder_self, sources, sources},
      {AttentionKind::kDecoderSelf, config.decoder_self, targets, targets},
      {AttentionKind::kCross, config.cross, targets, sources},
      {AttentionKind::kGates, {config.gates != 0 ? config.decoder_layers : 0, 1}, targets, config.gates}};
  const auto dim = [&](const Part& part) { return kind_ == ReplayKind::kVectors ? part.shape.dim : 0; };
  uint64_t need = TraceMemory(1, 1, targets, sources);  // the alignment
  for (const Part& part : parts) {
    need += TraceMemory(part.shape.layers, part.shape.heads, part.rows, part.columns, dim(part));
  }
  // The memory of all parts is checked before any of them is allocated.
  if (const Result<void> fits = CheckMemory(need, "trace shorter texts", "trace"); !fits) {
    Fail(fits.error());
    return false;
  }
  for (const Part& part : parts) {
    trace_.Reserve(part.kind, part.shape.layers, part.shape.heads, part.rows, part.columns, dim(part));
  }
  if (config.half_width > 0) trace_.ReserveCentres(targets);
  return true;
}

// Reserves the memory of a layer over the source or the target, or of the logits of some rows.
bool ReplayJob::ReserveStep(Context& ctx) {
  const size_t rows = std::max(result_.source.tokens.ids.size(), result_.target.tokens.ids.size());
  const uint64_t vocabulary = model_.config().vocabulary;
  const MemoryNeed need = read_ ? MemoryNeed{LogitsScratch(kRowsScoredAtOnce, model_.config().d_model, vocabulary),
                                             vocabulary * sizeof(Alternative)}
                                : model_.model().PassMemoryNeed(rows, rows, ctx.pool.size());
  return ReserveMemory(ctx.arena, need, kind_ == ReplayKind::kScore ? "score" : "trace");
}

void ReplayJob::StartDecoder(Context& ctx) {
  decoder_ =
      model_.model().Force(encoder_->Start(ctx, {0}), DecoderInput(result_.target.tokens.ids, model_.config().start));
}

// Computes the log-probabilities of some target pieces, with the same banned pieces as the search.
void ReplayJob::Score(Context& ctx) {
  const std::vector<int32_t>& ids = result_.target.tokens.ids;
  const ConstMatrixView x = decoder_->rows();
  const auto first = static_cast<Eigen::Index>(scored_);
  const Eigen::Index rows = std::min(kRowsScoredAtOnce, x.rows() - first);
  MatrixView log_probs = LogProbabilities(ctx, model_, {x.data() + first * x.cols(), rows, x.cols()});
  for (Eigen::Index row = 0; row < rows; ++row) {
    result_.log_probs.push_back(log_probs(row, ids[scored_++]));
    result_.log_prob += result_.log_probs.back();
    if (kind_ != ReplayKind::kScore) AddAlternatives(View(log_probs), row);
  }
}

void ReplayJob::AddAlternatives(ConstMatrixView log_probs, Eigen::Index row) {
  std::vector<Alternative> all(static_cast<size_t>(log_probs.cols()));
  for (size_t id = 0; id < all.size(); ++id) {
    all[id] = {static_cast<int32_t>(id), log_probs(row, static_cast<Eigen::Index>(id))};
  }
  const auto best = all.begin() + static_cast<std::ptrdiff_t>(std::min(kAlternatives, all.size()));
  std::partial_sort(all.begin(), best, all.end(), [](const Alternative& a, const Alternative& b) {
    return a.log_prob != b.log_prob ? a.log_prob > b.log_prob : a.id < b.id;
  });
  result_.alternatives.insert(result_.alternatives.end(), all.begin(), best);
}

void ReplayJob::Align() {
  result_.encoder_self = trace_.Take(AttentionKind::kEncoderSelf);
  result_.decoder_self = trace_.Take(AttentionKind::kDecoderSelf);
  result_.cross = trace_.Take(AttentionKind::kCross);
  result_.gates = trace_.Take(AttentionKind::kGates);
  result_.centres = trace_.TakeCentres();
  result_.alignment_heads = AlignmentHeads(model_);
  result_.alignment = MeanOf(result_.cross, result_.alignment_heads);
  if (!is_own_) return;
  Spelling spelling = Spell(model_, source_, result_.target.tokens.ids, &result_.alignment, &result_.target.tokens);
  result_.target.text = std::move(spelling.text);
  result_.copied = std::move(spelling.copied);
}

}  // namespace qkv
