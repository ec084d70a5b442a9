// IBM model 1 (Brown et al. 1993, "The Mathematics of Statistical Machine Translation"): which word of the target
// translates which word of the source, learnt from pairs of sentences by expectation maximisation. Each place j of the
// target comes from one word of the source, or from e_0 = NULL, independent of its position:
//
//   p(i | j) = t(f_j | e_i) / sum_i' t(f_j | e_i')             the source word of place j
//   t(f | e) = c(f, e) / sum_f' c(f', e)                       c(f, e): sum of p(i | j) with e_i = e and f_j = f
//
// The likelihood is concave in t, so a uniform t is a good start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/base/threads.h"

namespace qkv {

// Pairs of sentences as ids, packed: four bytes a word.
class SentencePairs {
 public:
  void Add(std::span<const int32_t> source, std::span<const int32_t> target);
  size_t size() const { return source_end_.size(); }
  std::span<const int32_t> Source(size_t pair) const { return Slice(source_, source_end_, pair); }
  std::span<const int32_t> Target(size_t pair) const { return Slice(target_, target_end_, pair); }
  // The number of target words before this pair.
  size_t TargetBegin(size_t pair) const { return pair == 0 ? 0 : target_end_[pair - 1]; }
  size_t source_words() const { return source_.size(); }
  size_t target_words() const { return target_.size(); }

 private:
  static std::span<const int32_t> Slice(const std::vector<int32_t>& words, const std::vector<size_t>& end, size_t pair);
  std::vector<int32_t> source_, target_;
  std::vector<size_t> source_end_, target_end_;
};

struct Model1Options {
  float least = 0;                                   // smaller probabilities are dropped after each iteration
  size_t most = std::numeric_limits<size_t>::max();  // entries kept for a source word, the likeliest ones
};

class Model1 {
 public:
  struct Entry {
    int32_t target;
    float probability;  // t(target | source)
  };
  // Likelier first; of equals the lower id.
  static bool Likelier(const Entry& a, const Entry& b) {
    return a.probability != b.probability ? a.probability > b.probability : a.target < b.target;
  }

  // Ids lie in [0, vocabulary) of their side; there are fewer than 2^32 pairs. `pairs` must outlive the model. Beside
  // them it takes four bytes for each word of either side, and eight for each entry of the table.
  Model1(const SentencePairs& pairs, size_t source_vocabulary, size_t target_vocabulary, Model1Options options = {});

  // One step of expectation maximisation. The result does not depend on the number of threads.
  void Iterate(ThreadPool& pool);

  // The entries of a source word by ascending target; empty if no pair has the word. Before the first iteration all
  // rows are empty.
  std::span<const Entry> Row(int32_t source) const { return rows_[static_cast<size_t>(source)]; }
  // The entries of NULL.
  std::span<const Entry> NullRow() const { return rows_.back(); }
  // t(target | source); 0 if it was dropped or never seen.
  float Probability(int32_t source, int32_t target) const { return Find(Row(source), target); }
  // t(target | NULL), in the same way.
  float NullProbability(int32_t target) const { return Find(NullRow(), target); }
  // log p(targets | sources) by the table before the last iteration, in nats: the sum over all places of log(sum_i
  // t(f_j | e_i) / (number of e_i)). If nothing is dropped it never falls. Places without a kept entry do not count.
  double log_likelihood() const { return log_likelihood_; }

 private:
  // A thread's own memory: a number for each word of the target, all zero between two uses.
  struct Dense {
    explicit Dense(size_t vocabulary) : probability(vocabulary, 0.0f), count(vocabulary, 0.0) {}
    std::vector<float> probability;
    std::vector<double> count;
    std::vector<int32_t> counted;  // where `count` is not zero
  };

  static float Find(std::span<const Entry> row, int32_t target);
  float uniform() const { return 1.0f / static_cast<float>(target_vocabulary_); }
  std::span<const uint32_t> PairsWith(size_t word) const;
  void SumPlaces(size_t first_pair, size_t last_pair);
  void Maximise(size_t word, Dense& dense);
  void Keep(size_t word, Dense& dense);
  double LogLikelihood() const;

  const SentencePairs& pairs_;
  size_t target_vocabulary_;
  Model1Options options_;
  std::vector<size_t> pair_begin_;        // [source vocabulary + 2]
  std::vector<uint32_t> pairs_with_;      // for each source word, NULL last, the pairs that it is in
  std::vector<std::vector<Entry>> rows_;  // [source vocabulary + 1], NULL last
  std::vector<float> sums_;               // for each place of all targets: sum_i t(f_j | e_i)
  bool is_uniform_ = true;
  double log_likelihood_ = 0;
};

}  // namespace qkv
