// Any bytes as a .spm file. An accepted file encodes and decodes a hostile text within its bounds.
#include <string_view>

#include "core/text/sentencepiece.h"

namespace {
constexpr std::string_view kText =
    "Tom\xE2\x80\x99s \xEF\xBC\xA1 caf\xC3\xA9  \xF0\x9F\x98\x80\xFF\x80 \xE2\x96\x81\t\n e\xCC\x81 end";
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace qkv;
  const auto model = SentencePiece::Parse({data, size}, "fuzz.spm");
  if (!model) return 0;
  std::vector<int32_t> ids;
  size_t at = 0;
  for (const Piece& piece : model.value().Encode(kText)) {
    if (piece.begin < at || piece.end < piece.begin || piece.end > kText.size()) __builtin_trap();
    if (piece.id < 0 || static_cast<size_t>(piece.id) >= model.value().size()) __builtin_trap();
    at = piece.begin;
    ids.push_back(piece.id);
  }
  for (size_t id = 0; id < std::min<size_t>(model.value().size(), 64); ++id) ids.push_back(static_cast<int32_t>(id));
  std::vector<Piece> spans;
  const std::string text = model.value().Decode(ids, &spans);
  if (spans.size() != ids.size()) __builtin_trap();
  for (const Piece& piece : spans) {
    if (piece.begin > piece.end || piece.end > text.size()) __builtin_trap();
  }
  return 0;
}
