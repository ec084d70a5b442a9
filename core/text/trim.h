// Removes the white space at a piece's ends from its span, as byte-level tokenizers do ("trim_offsets").
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "core/text/sentencepiece.h"
#include "core/text/tokenizer_parts.h"

namespace qkv {

// The beginning of the character that ends at `at`, in [from, at), which is not empty.
size_t CharacterBefore(std::string_view text, size_t from, size_t at);

// Whether a single space before a piece may be the one that the tokenizer put there; then it stays in the span. This is
// so for the first piece of the text (`first`), and for a piece that begins at the text's first byte.
bool KeepsSpace(const TokenizerParts& parts, bool first, size_t begin);

// Removes the spaces of each piece from its span. Spaces are counted in the piece and removed as characters of the
// text: a space that the tokenizer put before a word has the span of the word's first character.
void TrimPieces(std::string_view text, const TokenizerParts& parts, std::vector<Piece>& pieces);

// The span [begin, end) of an added piece without the white space that the piece took.
std::pair<size_t, size_t> WithoutWhite(std::string_view text, size_t begin, size_t end, bool keeps_one);

}  // namespace qkv
