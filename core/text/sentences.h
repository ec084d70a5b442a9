// Finds the sentences of a text, by the marks that end them: the rules that web/lib/text/sentences.js has for where
// there is no Intl.Segmenter.
#pragma once

#include <string_view>
#include <vector>

namespace qkv {

// A sentence without white space around it, or the white space between sentences.
struct TextPart {
  std::string_view text;
  bool sentence = false;
};

// The parts of `text`, in order; joined they are the text. A sentence ends after . ! ? and their like, with the closing
// quotes that follow, before white space, and after the marks of Chinese and Japanese. It goes on after an abbreviation
// such as "Mr.", and before a small letter of an alphabet that has capitals.
std::vector<TextPart> SplitSentences(std::string_view text);

}  // namespace qkv
