// The batches that training sees, endlessly: pairs of several corpora in proportion, shuffled, some of them joined,
// cut into pieces, put together by length. Everything drawn at random depends on (seed, epoch, place) alone, so that a
// stream can be continued from a few numbers.
//
//   corpora -> window (text, shuffled) -> pool (joined, cut into pieces, sorted by length) -> batches, shuffled
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/train/batch.h"
#include "core/train/corpus.h"
#include "core/train/text_rows.h"

namespace qkv {

struct BatchOptions {
  uint64_t seed = 1;     // of everything drawn at random
  size_t tokens = 4096;  // rows of both sides in a batch, at most, </s> included
  size_t longest = 256;  // rows of a side, </s> included; longer pairs are left out, and counted
  std::vector<double> joined = {0.8, 0.15, 0.05};  // how probable it is that an example is 1, 2, ... sentences
  size_t window_bytes = size_t{256} << 20;         // text shuffled at once; a smaller epoch is shuffled as a whole
  size_t pool_pairs = 8192;                        // sorted by length at once
};

// Where a stream stands, in numbers that a checkpoint stores.
struct BatchState {
  uint64_t corpora = 0;             // fingerprint of the corpora and of the options: a state continues these alone
  uint64_t epoch = 0;               // passes over all corpora finished
  uint64_t drawn = 0;               // pairs of this epoch drawn before the window
  uint64_t pair = 0;                // pairs of the window used before the pool
  uint64_t batch = 0;               // batches of the pool taken
  std::vector<CorpusPlace> places;  // where each corpus stood before the window
  std::vector<uint64_t> taken;      // pairs of this epoch that each corpus gave before the window
};

class BatchStream {
 public:
  // `rows` must outlive the stream. Errors: kInvalidArgument (an option, or no pair to learn from), and those of
  // reading.
  static Result<BatchStream> Open(std::vector<std::unique_ptr<Corpus>> corpora, const TextRows& rows,
                                  BatchOptions options);
  ~BatchStream();
  BatchStream(BatchStream&&) noexcept;
  BatchStream& operator=(BatchStream&&) noexcept;

  // The next batch, of at least one pair; epochs follow one another without end. Errors: those of reading.
  Result<void> Next(Batch* batch);

  // What Seek needs so that the next batch is the one that Next would give now.
  BatchState State() const;
  // Errors: kInvalidArgument if the state is of other corpora or options; those of reading.
  Result<void> Seek(const BatchState& state);

  uint64_t pairs() const;     // of an epoch, held-out ones not counted
  double epochs() const;      // done, with the part of the running one
  uint64_t too_long() const;  // pairs left out since Open, for having more than options.longest rows on a side

 private:
  struct Impl;
  explicit BatchStream(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The same batches of `pairs` each time, nothing joined and nothing drawn: for measuring the loss. Pairs longer than
// `longest` are cut.
std::vector<Batch> BatchesOf(const std::vector<TextPair>& pairs, const TextRows& rows, size_t tokens, size_t longest);

}  // namespace qkv
