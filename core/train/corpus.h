// Parallel text, read line by line and as often as wanted, so that it may be larger than memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

namespace qkv {

struct TextPair {
  std::string source, target;
};

// Lines of a text, from any place that was told before.
class LineSource {
 public:
  virtual ~LineSource() = default;
  // False at the end of the text. A line is at most `most` bytes: of a longer one the rest is dropped and `cut` says
  // so, so that a line without an end takes no memory. Errors: kInvalidFile, for instance a truncated archive.
  virtual Result<bool> Next(std::string* line, bool* cut) = 0;
  // Bytes of (uncompressed) text before the next line.
  virtual uint64_t offset() const = 0;
  virtual Result<void> Seek(uint64_t offset) = 0;
  virtual const std::string& name() const = 0;
};

// Lines longer than this are too long to learn from.
inline constexpr size_t kLongestLine = 16384;  // bytes

// Text in memory, plain.
std::unique_ptr<LineSource> LinesOfText(std::string text, std::string name);
// A file, plain or compressed by gzip, whatever its name. Native only. Errors: kMissingFile, kInvalidFile.
Result<std::unique_ptr<LineSource>> LinesOfFile(const std::string& path);

// Where a corpus stands.
struct CorpusPlace {
  uint64_t line = 0;            // lines read in this pass
  uint64_t offset[2] = {0, 0};  // bytes read in this pass, of each of its texts
};

struct CorpusCounts {
  uint64_t lines = 0;
  uint64_t pairs = 0;     // to learn from
  uint64_t held_out = 0;  // pairs kept for measuring
  uint64_t empty = 0;     // lines left out: a side without text
  uint64_t too_long = 0;  // lines left out: longer than kLongestLine
  uint64_t bytes = 0;     // of text, uncompressed
};

struct CorpusOptions {
  double weight = 1;           // how often its pairs are seen, where those of a corpus of weight 1 are seen once
  double held_out = 0;         // share of the pairs that is not learnt from
  uint64_t held_out_seed = 1;  // which pairs these are depends on it and on their source's text alone: a sentence with
                               // several translations is on one side
};

class Corpus {
 public:
  // One text of SOURCE<TAB>TARGET lines (further columns are left alone), or two texts of as many lines. Reads all of
  // it once, so that a bad line is said before training begins. Errors: kInvalidFile with "file:line".
  static Result<std::unique_ptr<Corpus>> Open(std::unique_ptr<LineSource> text, CorpusOptions options = {});
  static Result<std::unique_ptr<Corpus>> Open(std::unique_ptr<LineSource> source, std::unique_ptr<LineSource> target,
                                              CorpusOptions options = {});

  const CorpusCounts& counts() const { return counts_; }
  double weight() const { return options_.weight; }
  std::string name() const;

  // The next pair to learn from; after the last one the first again. False if there is none at all.
  Result<bool> Next(TextPair* pair);
  CorpusPlace place() const { return place_; }
  Result<void> Seek(const CorpusPlace& place);

  // The held-out pairs, at most `most`, from the beginning. Moves the place; Seek back afterwards.
  Result<std::vector<TextPair>> HeldOut(size_t most);
  // All pairs, whether held out or not; at most `most`.
  Result<std::vector<TextPair>> All(size_t most);

 private:
  enum class Kind { kEnd, kPair, kHeldOut, kEmpty, kTooLong };
  Corpus(std::unique_ptr<LineSource> source, std::unique_ptr<LineSource> target, CorpusOptions options);
  Result<void> Count();
  Result<Kind> Read(TextPair* pair);
  Result<std::vector<TextPair>> Collect(size_t most, bool all);
  bool IsHeldOut(std::string_view source) const;
  Error Bad(std::string_view what) const;

  std::unique_ptr<LineSource> source_, target_;  // no target_: both are columns of source_
  CorpusOptions options_;
  CorpusCounts counts_;
  CorpusPlace place_;
  std::string line_;
};

}  // namespace qkv
