// The unigram language model (Kudo, "Subword regularization", 2018): of all ways to cut a text into pieces, the one
// with the greatest sum of scores (log-probabilities), found by Viterbi's algorithm in one pass.
#pragma once

#include <string_view>
#include <vector>

#include "core/text/segment.h"
#include "core/text/vocabulary.h"

namespace qkv {

class Unigram {
 public:
  explicit Unigram(const Vocabulary& vocabulary);

  // Linear in the text, times the longest piece. Ties go to the longer last piece.
  std::vector<Segment> Cut(std::string_view normalized, const Vocabulary& vocabulary) const;

 private:
  double Score(int32_t id, size_t length, const Vocabulary& vocabulary) const;

  float unknown_score_;  // of one character that no piece covers
  float max_score_;
};

}  // namespace qkv
