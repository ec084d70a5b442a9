#include "core/io/model_files.h"

namespace qkv {

Result<Tokenizer> ReadTokenizer(const SmallFiles& files, bool roberta) {
  const auto content = [&](const char* name) { return ContentOf(files, name); };
  if (!content("tokenizer.json").empty()) return Tokenizer::Parse(content("tokenizer.json"));
  const std::string_view config = content("tokenizer_config.json");
  if (!content("vocab.txt").empty()) return Tokenizer::ParseWordPiece(content("vocab.txt"), config);
  if (!content("merges.txt").empty()) {
    return Tokenizer::ParseByteLevel(content("vocab.json"), content("merges.txt"), config, roberta);
  }
  return Error{ErrorCode::kMissingFile,
               "the folder has no tokenizer.json, nor vocab.txt, nor vocab.json with merges.txt", "tokenizer.json"};
}

}  // namespace qkv
