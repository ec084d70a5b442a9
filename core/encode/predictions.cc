#include "core/encode/predictions.h"

#include <algorithm>
#include <cmath>

#include "core/kernels/largest.h"
#include "core/kernels/softmax.h"

namespace qkv {

std::vector<Guess> Guesses(const float* logits, size_t size, size_t count) {
  std::vector<RowEntry> best(count);
  best.resize(Largest(logits, size, count, best.data()));
  const Normaliser n = FindNormaliser(logits, size);
  std::vector<Guess> guesses;
  guesses.reserve(best.size());
  for (const RowEntry& entry : best) guesses.push_back({entry.index, entry.value - n.max - n.log_sum});
  return guesses;
}

std::vector<float> LabelScores(const float* logits, size_t size, EncoderConfig::Choice choice) {
  std::vector<float> scores(logits, logits + size);
  if (choice == EncoderConfig::Choice::kOne) Softmax({scores.data(), 1, static_cast<Eigen::Index>(size)});
  if (choice == EncoderConfig::Choice::kSeveral) {
    for (float& score : scores) score = 1 / (1 + std::exp(-score));
  }
  return scores;
}

std::vector<Answer> FindAnswers(const Encoded& encoded, size_t count, size_t longest) {
  const Encoding& encoding = encoded.encoding;
  const bool pair = std::find(encoding.text.begin(), encoding.text.end(), 1) != encoding.text.end();
  std::vector<size_t> pieces;
  for (size_t i = 0; i < encoding.size(); ++i) {
    if (encoding.text[i] == (pair ? 1 : 0)) pieces.push_back(i);
  }
  std::vector<float> begins, ends;  // probabilities over the pieces of the text
  for (const size_t piece : pieces) {
    begins.push_back(encoded.logits(static_cast<Eigen::Index>(piece), 0));
    ends.push_back(encoded.logits(static_cast<Eigen::Index>(piece), 1));
  }
  for (std::vector<float>* row : {&begins, &ends}) Softmax({row->data(), 1, static_cast<Eigen::Index>(row->size())});
  // For each piece, the likeliest span that begins there and does not overlap an answer. So the list has one entry for
  // each piece, and not one for each span.
  std::vector<char> is_taken(pieces.size());
  const auto from = [&](size_t i) {
    Answer likeliest{i, i, -1};
    for (size_t j = i; j < std::min(pieces.size(), i + longest) && is_taken[j] == 0; ++j) {
      if (begins[i] * ends[j] > likeliest.score) likeliest = {i, j, begins[i] * ends[j]};
    }
    return likeliest;
  };
  std::vector<Answer> spans;
  spans.reserve(pieces.size());
  for (size_t i = 0; i < pieces.size(); ++i) spans.push_back(from(i));
  std::vector<Answer> best;
  while (best.size() < count) {
    const auto next = std::max_element(spans.begin(), spans.end(),
                                       [](const Answer& a, const Answer& b) { return a.score < b.score; });
    if (next == spans.end() || next->score < 0) break;
    const auto [first, last, score] = *next;
    best.push_back({pieces[first], pieces[last], score});
    std::fill_n(is_taken.begin() + static_cast<std::ptrdiff_t>(first), last + 1 - first, 1);
    for (size_t i = first + 1 - std::min(longest, first + 1); i <= last; ++i) spans[i] = from(i);
  }
  return best;
}

}  // namespace qkv
