#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace qkv {

// The bytes of a base64 text (RFC 4648), up to its padding; none where a character is not of the alphabet.
std::vector<uint8_t> FromBase64(std::string_view text);

}  // namespace qkv
