#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace qkv {

// Decodes a base64 text (RFC 4648) up to its padding. Returns nothing if a character is not in the alphabet.
std::vector<uint8_t> FromBase64(std::string_view text);

}  // namespace qkv
