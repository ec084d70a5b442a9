// Small patterns over bytes, read as they are written: for tables of what a text is searched for.
//
//   \d digit   \x hexadecimal digit   \a letter   \u upper case   \l lower case   \w letter, digit or _   \s white
//   space [ab\d] one of these   [^ab] any byte but these   (ab|c) the first alternative that matches   ? * + as usual
//   any other byte stands for itself, and so does one after \ that is not named above
//
// A byte past ASCII counts as a letter, but for those that punctuation and symbols begin with (U+0080 to U+00BF, U+2000
// to U+2FFF), and cases are those of ASCII. What is repeated takes as much as it can and gives nothing back, so that a
// match costs time in proportion to what it reads.
#pragma once

#include <cstddef>
#include <string_view>

namespace qkv {

// How many bytes of `text`, from its beginning, the pattern matches; 0 where it matches none. `pattern` is well formed.
size_t MatchPattern(const char* pattern, std::string_view text);

}  // namespace qkv
