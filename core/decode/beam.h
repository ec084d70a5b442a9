// Beam search over a batch of sentences, step by step; greedy search is a beam of one. The rule is the one of Hugging
// Face's generate(): 2K candidates a step, finished hypotheses ranked by score / length^penalty, a sentence ends when K
// have finished and no live one can still beat the worst of them. In addition, a hypothesis that repeats one phrase for
// half of its maximum length is dropped. If no other hypothesis is left, it is cut there.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/decode/decoder.h"
#include "core/kernels/largest.h"
#include "core/kernels/softmax.h"

namespace qkv {

struct SearchOptions {
  size_t beam = 1;                   // hypotheses kept for each sentence
  float length_penalty = 1;          // exponent of the length, </s> included, that divides a finished score
  int32_t start = 0, end = 0;        // the piece that decoding starts from, and the one that ends a sentence
  std::vector<int32_t> banned = {};  // pieces that are never written
  int32_t avoided = -1;              // one more banned piece, which keeps its share of the probability; -1: none
  std::vector<int32_t> prefix = {};  // pieces that every hypothesis begins with, without </s>
  // For each sentence the pieces that it may write, ascending. They include </s> and the prefix, and only they share
  // the probability. An empty list, or no lists: the whole vocabulary.
  std::vector<std::vector<int32_t>> shortlists = {};
};

// Why a hypothesis ended before the model wrote </s>.
enum class Cut : uint8_t { kNone, kLength, kRepetition };

struct Hypothesis {
  std::vector<int32_t> pieces;  // ends with </s>
  float log_prob = 0;           // sum over the pieces; a forced </s> adds nothing
  float score = 0;              // log_prob / length^penalty
  Cut cut = Cut::kNone;         // otherwise </s> was forced, at the maximum length or in a loop
};

// The search records (piece, parent, score) only. This is the beam tree; hypotheses are paths to its root.
struct SearchNode {
  int32_t piece;
  int32_t parent;  // index in the same sentence's nodes; -1 for the first piece
  float log_prob;  // from the root to here
};

class BeamSearch {
 public:
  // `state` holds one hypothesis for each sentence, which has read no piece yet. `max_length[s]` >= 1 is the most
  // pieces that sentence s may have, </s> included.
  BeamSearch(const Decoder& decoder, std::unique_ptr<DecoderState> state, std::vector<size_t> max_length,
             SearchOptions options);

  // Extends every live hypothesis by one piece. Returns true when all sentences are done.
  bool Step(Context& ctx);

  // An upper bound of the memory that Step takes.
  MemoryNeed NextMemoryNeed(size_t threads) const;

  bool done() const { return live_.empty(); }
  // The finished hypotheses of a sentence that is done, best first; at least one.
  std::vector<Hypothesis> Finished(size_t sentence) const;
  const std::vector<SearchNode>& Tree(size_t sentence) const { return sentences_[sentence].tree; }

 private:
  struct End {
    int32_t node;
    float log_prob, score;
    Cut cut;
  };
  struct Sentence {
    size_t max_length = 0;
    std::vector<SearchNode> tree;
    std::vector<End> finished;  // best first, at most `beam`
  };
  struct Live {
    size_t sentence;
    int32_t node;  // -1: nothing written yet
    float log_prob;
  };
  // What the search keeps of a hypothesis's logits.
  struct Row {
    RunningNormaliser normaliser;
    float forced = 0;  // the logit of the prefix's piece, while the prefix is written
    size_t found = 0;  // its entries in best_
  };
  struct Candidate {
    float log_prob;
    size_t live;  // index in live_
    int32_t piece;
  };

  std::span<const int32_t> Shortlist(size_t sentence) const;
  size_t EndOfSentence(size_t begin) const;
  void ReadAllLogits(Context& ctx, ConstMatrixView rows);
  void ReadListedLogits(Context& ctx, ConstMatrixView rows);
  void ReadLogits(size_t begin, std::span<const int32_t> pieces, size_t first, MatrixView logits);
  void FindCandidates(size_t begin, size_t end);
  void AddCandidates(size_t live);
  void Advance(size_t begin, size_t end);
  bool Loops(const Live& live);
  void Finish(Sentence& sentence, int32_t node, float log_prob, Cut cut) const;
  int32_t AddNode(Sentence& sentence, const Candidate& candidate) const;
  float Penalised(float log_prob, size_t length) const;

  const Decoder& decoder_;
  std::unique_ptr<DecoderState> state_;
  SearchOptions options_;
  std::vector<Sentence> sentences_;
  std::vector<Live> live_, next_;  // grouped by sentence, best first
  std::vector<int32_t> tokens_, parents_, tail_;
  std::vector<Candidate> candidates_;  // of one sentence, best first
  std::vector<Row> rows_;              // of each live hypothesis
  std::vector<RowEntry> best_;         // [live hypotheses, 2 beam]; with a shortlist, an index is a place in the list
  size_t length_ = 0;                  // pieces written by every live hypothesis
};

}  // namespace qkv
