// An endless stream of training batches: pairs of several corpora in proportion, shuffled, some of them joined, cut
// into pieces, grouped by length. Random choices depend only on the seed and on the number of pairs before, so a few
// numbers are enough to continue a stream.
//
//   corpora -> window (text, shuffled) -> pool (joined, cut into pieces, sorted by length) -> batches, shuffled
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/error.h"
#include "core/train/batch.h"
#include "core/train/corpus.h"
#include "core/train/examples.h"
#include "core/train/mixture.h"

namespace qkv {

struct BatchOptions {
  uint64_t seed = 1;     // of all random choices
  size_t tokens = 4096;  // rows of both sides in a batch, </s> included; an example of more is a batch of its own
  size_t longest = 256;  // rows of a side, </s> included; longer pairs are left out, and counted
  std::vector<double> joined = {0.8, 0.15, 0.05};  // odds that an example joins 1, 2, ... pairs with a space
  size_t window_bytes = size_t{256} << 20;         // of text shuffled at once; a smaller epoch is shuffled as a whole
  size_t pool_pairs = 8192;                        // sorted by length at once
};

// The position of a stream, as a checkpoint stores it.
struct BatchState : MixturePlace {  // the position of the corpora before the window
  uint64_t fingerprint = 0;         // of corpora and options; a state continues only the same ones
  uint64_t used = 0;                // pairs of the window used before the pool
  uint64_t taken = 0;               // batches taken of the pool
};

class BatchStream {
 public:
  // `examples` must outlive the stream. Nothing is read yet. Errors: kInvalidArgument (an option, or no pairs).
  static Result<BatchStream> Open(std::vector<std::unique_ptr<Corpus>> corpora, const Examples& examples,
                                  BatchOptions options);
  ~BatchStream();
  BatchStream(BatchStream&&) noexcept;
  BatchStream& operator=(BatchStream&&) noexcept;

  // The next batch, of at least one pair; epochs follow one another without end. Errors: those of reading, and
  // kInvalidArgument where every pair is too long, or one is no example.
  Result<void> Next(Batch* batch);

  // The state that Seek needs to continue with the next batch.
  BatchState State() const;
  // Reads the window again, which takes about a second for a hundred megabytes. Errors: kInvalidArgument if the state
  // is of other corpora or options; those of reading.
  Result<void> Seek(const BatchState& state);

  uint64_t epoch_pairs() const;  // of all corpora by their weights, without held-out pairs
  double epochs() const;         // finished, plus the part of the current one
  uint64_t left_out() const;     // pairs so far with more rows than options.longest, or with </s> alone

 private:
  struct Impl;
  explicit BatchStream(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// For measuring the loss: all pairs in batches of up to `tokens` rows, by length, without joining or random choices. A
// side of more than `longest` rows is cut.
// Errors: those of the examples.
Result<std::vector<Batch>> BatchesOf(const std::vector<TextPair>& pairs, const Examples& examples, size_t tokens,
                                     size_t longest);

}  // namespace qkv
