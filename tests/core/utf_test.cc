#include "core/text/utf.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace qkv {
namespace {

std::string Utf8(uint32_t code) {
  const auto trail = [code](int shift) { return static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
  if (code < 0x80) return {static_cast<char>(code)};
  if (code < 0x800) return {static_cast<char>(0xC0 | code >> 6), trail(0)};
  if (code < 0x10000) return {static_cast<char>(0xE0 | code >> 12), trail(6), trail(0)};
  return {static_cast<char>(0xF0 | code >> 18), trail(12), trail(6), trail(0)};
}

bool IsSurrogate(uint32_t code) { return code >= 0xD800 && code <= 0xDFFF; }

TEST(Utf, EveryCodePoint) {
  for (uint32_t code = 0; code < 0x120000; ++code) {
    const std::string text = Utf8(code);
    const bool valid = !IsSurrogate(code) && code <= 0x10FFFF;
    ASSERT_EQ(Utf8Length(text + "x"), valid ? text.size() : 0) << std::hex << code;
    ASSERT_EQ(Utf8Length(text.substr(0, text.size() - 1)), 0U) << std::hex << code;  // truncated
    ASSERT_EQ(AnnouncedLength(text[0]), text.size()) << std::hex << code;
  }
}

TEST(Utf, OverlongFormsAndStrayBytesAreInvalid) {
  for (const char* text : {"\xC0\x80", "\xC1\xBF", "\xE0\x9F\xBF", "\xF0\x8F\xBF\xBF", "\xF5\x80\x80\x80", "\x80",
                           "\xBF", "\xFE", "\xFF", "\xC3\x28", "\xE2\x28\xA1", "\xE2\x82\x28", "\xF0\x90\x8D\x28"}) {
    EXPECT_EQ(Utf8Length(text), 0U) << testing::PrintToString(text);
  }
  EXPECT_EQ(Utf8Length(""), 0U);
  EXPECT_EQ(Utf8Length(std::string_view("\0", 1)), 1U);
}

TEST(Utf, InvalidBytesAreReplacedOneByOne) {
  EXPECT_EQ(ToValidUtf8("a\xFF\xC3\xA9\xE2\x82"), "a\xEF\xBF\xBD\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD");
  EXPECT_EQ(ToValidUtf8(std::string_view("\0\xED\xA0\x80", 4)),
            std::string("\0\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD", 10));
  EXPECT_EQ(ToValidUtf8(""), "");
}

TEST(Utf, OffsetsInUtf16) {
  // a, an invalid byte, e acute, euro sign, a clef outside the basic plane, z
  const std::string text = "a\xFF\xC3\xA9\xE2\x82\xAC\xF0\x9D\x84\x9Ez";
  const std::vector<std::pair<size_t, size_t>> expected = {{0, 0}, {1, 1}, {2, 2}, {4, 3}, {7, 4}, {11, 6}, {12, 7}};
  Utf16Offsets ascending(text);
  for (const auto& [byte, unit] : expected) EXPECT_EQ(ascending.At(byte), unit);
  for (const auto& [byte, unit] : expected) EXPECT_EQ(ascending.At(byte), unit);  // starts again
  EXPECT_EQ(ascending.At(3), 3U);                                                 // inside e acute
  EXPECT_EQ(ascending.At(100), 7U);
  EXPECT_EQ(Utf16Offsets("").At(0), 0U);
}

}  // namespace
}  // namespace qkv
