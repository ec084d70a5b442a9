#include "core/translate/marian_folder.h"

#include <dirent.h>

#include <algorithm>
#include <cstdlib>

#include "core/io/gzip_file.h"
#include "core/io/mapped_file.h"
#include "core/io/marian_options.h"
#include "core/io/marian_vocabulary.h"
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
  return Error{ErrorCode::kInvalidArgument, names[0] + " and " + names[1] + ": give only one of them", folder};
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
Result<std::unique_ptr<TranslationModel>> Load(MarianFiles files, const std::string& weights, File file) {
  QKV_TRY(const std::unique_ptr<ModelLoader> loader, MarianLoader::Create(std::move(files), weights));
  for (ByteRange range = loader->Next(); range.length != 0; range = loader->Next()) {
    QKV_TRY(const std::vector<uint8_t> bytes, file.Read(range));
    QKV_CHECK(loader->Feed(bytes));
  }
  return loader->Finish();
}

// What the files of a folder hold, for as long as they are read.
struct Contents {
  std::vector<uint8_t> source, target;
  std::string rows;
};

// A number of decoder.yml, `fallback` if it is not there. Errors: kInvalidFile.
Result<double> NumberOf(const MarianOptions& decoder, const char* key, double fallback, double most) {
  const std::string text(decoder.Get(key, ""));
  if (text.empty()) return fallback;
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (*end == '\0' && value >= 0 && value <= most) return value;
  return Error{ErrorCode::kInvalidFile, "\"" + text + "\" is not a number from 0 to " + std::to_string(most),
               decoder.file() + ", " + key};
}

// decoder.yml: how the model is decoded, and by which files.
Result<std::string> ReadDecoder(const std::string& folder, MarianFiles& files) {
  constexpr const char* kName = "decoder.yml";
  constexpr double kBeam = 6, kPerSource = 3;  // Marian's own defaults; its search divides scores by the length
  QKV_TRY(const MappedFile file, MappedFile::Open(folder, kName, true));
  QKV_TRY(const MarianOptions decoder, MarianOptions::Parse(file.text(), kName));
  for (const MarianOptions::Option& option : decoder.all()) {
    if (option.key == "models" && option.first != option.value) {
      return Error{ErrorCode::kUnsupported, "several models that decode together", "decoder.yml, models"};
    }
    if (option.key == "vocabs" && option.first != option.value) {
      return Error{ErrorCode::kUnsupported, "a vocabulary for each side; one for both is read", "decoder.yml, vocabs"};
    }
  }
  if (const std::string_view penalty = decoder.Get("word-penalty", "0"); penalty != "0" && penalty != "0.0") {
    return Error{ErrorCode::kUnsupported, "a penalty for each word", "decoder.yml, word-penalty"};
  }
  QKV_TRY(const double beam, NumberOf(decoder, "beam-size", kBeam, static_cast<double>(kLargestBeam)));
  QKV_TRY(const double penalty, NumberOf(decoder, "normalize", 0, 100));
  files.beam = std::max<size_t>(1, static_cast<size_t>(beam));
  files.length_penalty = static_cast<float>(penalty);
  files.per_source = static_cast<size_t>(kPerSource);
  const std::string_view path = decoder.Get("vocabs", "");
  return std::string(path.substr(path.rfind('/') + 1));  // in the folder, wherever it was trained
}

// The files of OPUS-MT's folders: source.spm, target.spm, and the rows of both sides' pieces in *vocab.yml.
Result<void> ReadOpus(const std::string& folder, Contents& contents, MarianFiles& files) {
  QKV_TRY(std::string vocabulary, ReadDecoder(folder, files));
  if (vocabulary.empty()) {
    QKV_TRY(vocabulary, FileOf(folder, "", "vocab.yml"));
  }
  if (vocabulary.empty()) return Error{ErrorCode::kMissingFile, "source.spm needs *vocab.yml beside it", folder};
  QKV_TRY(const MappedFile yaml, MappedFile::Open(folder, vocabulary));
  QKV_TRY(contents.rows, VocabularyFromYaml(yaml.text(), vocabulary));
  files.rows = {{reinterpret_cast<const uint8_t*>(contents.rows.data()), contents.rows.size()}, vocabulary};
  QKV_TRY(files.source_vocabulary, ReadSmall(folder, "source.spm", contents.source));
  QKV_TRY(files.target_vocabulary, ReadSmall(folder, "target.spm", contents.target));
  return {};
}

// The vocabularies of a folder, as Firefox's models or OPUS-MT's have them.
Result<void> ReadVocabularies(const std::string& folder, const std::string& weights, Contents& contents,
                              MarianFiles& files) {
  QKV_TRY(std::string source, FileOf(folder, "vocab.", ".spm"));
  std::string target;
  if (source.empty()) {
    QKV_TRY(source, FileOf(folder, "srcvocab.", ".spm"));
    QKV_TRY(target, FileOf(folder, "trgvocab.", ".spm"));
  }
  if (source.empty() && !FilesOf(folder, "source", ".spm").empty()) return ReadOpus(folder, contents, files);
  if (source.empty() || (target.empty() && source.starts_with("srcvocab."))) {
    return Error{ErrorCode::kMissingFile,
                 "the folder has neither vocab.*.spm nor srcvocab.*.spm and trgvocab.*.spm, nor OPUS-MT's source.spm, "
                 "target.spm and *vocab.yml",
                 folder + "/" + weights};
  }
  QKV_TRY(files.source_vocabulary, ReadSmall(folder, source, contents.source));
  QKV_TRY(files.target_vocabulary, ReadSmall(folder, target, contents.target));
  return {};
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
  Contents contents;
  MarianFiles files;
  QKV_CHECK(ReadVocabularies(folder, weights, contents, files));
  if (shortlist) {
    QKV_TRY(files.shortlist_name, FileOf(folder, "lex.", ".bin"));
    QKV_CHECK(ReadSmall(folder, files.shortlist_name, files.shortlist));
  }
  if (npz) {
    QKV_TRY(NpzFile file, NpzFile::Open(folder, weights));
    return Load(std::move(files), weights, std::move(file));
  }
  QKV_TRY(GzipFile file, GzipFile::Open(folder + "/" + weights));
  return Load(std::move(files), weights, std::move(file));
}

}  // namespace qkv
