// The unigram language model (Kudo, "Subword regularization", 2018): of all ways to cut a text into pieces, the one
// with the greatest sum of scores (log-probabilities), found by Viterbi's algorithm in one pass.
#pragma once

#include <string_view>
#include <vector>

#include "core/base/random.h"
#include "core/text/segment.h"
#include "core/text/vocabulary.h"

namespace qkv {

class Unigram {
 public:
  // As in SentencePiece: sums of scores are float32.
  explicit Unigram(const Vocabulary& vocabulary);
  // As in Hugging Face's library tokenizers: `scores`, one for each piece, and their sums are float64.
  Unigram(const Vocabulary& vocabulary, std::vector<double> scores);

  // Takes time linear in the text, times the length of the longest piece. Of equal cuts the one with the longer last
  // piece wins. Which sums are equal depends on their precision: the two libraries cut "1.000" with equal scores
  // differently.
  std::vector<Segment> Cut(std::string_view normalized, const Vocabulary& vocabulary) const;

  // Draws a cut from all cuts with probability proportional to exp(alpha * its sum of scores), by forward filtering and
  // backward sampling. alpha 0 draws uniformly; the larger alpha is, the more often the best cut is drawn.
  std::vector<Segment> Sample(std::string_view normalized, const Vocabulary& vocabulary, float alpha,
                              Random& random) const;

 private:
  // Calls offer(id, begin, end, score) for every piece that occurs in the text, and for every character that is not a
  // piece by itself, by ascending `begin`.
  template <class Offer>
  void ForEachPiece(std::string_view normalized, const Vocabulary& vocabulary, Offer offer) const;
  double Score(int32_t id, size_t length, const Vocabulary& vocabulary) const;

  std::vector<double> scores_;  // empty: the vocabulary's
  double unknown_score_;        // of one character that no piece covers
  float max_score_ = 0;
};

}  // namespace qkv
