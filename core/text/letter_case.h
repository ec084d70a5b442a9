// Upper and lower case of Latin, Greek and Cyrillic letters. One code point maps to one code point of the same length
// in UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace qkv {

// A letter in the other case. Returns the letter itself if it has no other case, or if the other case has another
// length in UTF-8 (ß, ı).
uint32_t ToLower(uint32_t code_point);
uint32_t ToUpper(uint32_t code_point);

// Applies `change` to every letter of a text. The bytes keep their places.
std::string InCase(std::string_view text, uint32_t (*change)(uint32_t));

}  // namespace qkv
