// Small patterns over bytes, interpreted directly from their text. They are for tables of rules.
//
//   \d digit   \x hexadecimal digit   \a letter   \u upper case   \l lower case   \w letter, digit or _   \s white
//   space [ab\d] one of these   [^ab] any byte but these   (ab|c) the first alternative that matches   ? * + as usual
//   any other byte stands for itself, and so does one after \ that is not named above
//
// A byte above ASCII counts as a letter, except the first bytes of punctuation and symbols (U+0080 to U+00BF, U+2000 to
// U+2FFF). \u and \l match ASCII letters only. Repetitions are possessive: they match as much as they can and never
// backtrack, so a match takes time in proportion to the bytes that it reads.
#pragma once

#include <cstddef>
#include <string_view>

namespace qkv {

// The number of bytes at the beginning of `text` that the pattern matches; 0 if it does not match. `pattern` must be
// well formed.
size_t MatchPattern(const char* pattern, std::string_view text);

}  // namespace qkv
