#include "core/explain/explain_job.h"

#include <numeric>

namespace qkv {
namespace {

constexpr AttentionKind kKinds[] = {AttentionKind::kEncoderSelf, AttentionKind::kDecoderSelf, AttentionKind::kCross};

const AttentionShape& ShapeOf(const ChangeablePlaces& places, AttentionKind kind) {
  return kind == AttentionKind::kEncoderSelf ? places.encoder
         : kind == AttentionKind::kCross     ? places.cross
                                             : places.decoder;
}

}  // namespace

ExplainJob::ExplainJob(const TranslationModel& model, Question question, std::string source,
                       std::optional<std::string> target, const DecodeOptions& options)
    : model_(model),
      question_(question),
      replay_(model, std::move(source), std::move(target), ReplayKind::kTrace, options) {
  const ChangeablePlaces places = ChangeablePlaces::Of(model.config());
  const bool has_any = places.encoder.layers + places.decoder.layers + places.cross.layers > 0;
  const bool can = question == Question::kHeads   ? has_any
                   : question == Question::kWords ? places.cross.layers > 0
                                                  : places.encoder.layers > 0;
  if (!can) Fail({ErrorCode::kUnsupported, "the model has no such attention", "explain"});
}

bool ExplainJob::Advance(Context& ctx) {
  // The trace of the translation itself comes first.
  if (!replayed_) {
    if (!replay_.Step(ctx)) return false;
    if (!replay_.outcome()) return Fail(replay_.outcome().error()), true;
    replayed_ = true;
    return Answer();
  }
  // Then one row of the flow a step, or one batch of changed translations.
  if (flow_) return FlowRow();
  if (!variants_->Step(ctx)) return false;
  if (!variants_->outcome()) return Fail(variants_->outcome().error()), true;
  TakeVariants();
  return true;
}

// What follows the trace; true if that was all.
bool ExplainJob::Answer() {
  const AttentionMap& self = replay().encoder_self;
  if (question_ == Question::kRollout) {
    result_.matrix = Rollout(self);
    return true;
  }
  if (question_ != Question::kFlow) return StartVariants(), false;
  // There is a maximal flow to compute for each pair of pieces.
  if (self.sources > kLongestFlow) {
    Fail({ErrorCode::kLimitExceeded,
          "the flow is for at most " + std::to_string(kLongestFlow) + " pieces: give a shorter text", "source"});
    return true;
  }
  flow_.emplace(self);
  result_.matrix = {1, 1, self.sources, self.sources, std::vector<float>(self.sources * self.sources), 0, {}, {}, {}};
  return false;
}

// How much of each piece `from` reaches row row_ of the last layer.
bool ExplainJob::FlowRow() {
  const size_t n = result_.matrix.sources;
  for (size_t from = 0; from < n; ++from) result_.matrix.weights[row_ * n + from] = flow_->Between(row_, from);
  return ++row_ == n;
}

void ExplainJob::StartVariants() {
  // A variant without each source piece, or without each head.
  std::vector<Change> changes;
  if (question_ == Question::kWords) {
    for (size_t s = 0; s < replay().source.tokens.ids.size(); ++s) {
      changes.push_back({.kind = ChangeKind::kHide, .attention = AttentionKind::kCross, .keys = {s}});
    }
  } else {
    const ChangeablePlaces places = ChangeablePlaces::Of(model_.config());
    for (const AttentionKind kind : kKinds) {
      const AttentionShape& shape = ShapeOf(places, kind);
      for (size_t i = 0; i < shape.layers * shape.heads; ++i) {
        changes.push_back(
            {.kind = ChangeKind::kOff, .attention = kind, .layer = i / shape.heads, .head = i % shape.heads});
      }
    }
  }
  variants_ =
      std::make_unique<VariantsJob>(model_, replay().source.tokens.ids, replay().target.tokens.ids, std::move(changes));
}

void ExplainJob::TakeVariants() {
  const std::vector<float>& whole = replay().log_probs;
  const std::vector<float>& without = variants_->log_probs();
  const size_t targets = whole.size(), variants = without.size() / targets;
  // Variant s is without source word s: how much the log-probability of each target piece falls.
  if (question_ == Question::kWords) {
    result_.matrix = {1, 1, targets, variants, std::vector<float>(targets * variants), 0, {}, {}, {}};
    for (size_t s = 0; s < variants; ++s) {
      for (size_t t = 0; t < targets; ++t) {
        result_.matrix.weights[t * variants + s] = whole[t] - without[s * targets + t];
      }
    }
    return;
  }
  // Variant i is without head i: how much the whole translation's log-probability falls.
  const ChangeablePlaces places = ChangeablePlaces::Of(model_.config());
  const float* row = without.data();
  for (size_t k = 0; k < std::size(kKinds); ++k) {
    const AttentionShape& shape = ShapeOf(places, kKinds[k]);
    Explanation::Heads& heads = result_.heads[k];
    heads.layers = shape.layers;
    heads.heads = shape.heads;
    for (size_t i = 0; i < shape.layers * shape.heads; ++i, row += targets) {
      heads.falls.push_back(replay().log_prob - std::accumulate(row, row + targets, 0.0f));
    }
  }
}

}  // namespace qkv
