// Byte-level BPE's alphabet and its words (Radford et al. 2019, GPT-2): any text is bytes, and each byte is written as
// one visible character, so that a vocabulary is a list of printable strings.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace qkv {

// The character of each byte: itself where it is printable in Latin-1, else one from U+0100 on.
std::array<uint32_t, 256> ByteCharacters();

// The bytes that a piece stands for; characters that stand for none are themselves in UTF-8.
std::string BytesOfPiece(std::string_view piece);

// The length of the first match, in a text that is not empty, of
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
// where \s is Unicode's White_Space. One always begins at the beginning.
size_t FirstWordLength(std::string_view text);

}  // namespace qkv
