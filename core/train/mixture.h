// Several corpora as one endless stream: pairs in proportion to the sizes and weights of the corpora, evenly
// interleaved.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/train/corpus.h"

namespace qkv {

struct MixturePlace {
  uint64_t drawn = 0;               // pairs, from the beginning
  std::vector<CorpusPlace> places;  // the position of each corpus
  std::vector<uint64_t> given;      // pairs from each corpus
};

class Mixture {
 public:
  // Errors: kInvalidArgument if there is no pair to learn from.
  static Result<Mixture> Of(std::vector<std::unique_ptr<Corpus>> corpora);

  // Pairs in an epoch, in which a corpus of weight w is read w times; at least one.
  uint64_t epoch() const { return epoch_; }
  const std::vector<std::unique_ptr<Corpus>>& corpora() const { return corpora_; }
  // Of the corpora's texts and their shares.
  uint64_t fingerprint() const { return fingerprint_; }

  // Errors: those of reading.
  Result<void> Next(TextPair* pair);
  MixturePlace place() const;
  // `place` is of as many corpora.
  Result<void> Seek(const MixturePlace& place);

 private:
  explicit Mixture(std::vector<std::unique_ptr<Corpus>> corpora);
  size_t Choose() const;

  std::vector<std::unique_ptr<Corpus>> corpora_;
  std::vector<double> share_;  // of each corpus in what is drawn
  std::vector<uint64_t> given_;
  uint64_t drawn_ = 0, epoch_ = 1, fingerprint_ = 0;
};

// Continues a hash (FNV-1a) with eight bytes more.
inline constexpr uint64_t kHashBasis = 0xCBF29CE484222325u;
uint64_t HashOn(uint64_t hash, uint64_t number);

}  // namespace qkv
