// A generator as a folder holds it: the model, its tokenizer, and its options of decoding.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/decode/sampling.h"
#include "core/io/model_files.h"
#include "core/models/gpt2.h"
#include "core/text/tokenizer.h"

namespace qkv {

class GeneratorModel {
 public:
  // `files` are the small files. The caller fills the weights into Slots(). Errors: kInvalidFile, kUnsupported,
  // kMissingFile.
  static Result<std::unique_ptr<GeneratorModel>> Create(const SmallFiles& files);

  const Gpt2& decoder() const { return decoder_; }
  const Gpt2Config& config() const { return decoder_.config(); }
  const Tokenizer& tokenizer() const { return tokenizer_; }
  // The options of generation_config.json.
  const SamplingOptions& sampling() const { return sampling_; }
  WeightSlots Slots() { return decoder_.Slots(); }
  std::string_view PieceText(int32_t id) const { return tokenizer_.Text(id); }

 private:
  GeneratorModel(const Gpt2Config& config, Tokenizer tokenizer) : decoder_(config), tokenizer_(std::move(tokenizer)) {}
  Gpt2 decoder_;
  Tokenizer tokenizer_;
  SamplingOptions sampling_;
};

}  // namespace qkv
