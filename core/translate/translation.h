// Texts in, texts out: sentences are packed into batches by length, and a batch is encoded and searched together. With
// several threads each thread has its own batch while there are enough, because batches are independent.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/translate/alignment.h"
#include "core/translate/confidence.h"
#include "core/translate/decode_options.h"
#include "core/translate/sentence_batch.h"
#include "core/translate/spelling.h"

namespace qkv {

struct ScoredText {
  std::string text = {};
  std::vector<int32_t> ids = {};  // </s> included
  float log_prob = 0;             // natural
  float score = 0;                // log_prob / length^penalty
  Cut cut = Cut::kNone;           // with kRepetition the repeated part is left out
  bool is_whole = true;           // it has all carried parts of its source
  float confidence = 1;           // from 0 to 1: core/translate/confidence.h
  std::vector<CopiedSpan> copied = {};
};

struct Translation : ScoredText {
  bool truncated = false;          // the source was cut to the model's positions
  bool foreign = false;            // the source does not look like the language that the model reads
  std::vector<ScoredText> n_best;  // best first, itself included; empty unless more than one was asked for
  std::vector<SearchNode> tree;    // empty unless asked for
  // The pieces, </s> included, with their spans in the text, and how much each attends to each piece of the source, [1,
  // 1, target, source]. Empty unless asked for, and if the source has no pieces.
  Tokens tokens = {};
  AttentionMap alignment = {};
};

class TranslationJob : public Job {
 public:
  // `model` must outlive the job. The translation of a text without pieces (empty, or only white space) is empty.
  TranslationJob(const TranslationModel& model, const std::vector<std::string>& texts, DecodeOptions options);

  // In the order of the texts; complete once Step has returned true. The same on any number of threads.
  const std::vector<Translation>& results() const { return results_; }
  // A text in the reading of its translation.
  const CarriedSource& source(size_t text) const { return sources_[text]; }
  // Texts translated so far.
  size_t finished() const { return finished_; }

 private:
  // Runs one batch after another.
  struct Runner {
    std::vector<size_t> texts;
    std::unique_ptr<SentenceBatch> batch;  // null: nothing to do
    bool done = false;
    Arena arena;  // used if several batches are computed together
  };

  bool Advance(Context& ctx) override;
  void FillRunners(size_t count);
  void Fill(Runner& runner, size_t share);
  bool ReserveRunners(Context& ctx, bool together);
  void StepTogether(Context& ctx);
  void TakeResults(Runner& runner);
  bool Take(size_t text, const BeamSearch& search, size_t sentence);
  ScoredText Describe(const CarriedSource& source, Hypothesis hypothesis) const;
  void Spell(ScoredText& scored, const CarriedSource& source, const AttentionMap* alignment = nullptr,
             Tokens* tokens = nullptr) const;
  bool Align(Context& ctx);

  const TranslationModel& model_;
  DecodeOptions options_;
  std::vector<CarriedSource> sources_;
  std::vector<size_t> order_;  // texts by length
  size_t next_ = 0;            // in order_
  std::vector<std::unique_ptr<Runner>> runners_;
  std::vector<Translation> results_;
  size_t finished_ = 0;
  // Translations that lost a part, whose alignment says where it goes, and those whose alignment is wanted.
  struct Unplaced {
    size_t text;
    ScoredText* translation;
  };
  std::vector<Unplaced> unplaced_;
  std::unique_ptr<AlignmentJob> alignment_;  // the alignment of the last of them
};

}  // namespace qkv
