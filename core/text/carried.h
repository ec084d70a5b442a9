// Parts of a text that are not translated: addresses, names of files, code, numbers, emoji and the like. They are found
// by rules that know no language and no model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/text/unicode.h"

namespace qkv {

enum class CarriedKind : uint8_t {
  kNumber,  // digits, with what belongs to them: a date, a price, a telephone number
  kName,    // an address, a path, code, a placeholder
  kMark,    // no word of a sentence: an emoji, a control character, a tag of HTML
};

struct CarriedSpan {
  size_t begin = 0, end = 0;  // half-open bytes
  CarriedKind kind = CarriedKind::kName;
  // Whether models may be trusted to copy it, so that it is enough to look whether they have: "25", "mp3".
  bool easy = false;
};

// In order, none of them empty, no two overlapping; those that have only white space between them are one. Time in
// proportion to the text.
std::vector<CarriedSpan> FindCarried(std::string_view text);

// Whether a code point past ASCII belongs to a word: it is neither punctuation nor a symbol nor a space.
bool IsWordCharacter(uint32_t code_point);
// The character that ends a text, which is not empty.
Decoded LastCharacter(std::string_view text);
// Whether a letter, a digit or a _ is at that end of a text.
bool BeginsWithWord(std::string_view text);
bool EndsWithWord(std::string_view text);
// The bytes at the beginning of `text` that are emoji and control characters.
size_t MarkLength(std::string_view text);

}  // namespace qkv
