#include "core/models/any_sequence_model.h"

#include "core/base/json.h"
#include "core/models/rnn_seq2seq.h"
#include "core/models/transformer.h"

namespace qkv {

Result<bool> IsRecurrent(std::string_view text) {
  QKV_TRY(const JsonObject json, JsonObject::Parse(text, "config.json", kLargestConfig));
  QKV_TRY(const std::string_view type, json.String("model_type", ""));
  return type == kRnnModelType;
}

Result<std::unique_ptr<SequenceModel>> MakeSequenceModel(std::string_view text) {
  QKV_TRY(const bool recurrent, IsRecurrent(text));
  if (recurrent) {
    QKV_TRY(const RnnConfig config, ParseRnnConfig(text));
    return std::unique_ptr<SequenceModel>(std::make_unique<RnnSeq2Seq>(config));
  }
  return MakeTransformer(text);
}

Result<std::unique_ptr<SequenceModel>> MakeTransformer(std::string_view text) {
  QKV_TRY(const TransformerConfig config, ParseTransformerConfig(text));
  QKV_CHECK(config.CheckPositions());
  return std::unique_ptr<SequenceModel>(std::make_unique<Transformer>(config));
}

}  // namespace qkv
