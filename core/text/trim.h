// Spans without the white space at a piece's ends, as byte-level tokenizers have them ("trim_offsets").
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "core/text/tokenizer_parts.h"

namespace qkv {

// Where the character begins that ends at `at`, in [from, at) which is not empty.
size_t CharacterBefore(std::string_view text, size_t from, size_t at);

// Whether a single space before a piece may be the one that was put there, and so stays in its span. `first` of the
// text's pieces, or beginning at its first byte.
bool KeepsSpace(const Tokenizer::Parts& parts, bool first, size_t begin);

// Takes the spaces of each piece from its span of the text. They are counted in the piece and taken in characters: a
// space that was put before a word stands for the word's first character.
void TrimPieces(std::string_view text, const Tokenizer::Parts& parts, std::vector<Piece>& pieces);

// [begin, end) of a text that an added piece took, without the white space that it took along.
std::pair<size_t, size_t> WithoutWhite(std::string_view text, size_t begin, size_t end, bool keeps_one);

}  // namespace qkv
