// What the tests of the tokenizer share: the format of its goldens (tests/oracle/make_sentencepiece_goldens.py).
#pragma once

#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <vector>

#include "core/text/sentencepiece.h"
#include "tests/core/goldens.h"

namespace qkv {

inline std::span<const uint8_t> Bytes(const std::string& content) {
  return {reinterpret_cast<const uint8_t*>(content.data()), content.size()};
}

// A text of the goldens: one character, U+0000 to U+00FF, for a byte.
inline std::string Text(const Json& value) {
  std::string text;
  const char* at = value.GetString();
  for (const char* const end = at + value.GetStringLength(); at < end; ++at) {
    const auto byte = static_cast<unsigned char>(*at);
    text += byte < 0x80 ? *at : static_cast<char>((byte & 3) << 6 | (*++at & 0x3F));
  }
  return text;
}

inline std::vector<size_t> Numbers(const Json& value) {
  std::vector<size_t> numbers;
  for (const Json& number : value.GetArray()) numbers.push_back(number.GetUint());
  return numbers;
}

// id, begin, end of every piece.
inline std::vector<size_t> Flatten(const std::vector<Piece>& pieces) {
  std::vector<size_t> numbers;
  for (const Piece& piece : pieces) {
    numbers.insert(numbers.end(), {static_cast<size_t>(piece.id), piece.begin, piece.end});
  }
  return numbers;
}

inline std::vector<int32_t> Ids(const std::vector<Piece>& pieces) {
  std::vector<int32_t> ids;
  for (const Piece& piece : pieces) ids.push_back(piece.id);
  return ids;
}

// 64-bit FNV-1a over little-endian 32-bit numbers, in hexadecimal.
template <class Numbers>
std::string Fnv1a(const Numbers& numbers) {
  uint64_t value = 0xCBF29CE484222325;
  for (const auto number : numbers) {
    for (int shift = 0; shift < 32; shift += 8) value = (value ^ ((uint64_t{number} >> shift) & 0xFF)) * 0x100000001B3;
  }
  char text[17];
  std::snprintf(text, sizeof(text), "%016llx", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace qkv
