#include "core/load/any_model.h"

#include <algorithm>
#include <functional>

#include "core/base/json.h"
#include "core/base/sort.h"
#include "core/io/pytorch.h"
#include "core/io/safetensors.h"
#include "core/models/rnn_config.h"

namespace qkv {
namespace {

constexpr size_t kMostShards = 1000;

std::span<const uint8_t> Bytes(std::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::unique_ptr<TensorDirectory> OpenWeights(const WeightFile& file) {
  return file.name.ends_with(".safetensors") ? OpenSafetensors(file) : OpenPytorch(file);
}

// The model of a kind from the small files, without weights.
Result<AnyModel> CreateModel(ModelKind kind, const SmallFiles& files, MakeModel make) {
  if (kind == ModelKind::kEncoder) {
    QKV_TRY(std::unique_ptr<EncoderModel> model, EncoderModel::Create(files));
    return AnyModel(std::move(model));
  }
  if (kind == ModelKind::kGenerator) {
    QKV_TRY(std::unique_ptr<GeneratorModel> model, GeneratorModel::Create(files));
    return AnyModel(std::move(model));
  }
  const auto content = [&](const char* name) { return ContentOf(files, name); };
  QKV_TRY(std::unique_ptr<TranslationModel> model,
          TranslationModel::Create({content("config.json"), content("generation_config.json"), content("vocab.json"),
                                    Bytes(content("source.spm")), Bytes(content("target.spm")),
                                    Bytes(content("shortlist.bin")), content("target_vocab.json")},
                                   make));
  return AnyModel(std::move(model));
}

}  // namespace

// The config's model_type decides. An unknown one is refused by its name, with the list of those that are known.
Result<ModelKind> KindOf(std::string_view config) {
  QKV_TRY(const JsonObject json, JsonObject::Parse(config, "config.json", kLargestConfig));
  QKV_TRY(const std::string_view type, json.String("model_type", ""));
  if (type == "marian" || type == kRnnModelType) return ModelKind::kTranslation;
  for (const std::string_view each : {"bert", "distilbert", "roberta", "xlm-roberta", "camembert"}) {
    if (type == each) return ModelKind::kEncoder;
  }
  if (type == "gpt2") return ModelKind::kGenerator;
  return json.Unsupported("model_type",
                          "\"" + std::string(type) +
                              "\" is not a model this engine runs: marian, qkv-rnn, bert, distilbert, roberta, "
                              "xlm-roberta, camembert and gpt2 are");
}

std::vector<std::string> SmallFileNames(ModelKind kind) {
  if (kind == ModelKind::kTranslation) {
    return {"config.json", "generation_config.json", "vocab.json",       "source.spm",
            "target.spm",  "shortlist.bin",          "target_vocab.json"};
  }
  // A folder has tokenizer.json, or the older files of which it is made.
  std::vector<std::string> names = {"config.json", "tokenizer.json", "tokenizer_config.json", "vocab.json",
                                    "merges.txt"};
  names.push_back(kind == ModelKind::kEncoder ? "vocab.txt" : "generation_config.json");
  return names;
}

Result<std::vector<std::string>> ShardNames(std::string_view index) {
  constexpr const char* kFile = "index.json of the weights";
  QKV_TRY(const JsonObject json, JsonObject::Parse(index, kFile));
  const Json* const map = json.Find("weight_map");
  if (map == nullptr || !map->IsObject()) return json.Invalid("weight_map", "must map tensors to files");
  // Each file once. A path out of the folder is refused, because the index may be hostile like any other file.
  std::vector<std::string> names;
  for (const auto& member : map->GetObject()) {
    if (!member.value.IsString()) return json.Invalid("weight_map", "must map tensors to files");
    std::string name(member.value.GetString(), member.value.GetStringLength());
    if (name.empty() || name.find('/') != std::string::npos || name.find('\\') != std::string::npos) {
      return json.Invalid("weight_map", "names a file outside the folder");
    }
    names.push_back(std::move(name));
  }
  SortSmall(names, std::less<>());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  if (names.empty() || names.size() > kMostShards) return json.Invalid("weight_map", "names no files, or too many");
  return names;
}

Result<std::unique_ptr<AnyLoader>> AnyLoader::Create(const SmallFiles& files, std::vector<WeightFile> weights,
                                                     uint64_t memory, ArriveAs arrive, MakeModel make) {
  QKV_TRY(const ModelKind kind, KindOf(ContentOf(files, "config.json")));
  // The model without weights, its size, and the loader that fills its slots.
  auto loader = std::make_unique<AnyLoader>();
  QKV_TRY(loader->model_, CreateModel(kind, files, make));
  WeightSlots slots = std::visit([](auto& model) { return model->Slots(); }, loader->model_);
  for (const WeightSlot& slot : slots.slots) {
    if (!slot.optional) loader->parameters_ += slot.outputs * slot.inputs;
  }
  loader->weights_ = std::make_unique<WeightLoader>(std::move(slots), std::move(weights), &OpenWeights, memory, arrive);
  return loader;
}

AnyModel AnyLoader::Finish() {
  if (auto* translation = std::get_if<std::unique_ptr<TranslationModel>>(&model_)) {
    (*translation)->SetSize(weights_->parameters(), weights_->bytes());
  }
  return std::move(model_);
}

}  // namespace qkv
