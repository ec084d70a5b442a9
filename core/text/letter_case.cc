#include "core/text/letter_case.h"

#include "core/text/unicode.h"

namespace qkv {
namespace {

// Upper-case letters [first, last], each `step` after the other; the lower-case letter is `distance` code points
// further.
struct Letters {
  uint16_t first, last, step, distance;
};

constexpr Letters kLetters[] = {
    {'A', 'Z', 1, 32},     {0xC0, 0xD6, 1, 32},   {0xD8, 0xDE, 1, 32},   {0x100, 0x12E, 2, 1},  {0x132, 0x136, 2, 1},
    {0x139, 0x147, 2, 1},  {0x14A, 0x176, 2, 1},  {0x179, 0x17D, 2, 1},  {0x386, 0x386, 1, 38}, {0x388, 0x38A, 1, 37},
    {0x38C, 0x38C, 1, 64}, {0x38E, 0x38F, 1, 63}, {0x391, 0x3A1, 1, 32}, {0x3A3, 0x3AB, 1, 32}, {0x400, 0x40F, 1, 80},
    {0x410, 0x42F, 1, 32}, {0x460, 0x480, 2, 1},  {0x48A, 0x4BE, 2, 1},  {0x4D0, 0x52E, 2, 1},
};

// Whether `c` is one of these upper-case letters. To ask about a lower-case letter, pass the letter minus `distance`.
bool IsAmong(const Letters& letters, uint32_t c) {
  return c >= letters.first && c <= letters.last && (c - letters.first) % letters.step == 0;
}

}  // namespace

uint32_t ToLower(uint32_t c) {
  if (c == 0x178) return 0xFF;  // Ÿ
  for (const Letters& letters : kLetters) {
    if (IsAmong(letters, c)) return c + letters.distance;
  }
  return c;
}

uint32_t ToUpper(uint32_t c) {
  if (c == 0xFF) return 0x178;
  for (const Letters& letters : kLetters) {
    if (IsAmong(letters, c - letters.distance)) return c - letters.distance;
  }
  return c;
}

std::string InCase(std::string_view text, uint32_t (*change)(uint32_t)) {
  std::string changed;
  for (size_t at = 0; at < text.size();) {
    const Decoded one = DecodeOne(text.substr(at));
    const uint32_t other = change(one.code_point);
    if (other == one.code_point) {
      changed += text.substr(at, one.length);
    } else {
      AppendUtf8(other, changed);
    }
    at += one.length;
  }
  return changed;
}

}  // namespace qkv
