#include "core/translate/decode_options.h"

#include <limits>

#include "core/kernels/softmax.h"

namespace qkv {

MatrixView LogProbabilities(Context& ctx, const TranslationModel& model, ConstMatrixView rows) {
  MatrixView log_probs = model.model().Logits(ctx, rows);
  for (const int32_t piece : model.generation().banned) {
    log_probs.col(piece).setConstant(-std::numeric_limits<float>::infinity());
  }
  LogSoftmax(log_probs);
  return log_probs;
}

std::unique_ptr<EncoderPass> Encode(const SequenceModel& model, const std::vector<const Tokens*>& sentences) {
  std::vector<int32_t> ids;
  Segments segments;
  for (const Tokens* sentence : sentences) {
    ids.insert(ids.end(), sentence->ids.begin(), sentence->ids.end());
    segments.Add(sentence->ids.size());
  }
  return model.Encode(std::move(ids), segments);
}

}  // namespace qkv
