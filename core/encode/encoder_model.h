// An encoder as a folder holds it: the model and its tokenizer; and what its heads say, in words.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/model_files.h"
#include "core/models/encoder.h"
#include "core/text/tokenizer.h"

namespace qkv {

class EncoderModel {
 public:
  // Its small files. The weights are filled into Slots(). Errors: kInvalidFile, kUnsupported, kMissingFile.
  static Result<std::unique_ptr<EncoderModel>> Create(const SmallFiles& files);

  const Encoder& encoder() const { return encoder_; }
  const EncoderConfig& config() const { return encoder_.config(); }
  const Tokenizer& tokenizer() const { return tokenizer_; }
  WeightSlots Slots() { return encoder_.Slots(); }
  // The piece that stands for a masked one; -1 where there is none.
  int32_t mask() const { return mask_; }
  std::string_view PieceText(int32_t id) const { return tokenizer_.Text(id); }

  // A text, or two, cut to the model's positions.
  Encoding Encode(std::string_view text, std::optional<std::string_view> second) const {
    return tokenizer_.Encode(text, second, config().longest());
  }

 private:
  EncoderModel(EncoderConfig config, Tokenizer tokenizer);
  Encoder encoder_;
  Tokenizer tokenizer_;
  int32_t mask_;
};

}  // namespace qkv
