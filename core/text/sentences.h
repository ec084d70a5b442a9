// Finds the sentences of a text by their end marks. The rules are those of web/lib/text/sentences.js for environments
// without Intl.Segmenter.
#pragma once

#include <string_view>
#include <vector>

namespace qkv {

// A sentence without white space around it, or the white space between sentences.
struct TextPart {
  std::string_view text;
  bool sentence = false;
};

// The parts of `text`, in order; joined they are the text. A sentence ends after . ! ? and similar marks, with the
// closing quotes that follow, if white space comes next; after Chinese and Japanese marks it ends without white space.
// It does not end after an abbreviation such as "Mr.", nor before a small letter of an alphabet that has capitals.
std::vector<TextPart> SplitSentences(std::string_view text);

}  // namespace qkv
