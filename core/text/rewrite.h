// The "normalizer" of a tokenizer.json: a list of steps that rewrite a text before it is cut into words.
#pragma once

#include <string>
#include <vector>

#include "core/text/charsmap.h"
#include "core/text/spanned_text.h"

namespace qkv {

struct RewriteStep {
  enum class Kind {
    kBert,          // see `bert`
    kLowercase,     // each code point alone, without a special case for the final sigma
    kStripAccents,  // canonical decomposition without marks
    kReplace,       // replaces each `from` by `to`
    kReplaceRuns,   // replaces two or more spaces by `to`
    kPrepend,       // puts `to` before a text that is not empty
    kStrip,         // removes white space at the ends
    // SentencePiece's compiled rules. At each place the longest rule that matches is applied, as SentencePiece does and
    // as the models were trained. Hugging Face's library instead replaces a grapheme cluster of up to five bytes by the
    // shortest rule that the cluster begins with, and drops the marks after it. It turns e, U+0301, U+0323 into é.
    kCharsmap,
  };
  // BertNormalizer (the first half of BasicTokenizer, Devlin et al. 2018).
  struct Bert {
    bool clean_text = true;  // removes control characters; all white space becomes spaces
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
