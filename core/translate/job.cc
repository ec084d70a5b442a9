#include "core/translate/job.h"

namespace qkv {

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
