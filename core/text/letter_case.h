// Upper and lower case of Latin, Greek and Cyrillic letters, one code point to one, of as many bytes in UTF-8.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace qkv {

// A letter in the other case: itself where it has none, or where its other case is of another length (ß, ı).
uint32_t ToLower(uint32_t code_point);
uint32_t ToUpper(uint32_t code_point);

// Every letter of a text, whose bytes keep their places.
std::string InCase(std::string_view text, uint32_t (*change)(uint32_t));

}  // namespace qkv
