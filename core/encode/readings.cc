#include "core/encode/readings.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/sort.h"
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
  std::vector<float> begins, ends;  // probabilities among the pieces of the text
  for (const size_t piece : pieces) {
    begins.push_back(encoded.logits(static_cast<Eigen::Index>(piece), 0));
    ends.push_back(encoded.logits(static_cast<Eigen::Index>(piece), 1));
  }
  for (std::vector<float>* row : {&begins, &ends}) Softmax({row->data(), 1, static_cast<Eigen::Index>(row->size())});
  std::vector<Answer> all;
  for (size_t i = 0; i < pieces.size(); ++i) {
    for (size_t j = i; j < std::min(pieces.size(), i + longest); ++j) {
      all.push_back({pieces[i], pieces[j], begins[i] * ends[j]});
    }
  }
  SortSmall(all, [](const Answer& a, const Answer& b) {
    return a.score != b.score ? a.score > b.score : std::pair(a.first, a.last) < std::pair(b.first, b.last);
  });
  std::vector<Answer> best;
  for (const Answer& answer : all) {
    if (best.size() == count) break;
    const bool apart = std::all_of(best.begin(), best.end(), [&](const Answer& better) {
      return answer.first > better.last || answer.last < better.first;
    });
    if (apart) best.push_back(answer);
  }
  return best;
}

}  // namespace qkv
