// One front door for model folders of every kind: config.json says which it is, and the right loader reads the rest.
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

// What config.json's model_type says. Errors: kUnsupported names a type that is none of these, kInvalidFile.
Result<ModelKind> KindOf(std::string_view config);

// The small files that a folder of this kind may have, most of them one or another.
std::vector<std::string> SmallFileNames(ModelKind kind);

// The files of weights that model.safetensors.index.json, or pytorch_model.bin.index.json, names: the shards, each
// once.
Result<std::vector<std::string>> ShardNames(std::string_view index);

using AnyModel =
    std::variant<std::unique_ptr<TranslationModel>, std::unique_ptr<EncoderModel>, std::unique_ptr<GeneratorModel>>;

struct LoadedSize {
  size_t parameters = 0;
  uint64_t bytes = 0;  // of the weights, in memory
};

class AnyLoader {
 public:
  // The small files are read at once; the weights are then fed. Errors: kInvalidFile, kUnsupported, kMissingFile,
  // kLimitExceeded. `make` makes the translation models.
  static Result<std::unique_ptr<AnyLoader>> Create(const SmallFiles& files, std::vector<WeightFile> weights,
                                                   uint64_t memory, ArriveAs arrive,
                                                   MakeModel make = &MakeSequenceModel);

  ByteRange Next() const { return weights_->Next(); }
  Result<void> Feed(std::span<const uint8_t> bytes) { return weights_->Feed(bytes); }
  // Once Next() wants nothing more.
  AnyModel Finish();
  LoadedSize size() const { return {weights_->parameters(), weights_->bytes()}; }
  // Before: what the small files alone say, whose weights are still to come. The size is that of the weights which the
  // model cannot do without; its bytes, until the first file's directory was fed, as if that held floats alone.
  const AnyModel& model() const { return model_; }
  LoadedSize expected() const { return {parameters_, weights_->bytes()}; }

 private:
  AnyModel model_;
  std::unique_ptr<WeightLoader> weights_;
  size_t parameters_ = 0;  // that the model cannot do without
};

}  // namespace qkv
