#include "core/encode/encode_job.h"

#include <algorithm>
#include <cassert>

#include "core/attention/memory.h"
#include "core/base/budget.h"
#include "core/layers/scratch.h"

namespace qkv {
namespace {

// The most rows of a batch, so that a step stays short. A longer text is a batch by itself.
constexpr size_t kMostRows = 128;
constexpr uint64_t kLines = 256;  // floats added to a text's head, so that it ends at a cache line

}  // namespace

EncodeJob::EncodeJob(const EncoderModel& model, const std::vector<EncodeInput>& inputs, EncodeOptions options)
    : model_(model), options_(std::move(options)) {
  assert(!options_.trace || inputs.size() == 1);
  for (const EncodeInput& input : inputs) {
    std::optional<std::string_view> second;
    if (input.second) second = *input.second;
    results_.emplace_back().encoding = model.Encode(input.text, second);
  }
  if (options_.trace) ReserveTrace();
}

bool EncodeJob::Advance(Context& ctx) {
  if (first_ == results_.size()) return true;
  if (first_ == end_) NextBatch();
  if (!ReserveStep(ctx)) return true;
  std::optional<Interventions> interventions;
  if (options_.changes != nullptr) interventions.emplace(*options_.changes, texts_, options_.first_sentence);
  Context traced = With(ctx, interventions);
  if (options_.trace) traced.trace = &trace_;
  // The embedding and the layers, one layer a step, then the head.
  const Encoder& encoder = model_.encoder();
  if (x_.size() == 0) x_ = encoder.Embed(ctx, ids_, types_, segments_);
  if (layer_ < model_.config().layers) x_ = encoder.Step(traced, layer_++, View(x_), segments_);
  if (layer_ == model_.config().layers) TakeResults(ctx);
  return first_ == results_.size();
}

// The next texts in order, packed without padding, up to kMostRows rows.
void EncodeJob::NextBatch() {
  ids_.clear();
  texts_.clear();
  types_.clear();
  segments_ = {};
  x_.resize(0, 0);
  layer_ = longest_ = 0;
  while (end_ < results_.size() && (end_ == first_ || ids_.size() + results_[end_].encoding.size() <= kMostRows)) {
    texts_.push_back(end_);
    const Encoding& encoding = results_[end_++].encoding;
    ids_.insert(ids_.end(), encoding.ids.begin(), encoding.ids.end());
    types_.insert(types_.end(), encoding.types.begin(), encoding.types.end());
    segments_.Add(encoding.size());
    longest_ = std::max(longest_, encoding.size());
  }
}

void EncodeJob::ReserveTrace() {
  const size_t rows = results_[0].encoding.size(), layers = model_.config().layers, heads = model_.config().heads;
  const Result<void> fits = CheckMemory(TraceMemory(layers, heads, rows, rows), "trace a shorter text", "trace");
  if (fits) trace_.Reserve(AttentionKind::kEncoderSelf, layers, heads, rows, rows);
  if (!fits) Fail(fits.error());
}

// Reserves the memory of a layer. The last step includes the head, whose logits are in the arena and in the results.
bool EncodeJob::ReserveStep(Context& ctx) {
  const EncoderConfig& config = model_.config();
  MemoryNeed need = model_.encoder().PassMemoryNeed(ids_.size(), longest_, ctx.pool.size());
  if (!ReserveMemory(ctx.arena, need, "encoding")) return false;
  if (!options_.head || layer_ + 1 < config.layers) return true;
  const uint64_t rows = config.head == EncoderConfig::Head::kMasked
                            ? static_cast<uint64_t>(std::count(ids_.begin(), ids_.end(), model_.mask()))
                            : ids_.size();
  const uint64_t columns = config.head == EncoderConfig::Head::kMasked ? config.vocabulary : config.labels.size() + 2;
  need.scratch += LogitsScratch(rows, config.d_model, columns) + results_.size() * kLines;
  need.kept += rows * columns * sizeof(float);
  const Result<void> fits = Reserve(ctx.arena, need, "hide fewer words at a time, or give shorter texts", "masks");
  if (!fits) Fail(fits.error());
  return static_cast<bool>(fits);
}

// Each text has its own rows; the results that the caller wants are copied out of the batch.
void EncodeJob::TakeResults(Context& ctx) {
  for (size_t s = 0; first_ < end_; ++s, ++first_) {
    Encoded& result = results_[first_];
    const auto begin = static_cast<Eigen::Index>(segments_.begin(s));
    const ConstMatrixView rows = {x_.data() + begin * x_.cols(), static_cast<Eigen::Index>(segments_.length(s)),
                                  x_.cols()};
    if (options_.head && rows.rows() > 0) RunHead(ctx, rows, result);
    if (options_.hidden) result.hidden = rows;
    if (options_.trace) result.attention = trace_.Take(AttentionKind::kEncoderSelf);
  }
}

void EncodeJob::RunHead(Context& ctx, ConstMatrixView x, Encoded& result) {
  using Head = EncoderConfig::Head;
  const Head head = model_.config().head;
  for (size_t i = 0; i < result.encoding.size(); ++i) {
    // The head is computed only for the rows that are read: the masks, the first piece, or all pieces.
    const bool wanted =
        head == Head::kMasked ? result.encoding.ids[i] == model_.mask() : head != Head::kSequence || i == 0;
    if (wanted && head != Head::kNone) result.rows.push_back(i);
  }
  if (result.rows.empty()) return;
  MatrixView picked = ctx.New(static_cast<Eigen::Index>(result.rows.size()), x.cols());
  for (size_t i = 0; i < result.rows.size(); ++i) {
    picked.row(static_cast<Eigen::Index>(i)) = x.row(static_cast<Eigen::Index>(result.rows[i]));
  }
  result.logits = model_.encoder().Logits(ctx, View(picked));
}

}  // namespace qkv
