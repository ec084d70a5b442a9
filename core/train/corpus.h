// Parallel text that may be larger than memory: it is read line by line, any number of times.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/train/text_source.h"

namespace qkv {

struct TextPair {
  std::string source, target;  // of texts alone the target is empty
};

// The position of a corpus in its current pass.
struct CorpusPlace {
  uint64_t lines = 0;                             // read
  uint64_t source_offset = 0, target_offset = 0;  // bytes read; of two columns the first counts
};

struct CorpusCounts {
  uint64_t lines = 0;
  uint64_t pairs = 0;        // for training
  uint64_t held_out = 0;     // pairs kept for measuring the loss
  uint64_t empty = 0;        // left out: a side without text
  uint64_t too_long = 0;     // left out: a line longer than Lines::kLongest
  uint64_t not_text = 0;     // left out: not UTF-8, or with a NUL
  uint64_t bytes = 0;        // of text, uncompressed
  uint64_t fingerprint = 0;  // of the lines' lengths and of which are left out
};

struct CorpusOptions {
  double weight = 1;    // passes over it in one epoch
  int column = 0;       // 1 or 2: texts alone, from that column of a file; 0: pairs
  double held_out = 0;  // the share of pairs that is not trained on
  uint64_t held_out_seed =
      1;  // which these are: by their source's text, so that a sentence's translations stay together
};

class Corpus {
 public:
  // SOURCE<TAB>TARGET lines (further columns are ignored) or, with a `target`, two texts with equally many lines; or
  // texts alone, each a line or a column of a line. Reads everything once, so that errors are reported before training
  // begins. Errors: kInvalidFile with the line's number; kInvalidArgument.
  static Result<std::unique_ptr<Corpus>> Open(std::unique_ptr<TextSource> source, std::unique_ptr<TextSource> target,
                                              CorpusOptions options);

  const CorpusCounts& counts() const { return counts_; }
  const CorpusOptions& options() const { return options_; }

  // The next training pair; after the last one it starts again. Errors: kInvalidArgument if there is no pair, and those
  // of reading.
  Result<void> Next(TextPair* pair);
  CorpusPlace place() const { return {line_, source_.offset(), target_ ? target_->offset() : 0}; }
  Result<void> Seek(const CorpusPlace& place);

  // The first `most` held-out pairs, or the first `most` of all pairs. The position does not change.
  Result<std::vector<TextPair>> HeldOut(size_t most);
  Result<std::vector<TextPair>> All(size_t most);

 private:
  enum class Kind { kEnd, kPair, kHeldOut, kEmpty, kTooLong, kNotText };
  Corpus(std::unique_ptr<TextSource> source, std::unique_ptr<TextSource> target, CorpusOptions options);
  Result<void> Count();
  Result<Kind> Read();
  Result<bool> ReadLine(bool* cut);
  Result<std::vector<TextPair>> Collect(size_t most, bool all);
  bool IsHeldOut(std::string_view source) const;
  Error Bad(const Lines& lines, std::string message) const;

  Lines source_;
  std::unique_ptr<Lines> target_;  // none: a column of source_
  CorpusOptions options_;
  CorpusCounts counts_;
  uint64_t line_ = 0;                           // lines read in this pass
  std::string source_line_, target_line_;       // the last ones read
  std::string_view source_text_, target_text_;  // and the pair in them
};

}  // namespace qkv
