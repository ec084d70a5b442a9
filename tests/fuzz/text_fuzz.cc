// Any bytes as a text that real models encode. Spans stay in order and within the text, and ids within the model. Runs
// from the root of the repository.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/sentencepiece.h"
#include "core/text/utf.h"

namespace {

std::vector<qkv::SentencePiece> Models() {
  std::vector<qkv::SentencePiece> models;
  for (const char* name : {"unigram", "bpe", "bpe-bytes", "unigram-suffix"}) {
    std::ifstream file(std::string("tests/goldens/sentencepiece/") + name + ".spm", std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    auto model = qkv::SentencePiece::Parse({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, name);
    if (!model) {
      std::fprintf(stderr, "%s\n", model.error().ToString().c_str());
      std::abort();
    }
    models.push_back(std::move(*model));
  }
  return models;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const std::vector<qkv::SentencePiece> models = Models();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  for (const qkv::SentencePiece& model : models) {
    std::vector<int32_t> ids;
    size_t at = 0;
    for (const qkv::Piece& piece : model.Encode(text)) {
      if (piece.begin < at || piece.end < piece.begin || piece.end > size) __builtin_trap();
      at = piece.begin;
      ids.push_back(piece.id);
    }
    const std::string spelled = model.Decode(ids);
    if (qkv::ToValidUtf8(spelled) != spelled) __builtin_trap();
  }
  return 0;
}
