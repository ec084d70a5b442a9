// Finds the parts of a text that are not translated: addresses, file names, code, numbers, emoji and the like. The
// rules depend on no language and on no model.
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
  // Whether models usually copy it, as "25" and "mp3". Then it is enough to check that the model did.
  bool easy = false;
};

// The spans are in order, not empty, and do not overlap. Two spans of one kind with only white space between them
// become one. The time is proportional to the length of the text.
std::vector<CarriedSpan> FindCarried(std::string_view text);

// Whether a code point above ASCII belongs to a word: it is not punctuation, a symbol or a space.
bool IsWordCharacter(uint32_t code_point);
// The last character of a text. The text is not empty.
Decoded LastCharacter(std::string_view text);
// Whether a text begins, or ends, with a letter, a digit or a _.
bool BeginsWithWord(std::string_view text);
bool EndsWithWord(std::string_view text);
// How many bytes at the beginning of `text` are emoji and control characters.
size_t MarkLength(std::string_view text);

}  // namespace qkv
