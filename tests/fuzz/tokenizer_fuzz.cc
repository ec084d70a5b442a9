// Any bytes as tokenizer.json, and a loaded file as a tokenizer of texts: spans stay in order and within the text, and
// ids within the tokenizer.
#include <cstdint>
#include <string_view>

#include "core/text/tokenizer.h"
#include "core/text/utf.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  const auto tokenizer = qkv::Tokenizer::Parse(json);
  if (!tokenizer) return 0;
  for (const std::string_view text :
       {std::string_view("Caf\xC3\xA9 [MASK]  don't 12 \xE6\xBC\xA2!\xFF"), json.substr(0, 200)}) {
    std::vector<int32_t> ids;
    for (const qkv::Piece& piece : tokenizer.value().Pieces(text)) {
      if (piece.begin > piece.end || piece.end > text.size()) __builtin_trap();
      if (piece.id < 0 || static_cast<size_t>(piece.id) >= tokenizer.value().size()) __builtin_trap();
      ids.push_back(piece.id);
    }
    const std::string spelled = tokenizer.value().Decode(ids);
    if (qkv::ToValidUtf8(spelled) != spelled) __builtin_trap();
    tokenizer.value().Encode(text, text, 16);
  }
  return 0;
}
