#include "core/translate/folder.h"

#include <algorithm>

#include "core/io/feed_all.h"
#include "core/io/mapped_file.h"
#include "core/translate/marian_folder.h"

namespace qkv {
Result<std::unique_ptr<TranslationModel>> LoadFolder(const std::string& folder, bool shortlist) {
#if !defined(__EMSCRIPTEN__) || defined(QKV_COMMAND)  // elsewhere there is no zlib
  if (IsMarianFolder(folder)) return LoadMarianFolder(folder, shortlist);
#endif
  QKV_TRY(const MappedFile config, MappedFile::Open(folder, "config.json"));
  QKV_TRY(const MappedFile generation, MappedFile::Open(folder, "generation_config.json", true));
  QKV_TRY(const MappedFile vocabulary, MappedFile::Open(folder, "vocab.json", true));
  QKV_TRY(const MappedFile source, MappedFile::Open(folder, "source.spm"));
  QKV_TRY(const MappedFile target, MappedFile::Open(folder, "target.spm", true));
  QKV_TRY(const MappedFile target_vocabulary, MappedFile::Open(folder, "target_vocab.json", true));
  QKV_TRY(const MappedFile weights, MappedFile::Open(folder, "model.safetensors"));
  MappedFile lists;
  if (shortlist) {
    QKV_TRY(lists, MappedFile::Open(folder, "shortlist.bin", true));
  }
  const ModelFiles files = {config.text(),  generation.text(), vocabulary.text(),       source.bytes(),
                            target.bytes(), lists.bytes(),     target_vocabulary.text()};
  // Called, not passed: wasm-ld mistakes the type of a function of a library that is optimised at link time if this
  // file takes nothing but its address.
  constexpr auto kMake = [](std::string_view text) { return MakeSequenceModel(text); };
  QKV_TRY(const std::unique_ptr<ModelLoader> loader,
          ModelLoader::Create(files, weights.bytes().size(), PTRDIFF_MAX, kMake));
  QKV_CHECK(FeedAll(*loader, weights.bytes()));
  return loader->Finish();
}

}  // namespace qkv
