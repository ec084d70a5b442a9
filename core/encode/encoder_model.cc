#include "core/encode/encoder_model.h"

#include <algorithm>
#include <utility>

namespace qkv {

EncoderModel::EncoderModel(EncoderConfig config, Tokenizer tokenizer)
    : encoder_(std::move(config)),
      tokenizer_(std::move(tokenizer)),
      mask_(std::max(tokenizer_.Id("[MASK]"), tokenizer_.Id("<mask>"))) {}

Result<std::unique_ptr<EncoderModel>> EncoderModel::Create(const SmallFiles& files) {
  QKV_TRY(EncoderConfig config, ParseEncoderConfig(ContentOf(files, "config.json")));
  QKV_TRY(Tokenizer tokenizer, ReadTokenizer(files, config.layout == EncoderConfig::Layout::kRoberta));
  QKV_CHECK(tokenizer.CheckFits(config.vocabulary, config.longest()));
  return std::unique_ptr<EncoderModel>(new EncoderModel(std::move(config), std::move(tokenizer)));
}

}  // namespace qkv
