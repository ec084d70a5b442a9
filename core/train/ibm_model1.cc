#include "core/train/ibm_model1.h"

#include <algorithm>
#include <cmath>

namespace qkv {

void SentencePairs::Add(std::span<const int32_t> source, std::span<const int32_t> target) {
  source_.insert(source_.end(), source.begin(), source.end());
  target_.insert(target_.end(), target.begin(), target.end());
  source_end_.push_back(source_.size());
  target_end_.push_back(target_.size());
}

std::span<const int32_t> SentencePairs::Slice(const std::vector<int32_t>& words, const std::vector<size_t>& end,
                                              size_t pair) {
  const size_t begin = pair == 0 ? 0 : end[pair - 1];
  return std::span(words).subspan(begin, end[pair] - begin);
}

// The table is computed for one source word at a time, from the pairs that contain it. One dense row of the target
// vocabulary is then enough, and two threads never write to the same place.
Model1::Model1(const SentencePairs& pairs, size_t source_vocabulary, size_t target_vocabulary, Model1Options options)
    : pairs_(pairs),
      target_vocabulary_(target_vocabulary),
      options_(options),
      pair_begin_(source_vocabulary + 2, 0),
      pairs_with_(pairs.source_words() + pairs.size()),
      rows_(source_vocabulary + 1),
      sums_(pairs.target_words(), 0.0f) {
  for (size_t pair = 0; pair < pairs.size(); ++pair) {
    for (const int32_t word : pairs.Source(pair)) ++pair_begin_[static_cast<size_t>(word) + 1];
  }
  pair_begin_[source_vocabulary + 1] = pairs.size();
  for (size_t word = 0; word <= source_vocabulary; ++word) pair_begin_[word + 1] += pair_begin_[word];
  std::vector<size_t> next(pair_begin_.begin(), pair_begin_.end() - 1);
  for (size_t pair = 0; pair < pairs.size(); ++pair) {
    const auto number = static_cast<uint32_t>(pair);
    for (const int32_t word : pairs.Source(pair)) pairs_with_[next[static_cast<size_t>(word)]++] = number;
    pairs_with_[next[source_vocabulary]++] = number;
  }
}

std::span<const uint32_t> Model1::PairsWith(size_t word) const {
  return std::span(pairs_with_).subspan(pair_begin_[word], pair_begin_[word + 1] - pair_begin_[word]);
}

float Model1::Find(std::span<const Entry> row, int32_t target) {
  const auto at = std::lower_bound(row.begin(), row.end(), target,
                                   [](const Entry& entry, int32_t wanted) { return entry.target < wanted; });
  return at != row.end() && at->target == target ? at->probability : 0.0f;
}

void Model1::Iterate(ThreadPool& pool) {
  const size_t parts = pool.size();
  pool.For(pairs_.size(), 1, [&](size_t begin, size_t end) { SumPlaces(begin, end); });
  log_likelihood_ = LogLikelihood();
  // Frequent words often have small ids, so thread t of n takes every n-th word.
  pool.For(parts, 1, [&](size_t begin, size_t end) {
    Dense dense(target_vocabulary_);
    for (size_t part = begin; part < end; ++part) {
      for (size_t word = part; word < rows_.size(); word += parts) Maximise(word, dense);
    }
  });
  is_uniform_ = false;
}

// sum_i t(f_j | e_i) for the places of these pairs, in the order of the source's ids however the pairs are divided.
void Model1::SumPlaces(size_t first_pair, size_t last_pair) {
  const auto sums = std::span(sums_).subspan(pairs_.TargetBegin(first_pair));
  std::fill_n(sums.begin(), pairs_.TargetBegin(last_pair) - pairs_.TargetBegin(first_pair), 0.0f);
  std::vector<float> dense(target_vocabulary_, is_uniform_ ? uniform() : 0.0f);
  for (size_t word = 0; word < rows_.size(); ++word) {
    const std::span<const uint32_t> all = PairsWith(word);
    const auto from = std::lower_bound(all.begin(), all.end(), first_pair);
    const auto to = std::lower_bound(from, all.end(), last_pair);
    if (from == to) continue;
    for (const Entry& entry : rows_[word]) dense[static_cast<size_t>(entry.target)] = entry.probability;
    for (auto pair = from; pair != to; ++pair) {
      float* sum = sums_.data() + pairs_.TargetBegin(*pair);
      for (const int32_t target : pairs_.Target(*pair)) *sum++ += dense[static_cast<size_t>(target)];
    }
    for (const Entry& entry : rows_[word]) dense[static_cast<size_t>(entry.target)] = 0.0f;
  }
}

// A word's row from its expected counts.
void Model1::Maximise(size_t word, Dense& dense) {
  for (const Entry& entry : rows_[word]) dense.probability[static_cast<size_t>(entry.target)] = entry.probability;
  for (const uint32_t pair : PairsWith(word)) {
    const float* sum = sums_.data() + pairs_.TargetBegin(pair);
    for (const int32_t target : pairs_.Target(pair)) {
      const float t = is_uniform_ ? uniform() : dense.probability[static_cast<size_t>(target)];
      const double all = static_cast<double>(*sum++);
      if (t == 0) continue;
      double& count = dense.count[static_cast<size_t>(target)];
      if (count == 0) dense.counted.push_back(target);
      count += static_cast<double>(t) / all;
    }
  }
  for (const Entry& entry : rows_[word]) dense.probability[static_cast<size_t>(entry.target)] = 0;
  Keep(word, dense);
}

// c(f, e) / sum_f' c(f', e), where that is large enough.
void Model1::Keep(size_t word, Dense& dense) {
  std::sort(dense.counted.begin(), dense.counted.end());
  double total = 0;
  for (const int32_t target : dense.counted) total += dense.count[static_cast<size_t>(target)];
  std::vector<Entry> row;
  for (const int32_t target : dense.counted) {
    double& count = dense.count[static_cast<size_t>(target)];
    const auto probability = static_cast<float>(count / total);
    if (probability > 0 && probability >= options_.least) row.push_back({target, probability});
    count = 0;
  }
  dense.counted.clear();
  const auto ascending = [](const Entry& a, const Entry& b) { return a.target < b.target; };
  if (row.size() > options_.most) {
    const auto last = row.begin() + static_cast<std::ptrdiff_t>(options_.most);
    std::nth_element(row.begin(), last, row.end(), Likelier);
    row.erase(last, row.end());
    std::sort(row.begin(), row.end(), ascending);
  }
  row.shrink_to_fit();
  rows_[word] = std::move(row);
}

double Model1::LogLikelihood() const {
  double total = 0;
  for (size_t pair = 0; pair < pairs_.size(); ++pair) {
    const auto words = static_cast<double>(pairs_.Source(pair).size() + 1);
    for (size_t place = pairs_.TargetBegin(pair); place < pairs_.TargetBegin(pair + 1); ++place) {
      if (sums_[place] > 0) total += std::log(static_cast<double>(sums_[place]) / words);
    }
  }
  return total;
}

}  // namespace qkv
