#include "core/load/folder.h"

#include <algorithm>

#include "core/io/mapped_file.h"
#include "core/translate/marian_folder.h"

namespace qkv {
namespace {

// The names of the folder's files of weights.
Result<std::vector<std::string>> WeightNames(const std::string& folder) {
  for (const std::string name : {"model.safetensors", "pytorch_model.bin"}) {
    QKV_TRY(const MappedFile whole, MappedFile::Open(folder, name, true));
    if (!whole.bytes().empty()) return std::vector<std::string>{name};
    QKV_TRY(const MappedFile index, MappedFile::Open(folder, name + ".index.json", true));
    if (!index.bytes().empty()) return ShardNames(index.text());
  }
  return Error{ErrorCode::kMissingFile, "the folder has neither model.safetensors nor pytorch_model.bin",
               folder + "/model.safetensors"};
}

}  // namespace

Result<LoadedFolder> LoadAnyFolder(const std::string& folder, ArriveAs arrive) {
  // Marian's folders have files of their own.
  if (IsMarianFolder(folder)) {
    QKV_TRY(std::unique_ptr<TranslationModel> model, LoadMarianFolder(folder));
    const LoadedSize size = {model->parameters(), model->bytes()};
    return LoadedFolder{std::move(model), size, {}};
  }
  // The small files: config.json says which others its kind of model has.
  SmallFiles files;
  QKV_TRY(const MappedFile config, MappedFile::Open(folder, "config.json"));
  QKV_TRY(const ModelKind kind, KindOf(config.text()));
  for (const std::string& name : SmallFileNames(kind)) {
    QKV_TRY(const MappedFile file, MappedFile::Open(folder, name, true));
    files.emplace_back(name, file.text());
  }
  // The files of weights, mapped.
  QKV_TRY(const std::vector<std::string> names, WeightNames(folder));
  LoadedFolder loaded;
  std::vector<MappedFile> weights;
  for (const std::string& name : names) {
    QKV_TRY(MappedFile file, MappedFile::Open(folder, name));
    loaded.files.push_back({name, file.bytes().size()});
    weights.push_back(std::move(file));
  }
  // The loader asks for ranges of them. A range past a file's end gives fewer bytes, which is an error there.
  QKV_TRY(const std::unique_ptr<AnyLoader> loader, AnyLoader::Create(files, loaded.files, PTRDIFF_MAX, arrive));
  for (ByteRange range = loader->Next(); range.length != 0; range = loader->Next()) {
    const std::span<const uint8_t> bytes = weights[range.file].bytes();
    const size_t begin = std::min<size_t>(range.offset, bytes.size());
    QKV_CHECK(loader->Feed(bytes.subspan(begin, std::min<size_t>(range.length, bytes.size() - begin))));
  }
  loaded.model = loader->Finish();
  loaded.size = loader->size();
  return loaded;
}

}  // namespace qkv
