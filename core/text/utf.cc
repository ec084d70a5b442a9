#include "core/text/utf.h"

#include <cstdint>

namespace qkv {
namespace {

// Whether the second byte is in its range. The range is narrower than 80..BF where an overlong form, a surrogate or a
// code point past U+10FFFF would begin.
bool ValidSecond(uint8_t lead, uint8_t second) {
  switch (lead) {
    case 0xE0:
      return second >= 0xA0 && second <= 0xBF;
    case 0xED:
      return second >= 0x80 && second <= 0x9F;
    case 0xF0:
      return second >= 0x90 && second <= 0xBF;
    case 0xF4:
      return second >= 0x80 && second <= 0x8F;
    default:
      return second >= 0x80 && second <= 0xBF;
  }
}

}  // namespace

size_t Utf8Length(std::string_view text) {
  if (text.empty()) return 0;
  const auto lead = static_cast<uint8_t>(text[0]);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const size_t length = AnnouncedLength(text[0]);
  if (text.size() < length || !ValidSecond(lead, static_cast<uint8_t>(text[1]))) return 0;
  for (size_t i = 2; i < length; ++i) {
    if ((static_cast<uint8_t>(text[i]) & 0xC0) != 0x80) return 0;
  }
  return length;
}

std::string ToValidUtf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    valid += length == 0 ? kReplacementCharacter : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return valid;
}

size_t Utf16Offsets::At(size_t byte) {
  if (byte < byte_) byte_ = unit_ = 0;
  while (byte_ < byte && byte_ < text_.size()) {
    const size_t length = Utf8Length(text_.substr(byte_));
    byte_ += length == 0 ? 1 : length;
    unit_ += length == 4 ? 2 : 1;
  }
  return unit_;
}

}  // namespace qkv
