#include "core/detect/language_model.h"
#include "core/io/feed_all.h"
#include "core/io/mapped_file.h"
#include "core/io/safetensors.h"

namespace qkv {

Result<std::unique_ptr<LanguageModel>> LoadLanguageModel(const std::string& folder) {
  SmallFiles files;
  for (const char* name : {"config.json", "ngrams.txt"}) {
    QKV_TRY(const MappedFile file, MappedFile::Open(folder, name));
    files.emplace_back(name, file.text());
  }
  QKV_TRY(std::unique_ptr<LanguageModel> model, LanguageModel::Create(files));
  QKV_TRY(const MappedFile weights, MappedFile::Open(folder, "model.safetensors"));
  SafetensorsReader reader(model->Slots(), weights.bytes().size());
  QKV_CHECK(FeedAll(reader, weights.bytes()));
  return model;
}

}  // namespace qkv
