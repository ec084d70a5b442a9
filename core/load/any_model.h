// Loads model folders of every kind. config.json says which kind it is, and the loader of that kind reads the rest.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/encode/encoder_model.h"
#include "core/generate/generator_model.h"
#include "core/io/weight_loader.h"
#include "core/translate/model.h"

namespace qkv {

enum class ModelKind { kTranslation, kEncoder, kGenerator };

// The kind that config.json's model_type names. Errors: kInvalidFile; kUnsupported names an unknown type.
Result<ModelKind> KindOf(std::string_view config);

// The small files that a folder of this kind may have. Most of them are alternatives.
std::vector<std::string> SmallFileNames(ModelKind kind);

// The files of weights that model.safetensors.index.json or pytorch_model.bin.index.json names: the shards, each once.
Result<std::vector<std::string>> ShardNames(std::string_view index);

using AnyModel =
    std::variant<std::unique_ptr<TranslationModel>, std::unique_ptr<EncoderModel>, std::unique_ptr<GeneratorModel>>;

struct LoadedSize {
  size_t parameters = 0;
  uint64_t bytes = 0;  // bytes of the weights in memory
};

class AnyLoader {
 public:
  // Reads the small files; the caller then feeds the weights. `make` creates the translation models. Errors:
  // kInvalidFile, kUnsupported, kMissingFile, kLimitExceeded.
  static Result<std::unique_ptr<AnyLoader>> Create(const SmallFiles& files, std::vector<WeightFile> weights,
                                                   uint64_t memory, ArriveAs arrive,
                                                   MakeModel make = &MakeSequenceModel);

  ByteRange Next() const { return weights_->Next(); }
  Result<void> Feed(std::span<const uint8_t> bytes) { return weights_->Feed(bytes); }
  // To be called when Next() wants nothing more.
  AnyModel Finish();
  LoadedSize size() const { return {weights_->parameters(), weights_->bytes()}; }
  // To be called before Finish: the model as the small files describe it, without weights. Its size counts the weights
  // that the model must have. Until the first file's directory is fed, its bytes are those of float weights.
  const AnyModel& model() const { return model_; }
  LoadedSize expected() const { return {parameters_, weights_->bytes()}; }

 private:
  AnyModel model_;
  std::unique_ptr<WeightLoader> weights_;
  size_t parameters_ = 0;  // weights that the model must have
};

}  // namespace qkv
