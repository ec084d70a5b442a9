// Byte-level BPE's alphabet and its words (Radford et al. 2019, GPT-2): a text is read as bytes, and each byte is
// written as one visible character, so a vocabulary is a list of printable strings.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace qkv {

// The character of each byte: the byte itself if it is printable in Latin-1, otherwise a character from U+0100 on.
std::array<uint32_t, 256> ByteCharacters();

// The bytes that a piece stands for. A character that stands for no byte is copied as UTF-8.
std::string BytesOfPiece(std::string_view piece);

// The length of the first match, in a text that is not empty, of
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
// where \s is Unicode's White_Space. A match always begins at the first byte.
size_t FirstWordLength(std::string_view text);

}  // namespace qkv
