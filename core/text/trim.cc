#include "core/text/trim.h"

#include <algorithm>
#include <string>

#include "core/text/byte_level.h"
#include "core/text/unicode.h"

namespace qkv {

size_t CharacterBefore(std::string_view text, size_t from, size_t at) {
  do --at;
  while (at > from && (text[at] & 0xC0) == 0x80);
  return at;
}

bool KeepsSpace(const TokenizerParts& parts, bool first, size_t begin) {
  return !parts.trims_first && (first || begin == 0);
}

void TrimPieces(std::string_view text, const TokenizerParts& parts, std::vector<Piece>& pieces) {
  for (size_t i = 0; i < pieces.size(); ++i) {
    Piece& piece = pieces[i];
    const std::string bytes = BytesOfPiece(parts.Text(piece.id));
    size_t leading = std::min(bytes.find_first_not_of(' '), bytes.size());
    // a piece that has only spaces counts all of them
    size_t trailing = bytes.size() - 1 - bytes.find_last_not_of(' ');
    if (leading == 1 && KeepsSpace(parts, i == 0, piece.begin)) leading = 0;
    for (; leading > 0 && piece.begin < piece.end; --leading) piece.begin += DecodeOne(text.substr(piece.begin)).length;
    for (; trailing > 0 && piece.end > piece.begin; --trailing) {
      piece.end = CharacterBefore(text, piece.begin, piece.end);
    }
  }
}

std::pair<size_t, size_t> WithoutWhite(std::string_view text, size_t begin, size_t end, bool keeps_one) {
  size_t first = begin, last = end, count = 0;
  while (first < end) {
    const Decoded one = DecodeOne(text.substr(first));
    if (!IsWhite(one.code_point)) break;
    first += one.length;
    ++count;
  }
  if (first == end) return {begin, end};
  if (count == 1 && keeps_one) first = begin;
  while (last > first) {
    const size_t before = CharacterBefore(text, first, last);
    if (!IsWhite(DecodeOne(text.substr(before)).code_point)) break;
    last = before;
  }
  return {first, last};
}

}  // namespace qkv
