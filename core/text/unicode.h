// What Unicode says of a code point, as far as tokenizers ask. WebAssembly takes it from its host, which has the tables
// anyway; natively they are in unicode_tables.inc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace qkv {

// By general category. Marks are the nonspacing ones (Mn), wide marks Mc and Me; control is Cc, Cf, Co and Cs.
enum class CharKind : uint32_t { kOther, kLetter, kNumber, kMark, kPunctuation, kControl, kWideMark };

struct CharFacts {
  CharKind kind = CharKind::kOther;
  // What the code point becomes, ended by a 0 or by the array: in lower case, and decomposed canonically (NFD) without
  // its nonspacing marks.
  uint32_t lower[2] = {}, base[3] = {};
};

// Of a code point up to U+10FFFF.
CharFacts FactsOf(uint32_t code_point);

// Unicode's White_Space.
bool IsWhite(uint32_t code_point);

// The code point that `text`, which is not empty, begins with, and its bytes; a byte that begins none is U+FFFD.
struct Decoded {
  uint32_t code_point;
  uint32_t length;
};
Decoded DecodeOne(std::string_view text);

// Adds a code point in UTF-8.
void AppendUtf8(uint32_t code_point, std::string& text);

}  // namespace qkv
