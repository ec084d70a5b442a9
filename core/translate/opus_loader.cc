#include "core/translate/opus_loader.h"

#include <algorithm>

#include "core/base/budget.h"
#include "core/io/marian_options.h"
#include "core/io/marian_vocabulary.h"

namespace qkv {
namespace {

constexpr const char* kDecoder = "decoder.yml";

// A number of decoder.yml, such as 0.6; `fallback` if it is absent. Errors: kInvalidFile. It is read digit by digit,
// because the C library's function would add 10 KB to a page's download.
Result<double> NumberOf(const MarianOptions& decoder, const char* key, size_t fallback, size_t most) {
  const std::string_view text = decoder.Get(key, "");
  if (text.empty()) return static_cast<double>(fallback);
  constexpr size_t kMostDigits = 12;  // of which a double holds each number
  double digits = 0, scale = 1;
  size_t points = 0;
  bool is_number = text.size() <= kMostDigits;
  for (const char c : text) {
    if (c == '.') {
      ++points;
      continue;
    }
    is_number = is_number && c >= '0' && c <= '9';
    digits = digits * 10 + (c - '0');
    if (points != 0) scale *= 10;
  }
  is_number = is_number && points <= 1 && text.size() > points && digits / scale <= static_cast<double>(most);
  if (is_number) return digits / scale;
  return Error{ErrorCode::kInvalidFile,
               "\"" + std::string(text) + "\" is not a number from 0 to " + std::to_string(most),
               decoder.file() + ", " + key};
}

// The last part of a path. The path is of the machine that trained the model; here the file is in the folder.
std::string FileName(std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); }

}  // namespace

Result<OpusDecoder> OpusDecoder::Parse(std::string_view text) {
  OpusDecoder found;
  QKV_TRY(const MarianOptions decoder, MarianOptions::Parse(text, kDecoder));
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
  QKV_TRY(const double beam, NumberOf(decoder, "beam-size", found.beam, kLargestBeam));
  QKV_TRY(const double penalty, NumberOf(decoder, "normalize", 0, 100));
  found.beam = std::max<size_t>(1, static_cast<size_t>(beam));
  found.length_penalty = static_cast<float>(penalty);
  found.weights = FileName(decoder.Get("models", ""));
  found.vocabulary = FileName(decoder.Get("vocabs", ""));
  return found;
}

Result<std::unique_ptr<ModelLoader>> OpusLoader::Create(MarianFiles files, const MarianFiles::File& vocabulary,
                                                        const OpusDecoder& decoder, std::string name, uint64_t size,
                                                        uint64_t memory) {
  std::unique_ptr<OpusLoader> loader(new OpusLoader(std::move(name), size, memory));
  loader->rows_name_ = vocabulary.name;
  // The text as JSON, which grows to twice its size.
  QKV_CHECK(CheckMemory(uint64_t{4} * vocabulary.bytes.size(), kTooLarge, loader->rows_name_));
  const std::string_view yaml(reinterpret_cast<const char*>(vocabulary.bytes.data()), vocabulary.bytes.size());
  QKV_TRY(loader->rows_, VocabularyFromYaml(yaml, loader->rows_name_));
  QKV_CHECK(loader->Start(std::move(files)));
  loader->generation_.beam = decoder.beam;
  loader->generation_.per_source = decoder.per_source;
  loader->generation_.length_penalty = decoder.length_penalty;
  return std::unique_ptr<ModelLoader>(std::move(loader));
}

Result<PieceRows> OpusLoader::ReadRows(TransformerConfig& config) {
  if (!config.shared_embeddings) {
    return Error{ErrorCode::kUnsupported, "it is for both sides, and the model has a table for each", rows_name_};
  }
  QKV_TRY(PieceRows rows, PieceRows::Parse(rows_, config.source_vocabulary, config.end, rows_name_.c_str()));
  generation_.banned = {rows.unknown()};
  rows_ = {};
  return rows;
}

}  // namespace qkv
