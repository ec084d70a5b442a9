#include "core/translate/marian_folder.h"

#include <dirent.h>

#include "core/io/gzip_file.h"
#include "core/io/npz_file.h"
#include "core/translate/marian_loader.h"

namespace qkv {
namespace {

constexpr size_t kLargestSmallFile = size_t{64} << 20;

// The files whose names begin and end like "model." and ".bin". Compressed files count only if there is no plain one.
std::vector<std::string> FilesOf(const std::string& folder, std::string_view begin, std::string_view end) {
  std::vector<std::string> plain, compressed;
  DIR* const directory = opendir(folder.c_str());
  if (directory == nullptr) return {};
  while (const dirent* entry = readdir(directory)) {
    std::string_view name = entry->d_name;
    const bool gzip = name.ends_with(".gz");
    if (gzip) name.remove_suffix(3);
    if (name.size() + 1 < begin.size() + end.size() || !name.starts_with(begin) || !name.ends_with(end)) continue;
    (gzip ? compressed : plain).emplace_back(entry->d_name);
  }
  closedir(directory);
  return plain.empty() ? compressed : plain;
}

// The only file of a kind; empty if there is none.
Result<std::string> FileOf(const std::string& folder, const char* begin, const char* end) {
  const std::vector<std::string> names = FilesOf(folder, begin, end);
  if (names.size() <= 1) return names.empty() ? std::string() : names.front();
  return Error{ErrorCode::kInvalidArgument, names[0] + " and " + names[1] + ": only one of them can be meant", folder};
}

// A small file as MarianFiles takes it; `content` keeps its bytes.
Result<MarianFiles::File> ReadSmall(const std::string& folder, const std::string& name, std::vector<uint8_t>& content) {
  if (name.empty()) return MarianFiles::File();
  QKV_TRY(GzipFile file, GzipFile::Open(folder + "/" + name));
  QKV_TRY(content, file.ReadAll(kLargestSmallFile));
  return MarianFiles::File{content, name};
}

// Feeds the loader with the weights that `file` reads.
template <class File>
Result<std::unique_ptr<TranslationModel>> Load(const MarianFiles& files, const std::string& weights, File file) {
  QKV_TRY(const std::unique_ptr<ModelLoader> loader, MarianLoader::Create(files, weights));
  for (ByteRange range = loader->Next(); range.length != 0; range = loader->Next()) {
    QKV_TRY(const std::vector<uint8_t> bytes, file.Read(range));
    QKV_CHECK(loader->Feed(bytes));
  }
  return loader->Finish();
}

}  // namespace

bool IsMarianFolder(const std::string& folder) {
  return !FilesOf(folder, "model.", ".bin").empty() || !FilesOf(folder, "", ".npz").empty();
}

Result<std::unique_ptr<TranslationModel>> LoadMarianFolder(const std::string& folder, bool shortlist) {
  QKV_TRY(std::string weights, FileOf(folder, "model.", ".bin"));
  const bool npz = weights.empty();
  if (npz) {
    QKV_TRY(weights, FileOf(folder, "", ".npz"));
  }
  QKV_TRY(std::string source, FileOf(folder, "vocab.", ".spm"));
  std::string target, lists;
  if (source.empty()) {
    QKV_TRY(source, FileOf(folder, "srcvocab.", ".spm"));
    QKV_TRY(target, FileOf(folder, "trgvocab.", ".spm"));
    if (source.empty() || target.empty()) {
      return Error{ErrorCode::kMissingFile, "the folder has neither vocab.*.spm nor srcvocab.*.spm and trgvocab.*.spm",
                   folder + "/" + weights};
    }
  }
  if (shortlist) {
    QKV_TRY(lists, FileOf(folder, "lex.", ".bin"));
  }
  std::vector<uint8_t> contents[3];
  MarianFiles files;
  QKV_TRY(files.source_vocabulary, ReadSmall(folder, source, contents[0]));
  QKV_TRY(files.target_vocabulary, ReadSmall(folder, target, contents[1]));
  QKV_TRY(files.shortlist, ReadSmall(folder, lists, contents[2]));
  if (npz) {
    QKV_TRY(NpzFile file, NpzFile::Open(folder, weights));
    return Load(files, weights, std::move(file));
  }
  QKV_TRY(GzipFile file, GzipFile::Open(folder + "/" + weights));
  return Load(files, weights, std::move(file));
}

}  // namespace qkv
