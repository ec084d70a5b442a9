#include "core/explain/variants_job.h"

#include <algorithm>
#include <numeric>

#include "core/layers/scratch.h"
#include "core/translate/alignment.h"
#include "core/translate/decode_options.h"

namespace qkv {
namespace {

// Rows of a batch, and rows whose logits are computed at once: a step stays short.
constexpr size_t kMostRows = 512;
constexpr Eigen::Index kRowsScoredAtOnce = 32;

bool ChangesEncoder(const Change& change) {
  if (change.block) return !change.decodes.value_or(false);
  return !change.attention || change.attention == AttentionKind::kEncoderSelf;
}

// `row`, `count` times.
std::vector<int32_t> Repeated(const std::vector<int32_t>& row, size_t count) {
  std::vector<int32_t> all;
  all.reserve(row.size() * count);
  for (size_t i = 0; i < count; ++i) all.insert(all.end(), row.begin(), row.end());
  return all;
}

}  // namespace

VariantsJob::VariantsJob(const TranslationModel& model, std::vector<int32_t> source, std::vector<int32_t> target,
                         std::vector<Change> changes)
    : model_(model), source_(std::move(source)), target_(std::move(target)), changes_(std::move(changes)) {
  log_probs_.resize(changes_.size() * target_.size());
}

bool VariantsJob::Advance(Context& ctx) {
  if (first_ == changes_.size()) return true;
  if (encoder_ == nullptr) StartBatch();
  const size_t longest = std::max(source_.size(), target_.size());
  const uint64_t vocabulary = model_.config().vocabulary;
  const MemoryNeed need = read_ ? MemoryNeed{LogitsScratch(kRowsScoredAtOnce, model_.config().d_model, vocabulary), 0}
                                : model_.model().PassMemoryNeed(batch() * longest, longest, ctx.pool.size());
  if (!ReserveMemory(ctx.arena, need, "explanation")) return true;
  Context changed = ctx;
  changed.interventions = &*interventions_;
  if (decoder_ == nullptr) {
    if (encoder_->Step(shares_encoder_ ? ctx : changed)) StartDecoder(ctx);
  } else if (!read_) {
    read_ = decoder_->Step(changed);
  } else if (Score(ctx)) {
    first_ = end_;
    encoder_.reset();
    decoder_.reset();
  }
  return first_ == changes_.size();
}

// Starts the next variants: those that share one encoder pass, or those that have one each.
void VariantsJob::StartBatch() {
  const size_t most = std::max<size_t>(kMostRows / std::max(source_.size(), target_.size()), 1);
  shares_encoder_ = !ChangesEncoder(changes_[first_]);
  std::vector<Change> list;
  for (end_ = first_; end_ < changes_.size() && list.size() < most; ++end_) {
    if (ChangesEncoder(changes_[end_]) == shares_encoder_) break;
    list.push_back(changes_[end_]);
    list.back().sentence = end_ - first_;
  }
  list_.emplace(std::move(list));
  interventions_.emplace(*list_);
  const size_t sources = shares_encoder_ ? 1 : batch();
  Segments segments;
  for (size_t s = 0; s < sources; ++s) segments.Add(source_.size());
  encoder_ = model_.model().Encode(Repeated(source_, sources), segments);
  read_ = false;
  scored_ = 0;
}

void VariantsJob::StartDecoder(Context& ctx) {
  std::vector<int32_t> segment(batch());
  if (!shares_encoder_) std::iota(segment.begin(), segment.end(), 0);
  decoder_ = model_.model().Force(encoder_->Start(ctx, std::move(segment)),
                                  Repeated(DecoderInput(target_, model_.config().start), batch()));
}

// Log-probabilities of some rows; true when all have theirs.
bool VariantsJob::Score(Context& ctx) {
  const ConstMatrixView x = decoder_->rows();
  const Eigen::Index rows = std::min(kRowsScoredAtOnce, x.rows() - scored_);
  const MatrixView log_probs = LogProbabilities(ctx, model_, {x.data() + scored_ * x.cols(), rows, x.cols()});
  for (Eigen::Index row = 0; row < rows; ++row, ++scored_) {
    const auto at = static_cast<size_t>(scored_);
    log_probs_[first_ * target_.size() + at] = log_probs(row, target_[at % target_.size()]);
  }
  return scored_ == x.rows();
}

}  // namespace qkv
