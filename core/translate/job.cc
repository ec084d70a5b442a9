#include "core/translate/job.h"

namespace qkv {

EncoderRun::EncoderRun(const Transformer& model, const std::vector<const Tokens*>& sentences) : model_(model) {
  for (const Tokens* sentence : sentences) {
    ids_.insert(ids_.end(), sentence->ids.begin(), sentence->ids.end());
    segments_.Add(sentence->ids.size());
  }
}

bool EncoderRun::Step(Context& ctx) {
  if (x_.size() == 0) x_ = model_.EmbedSource(ctx, ids_, segments_);
  x_ = model_.EncoderStep(ctx, layer_++, View(x_), segments_);
  return layer_ == model_.config().encoder_layers;
}

}  // namespace qkv
