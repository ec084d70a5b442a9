// Tokenisation for BLEU and chrF, as in sacreBLEU (Post, "A call for clarity in reporting BLEU scores", 2018).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace qkv {

// The words of a line by mteval-v13a: four entities spelt out, punctuation apart, full stops and commas apart unless
// between digits, dashes apart after a digit. One space stands between two words, and none at the ends.
std::string Tokenize13a(std::string_view line);

// The parts of a text between white space, as Unicode defines it (with no-break spaces).
std::vector<std::string_view> SplitAtSpaces(std::string_view text);

}  // namespace qkv
