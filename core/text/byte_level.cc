#include "core/text/byte_level.h"

#include <algorithm>

#include "core/text/unicode.h"

namespace qkv {
namespace {

enum class WordKind { kLetters, kNumbers, kSpace, kOthers };

WordKind KindOf(uint32_t code_point) {
  if (IsWhite(code_point)) return WordKind::kSpace;
  const CharKind kind = FactsOf(code_point).kind;
  if (kind == CharKind::kLetter) return WordKind::kLetters;
  return kind == CharKind::kNumber ? WordKind::kNumbers : WordKind::kOthers;
}

}  // namespace

std::array<uint32_t, 256> ByteCharacters() {
  std::array<uint32_t, 256> characters{};
  uint32_t next = 256;
  for (uint32_t byte = 0; byte < 256; ++byte) {
    const bool printable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    characters[byte] = printable ? byte : next++;
  }
  return characters;
}

std::string BytesOfPiece(std::string_view piece) {
  static const std::array<uint32_t, 256> characters = ByteCharacters();
  std::string bytes;
  while (!piece.empty()) {
    const Decoded one = DecodeOne(piece);
    const auto* const found = std::find(characters.begin(), characters.end(), one.code_point);
    if (found != characters.end()) {
      bytes += static_cast<char>(found - characters.begin());
    } else {
      bytes += piece.substr(0, one.length);
    }
    piece.remove_prefix(one.length);
  }
  return bytes;
}

size_t FirstWordLength(std::string_view text) {
  if (text[0] == '\'') {
    for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
      if (text.starts_with(ending)) return ending.size();
    }
  }
  const auto kind_at = [&](size_t at) { return KindOf(DecodeOne(text.substr(at)).code_point); };
  const size_t first = text[0] == ' ' && text.size() > 1 && kind_at(1) != WordKind::kSpace ? 1 : 0;
  const WordKind kind = kind_at(first);
  size_t end = first, last = first;  // the end of the run, and the beginning of its last character
  while (end < text.size() && kind_at(end) == kind) {
    last = end;
    end += DecodeOne(text.substr(end)).length;
  }
  // The last white space before a word belongs to the word.
  return kind == WordKind::kSpace && end < text.size() && last > 0 ? last : end;
}

}  // namespace qkv
