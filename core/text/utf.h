// UTF-8 as SentencePiece reads it: a byte that does not begin a well-formed code point (Unicode 15, table 3-7) counts
// as one U+FFFD.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace qkv {

inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";  // U+FFFD

// The bytes (1 to 4) of the well-formed code point that `text` begins with; 0 if `text` begins with none.
size_t Utf8Length(std::string_view text);

// The length in bytes that the first byte announces, whether or not the bytes follow; 1 for a continuation byte.
inline size_t AnnouncedLength(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  return byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
}

// `text` with U+FFFD in place of every invalid byte.
std::string ToValidUtf8(std::string_view text);

// Converts byte offsets of a text into offsets of the same text in UTF-16, where an invalid byte is one unit (U+FFFD).
// Ascending offsets, such as the spans of Encode and Decode, cost one pass over the text in total.
class Utf16Offsets {
 public:
  explicit Utf16Offsets(std::string_view text) : text_(text) {}

  // An offset inside a code point counts as the end of the code point; an offset past the end of the text as the end of
  // the text.
  size_t At(size_t byte);

 private:
  std::string_view text_;
  size_t byte_ = 0, unit_ = 0;
};

}  // namespace qkv
