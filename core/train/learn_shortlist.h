// Makes a lexical shortlist from the table of IBM model 1.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/train/ibm_model1.h"
#include "core/translate/shortlist.h"

namespace qkv {

struct ShortlistSize {
  size_t first = 50;  // frequent pieces, which every sentence may use
  size_t best = 50;   // likeliest pieces of each source piece
  float least = 0;    // a piece less likely than this is left out
};

// Every source ends with </s>. The list of `end` (</s>) therefore holds the frequent pieces of the targets, with </s>
// first, and the other lists leave them out. This works with any order of the vocabulary, and readers of Marian's
// format need no change. The last row always has a list, as Marian requires.
ShortlistContent LearnShortlist(const Model1& model, const SentencePairs& pairs, size_t source_vocabulary,
                                size_t target_vocabulary, int32_t end, const ShortlistSize& size);

}  // namespace qkv
