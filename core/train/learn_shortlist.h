// A lexical shortlist from what IBM model 1 has learnt.
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

// Every source ends with </s>, so that the frequent pieces of the targets, </s> the first of them, are listed once, as
// the list of `end`: whatever the order of the vocabulary, and readers of Marian's format need not know. The other
// lists leave them out. The last row has a list in any case: Marian wants one there.
ShortlistContent LearnShortlist(const Model1& model, const SentencePairs& pairs, size_t source_vocabulary,
                                size_t target_vocabulary, int32_t end, const ShortlistSize& size);

}  // namespace qkv
