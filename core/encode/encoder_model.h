// An encoder as a folder holds it: the model, its tokenizer, and the names of the labels of its head.
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
  // `files` are the small files. The caller fills the weights into Slots(). Errors: kInvalidFile, kUnsupported,
  // kMissingFile.
  static Result<std::unique_ptr<EncoderModel>> Create(const SmallFiles& files);

  const Encoder& encoder() const { return encoder_; }
  const EncoderConfig& config() const { return encoder_.config(); }
  const Tokenizer& tokenizer() const { return tokenizer_; }
  WeightSlots Slots() { return encoder_.Slots(); }
  // The mask piece; -1 if there is none.
  int32_t mask() const { return mask_; }
  std::string_view PieceText(int32_t id) const { return tokenizer_.Text(id); }

  // One text or two as pieces, cut to the model's positions.
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
