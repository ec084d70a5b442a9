// The Unicode properties of code points that tokenizers need. In WebAssembly the host has the tables; natively they are
// in unicode_tables.inc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace qkv {

// Kinds by general category. Marks are the nonspacing ones (Mn), wide marks are Mc and Me; control is Cc, Cf, Co and
// Cs.
enum class CharKind : uint32_t { kOther, kLetter, kNumber, kMark, kPunctuation, kControl, kWideMark };

struct CharFacts {
  CharKind kind = CharKind::kOther;
  // The code point in lower case, and its canonical decomposition (NFD) without nonspacing marks. A list ends at a 0 or
  // at the end of the array.
  uint32_t lower[2] = {}, base[3] = {};
};

// `code_point` is at most U+10FFFF.
CharFacts FactsOf(uint32_t code_point);

// Unicode's White_Space.
bool IsWhite(uint32_t code_point);

// The first code point of `text`, which is not empty, and its length in bytes. An invalid byte is U+FFFD.
struct Decoded {
  uint32_t code_point;
  uint32_t length;
};
Decoded DecodeOne(std::string_view text);

// Appends a code point to `text` in UTF-8.
void AppendUtf8(uint32_t code_point, std::string& text);

}  // namespace qkv
