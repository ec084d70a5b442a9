#include "core/translate/alignment.h"

#include <algorithm>

#include "core/attention/memory.h"
#include "core/base/budget.h"

namespace qkv {

// The heads of the config, else all heads of the last layer.
std::vector<std::pair<size_t, size_t>> AlignmentHeads(const TranslationModel& model) {
  std::vector<std::pair<size_t, size_t>> heads = model.generation().alignment_heads;
  const AttentionShape& cross = model.config().cross;
  if (heads.empty() && cross.layers > 0) {
    for (size_t head = 0; head < cross.heads; ++head) heads.emplace_back(cross.layers - 1, head);
  }
  return heads;
}

AttentionMap MeanOf(const AttentionMap& cross, const std::vector<std::pair<size_t, size_t>>& heads) {
  AttentionMap mean{1,  1, cross.targets, cross.sources, std::vector<float>(cross.targets * cross.sources), 0, {},
                    {}, {}};
  const float share = 1 / static_cast<float>(heads.size());
  for (const auto& [layer, head] : heads) {
    const float* weights = cross.Row(layer, head, 0);
    for (size_t i = 0; i < mean.weights.size(); ++i) mean.weights[i] += share * weights[i];
  }
  return mean;
}

// At each place the decoder reads the piece of the place before: first the start piece, and never </s>.
std::vector<int32_t> DecoderInput(std::vector<int32_t> target, int32_t start) {
  std::rotate(target.begin(), target.end() - 1, target.end());
  target.front() = start;
  return target;
}

AlignmentJob::AlignmentJob(const TranslationModel& model, const Tokens& source, std::vector<int32_t> target,
                           std::optional<Interventions> interventions)
    : model_(model),
      source_(source.ids.size()),
      target_(std::move(target)),
      interventions_(interventions),
      encoder_(Encode(model.model(), {&source})) {
  const AttentionShape& cross = model.config().cross;
  const size_t targets = target_.size(), sources = source.ids.size();
  // The weights of all heads, and their mean.
  const uint64_t memory =
      TraceMemory(cross.layers, cross.heads, targets, sources) + TraceMemory(1, 1, targets, sources);
  const Result<void> fits = CheckMemory(memory, "give shorter texts", "alignment");
  if (fits) trace_.Reserve(AttentionKind::kCross, cross.layers, cross.heads, targets, sources);
  if (!fits) Fail(fits.error());
}

bool AlignmentJob::Advance(Context& plain) {
  Context ctx = With(plain, interventions_);
  const SequenceModel& reader = model_.model();
  const size_t rows = std::max(source_, target_.size());
  if (!ReserveMemory(ctx.arena, reader.PassMemoryNeed(rows, rows, ctx.pool.size()), "alignment")) return true;
  // The encoder layer by layer, then the decoder over the given target with a trace.
  if (decoder_ == nullptr) {
    if (encoder_->Step(ctx)) {
      decoder_ = reader.Force(encoder_->Start(ctx, {0}), DecoderInput(target_, model_.config().start));
    }
    return false;
  }
  Context traced = ctx;
  traced.trace = &trace_;
  if (!decoder_->Step(traced)) return false;
  const AttentionMap& cross = trace_.Map(AttentionKind::kCross);
  result_ = MeanOf(cross, cross.layers > 0 ? AlignmentHeads(model_) : std::vector<std::pair<size_t, size_t>>());
  return true;
}

}  // namespace qkv
