#include "core/translate/marian_folder.h"

#include <dirent.h>

#include "core/io/gzip_file.h"
#include "core/io/mapped_file.h"
#include "core/io/npz_file.h"
#include "core/translate/marian_loader.h"
#include "core/translate/opus_loader.h"

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
  return Error{ErrorCode::kInvalidArgument, names[0] + " and " + names[1] + ": give only one of them", folder};
}

// Reads a small file for MarianFiles; `content` holds its bytes.
Result<MarianFiles::File> ReadSmall(const std::string& folder, const std::string& name, std::vector<uint8_t>& content) {
  if (name.empty()) return MarianFiles::File();
  QKV_TRY(GzipFile file, GzipFile::Open(folder + "/" + name));
  QKV_TRY(content, file.ReadAll(kLargestSmallFile));
  return MarianFiles::File{content, name};
}

// Feeds the loader with the weights that `file` reads.
template <class File>
Result<std::unique_ptr<TranslationModel>> Load(ModelLoader& loader, File file) {
  for (ByteRange range = loader.Next(); range.length != 0; range = loader.Next()) {
    QKV_TRY(const std::vector<uint8_t> bytes, file.Read(range));
    QKV_CHECK(loader.Feed(bytes));
  }
  return loader.Finish();
}

// OPUS-MT's files: source.spm, target.spm, and the rows of both sides' pieces in *vocab.yml.
Result<std::unique_ptr<ModelLoader>> OpenOpus(const std::string& folder, const std::string& weights) {
  QKV_TRY(const MappedFile how, MappedFile::Open(folder, "decoder.yml", true));
  QKV_TRY(const OpusDecoder decoder, OpusDecoder::Parse(how.text()));
  std::string name = decoder.vocabulary;
  if (name.empty()) {
    QKV_TRY(name, FileOf(folder, "", "vocab.yml"));
  }
  if (name.empty()) return Error{ErrorCode::kMissingFile, "source.spm needs *vocab.yml beside it", folder};
  QKV_TRY(const MappedFile rows, MappedFile::Open(folder, name));
  std::vector<uint8_t> source, target;
  MarianFiles files;
  QKV_TRY(files.source_vocabulary, ReadSmall(folder, "source.spm", source));
  QKV_TRY(files.target_vocabulary, ReadSmall(folder, "target.spm", target));
  return OpusLoader::Create(std::move(files), {rows.bytes(), name}, decoder, weights);
}

// A loader that has read the small files of a folder, as Firefox's models or OPUS-MT's have them.
Result<std::unique_ptr<ModelLoader>> OpenLoader(const std::string& folder, const std::string& weights, bool shortlist) {
  // One vocabulary for both sides, or one for each.
  QKV_TRY(std::string source_name, FileOf(folder, "vocab.", ".spm"));
  std::string target_name;
  if (source_name.empty()) {
    QKV_TRY(source_name, FileOf(folder, "srcvocab.", ".spm"));
    QKV_TRY(target_name, FileOf(folder, "trgvocab.", ".spm"));
  }
  // A folder with neither of these is OPUS-MT's, or incomplete.
  if (source_name.empty() && !FilesOf(folder, "source", ".spm").empty()) return OpenOpus(folder, weights);
  if (source_name.empty() || (target_name.empty() && source_name.starts_with("srcvocab."))) {
    return Error{ErrorCode::kMissingFile,
                 "the folder has neither vocab.*.spm nor srcvocab.*.spm and trgvocab.*.spm, nor OPUS-MT's source.spm, "
                 "target.spm and *vocab.yml",
                 folder + "/" + weights};
  }
  // The loader parses these bytes before it returns.
  std::vector<uint8_t> source, target;
  MarianFiles files;
  QKV_TRY(files.source_vocabulary, ReadSmall(folder, source_name, source));
  QKV_TRY(files.target_vocabulary, ReadSmall(folder, target_name, target));
  if (shortlist) {
    QKV_TRY(files.shortlist_name, FileOf(folder, "lex.", ".bin"));
    QKV_CHECK(ReadSmall(folder, files.shortlist_name, files.shortlist));
  }
  return MarianLoader::Create(std::move(files), weights);
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
  QKV_TRY(const std::unique_ptr<ModelLoader> loader, OpenLoader(folder, weights, shortlist));
  if (npz) {
    QKV_TRY(NpzFile file, NpzFile::Open(folder, weights));
    return Load(*loader, std::move(file));
  }
  QKV_TRY(GzipFile file, GzipFile::Open(folder + "/" + weights));
  return Load(*loader, std::move(file));
}

}  // namespace qkv
