// What a tokenizer.json does to a text before it is cut into words: its "normalizer", a list of steps.
#pragma once

#include <string>
#include <vector>

#include "core/text/charsmap.h"
#include "core/text/spanned_text.h"

namespace qkv {

struct RewriteStep {
  enum class Kind {
    kBert,          // see `bert`
    kLowercase,     // each code point by itself: a final sigma is no special case
    kStripAccents,  // canonical decomposition, and no mark
    kReplace,       // each `from` by `to`
    kReplaceRuns,   // two spaces and more by `to`
    kPrepend,       // `to` before a text that is not empty
    kStrip,         // white space from the ends
    // SentencePiece's compiled rules: the longest that fits, at each place, as SentencePiece applies them and as the
    // models were trained. Hugging Face's library takes the shortest that a grapheme cluster of up to five bytes begins
    // with in the place of the whole cluster, and loses the marks behind it: e, U+0301, U+0323 becomes é there.
    kCharsmap,
  };
  // BertNormalizer (Devlin et al. 2018's BasicTokenizer, its first half).
  struct Bert {
    bool clean_text = true;  // no control characters; all white space is spaces
    bool split_ideographs = true;
    bool strip_accents = true;
    bool lowercase = true;
  };

  Kind kind = Kind::kBert;
  Bert bert = {};
  std::string from = {}, to = {};
  bool left = true, right = true;  // kStrip
  Charsmap charsmap = {};
};

SpannedText Rewrite(SpannedText text, const std::vector<RewriteStep>& steps);

}  // namespace qkv
