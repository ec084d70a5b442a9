#include "core/decode/beam.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/exponential.h"

namespace qkv {
namespace {
constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

// A hypothesis loops if its last pieces repeat one phrase of at most kLongestLoop pieces. The repetition must be at
// least kLeastRepeated pieces long, and at least half of the most pieces that the hypothesis may have. No translation
// does that. A model that loops becomes more certain with each piece, so its score would win.
constexpr size_t kLongestLoop = 16;
constexpr size_t kLeastRepeated = 32;

bool IsLoop(std::span<const int32_t> pieces) {
  for (size_t period = 1; period <= kLongestLoop; ++period) {
    if (std::equal(pieces.begin() + static_cast<std::ptrdiff_t>(period), pieces.end(), pieces.begin())) return true;
  }
  return false;
}

// Finds the column of a matrix of logits that belongs to `piece`. Returns -1 if no column does. There are two cases. If
// `pieces` is empty, column c belongs to the piece first + c, and there are `size` columns. Otherwise column c belongs
// to pieces[c], and `pieces` is in ascending order.
Eigen::Index ColumnOf(int32_t piece, std::span<const int32_t> pieces, size_t first, size_t size) {
  if (pieces.empty()) {
    const auto at = static_cast<size_t>(piece);
    return at >= first && at < first + size ? static_cast<Eigen::Index>(at - first) : -1;
  }
  const auto at = std::lower_bound(pieces.begin(), pieces.end(), piece);
  return at != pieces.end() && *at == piece ? at - pieces.begin() : -1;
}
}  // namespace

BeamSearch::BeamSearch(const Decoder& decoder, std::unique_ptr<DecoderState> state, std::vector<size_t> max_length,
                       SearchOptions options)
    : decoder_(decoder), state_(std::move(state)), options_(std::move(options)), sentences_(max_length.size()) {
  for (size_t s = 0; s < max_length.size(); ++s) {
    sentences_[s].max_length = max_length[s];
    live_.push_back({s, -1, 0.0f});
  }
}

bool BeamSearch::Step(Context& ctx) {
  if (live_.empty()) return true;
  // One step of the decoder for all live hypotheses of all sentences.
  tokens_.clear();
  for (const Live& live : live_) {
    tokens_.push_back(live.node < 0 ? options_.start
                                    : sentences_[live.sentence].tree[static_cast<size_t>(live.node)].piece);
  }
  const MatrixView rows = decoder_.Step(ctx, tokens_, *state_);
  ++length_;

  // The search keeps a few numbers of each hypothesis's logits.
  rows_.assign(live_.size(), {});
  best_.resize(live_.size() * 2 * options_.beam);
  if (options_.shortlists.empty()) {
    ReadAllLogits(ctx, View(rows));
  } else {
    ReadListedLogits(ctx, View(rows));
  }

  // Each sentence's hypotheses lie together in live_. Its candidates are found and taken.
  next_.clear();
  parents_.clear();
  for (size_t begin = 0, end = 0; begin < live_.size(); begin = end) {
    end = EndOfSentence(begin);
    FindCandidates(begin, end);
    Advance(begin, end);
  }
  // The decoder's states follow the hypotheses that go on.
  live_.swap(next_);
  if (!live_.empty()) decoder_.Gather(parents_, *state_);
  return live_.empty();
}

// The most memory that the next step can need: for the decoder's rows, for the logits, for the trees, which grow, and
// for the texts, which are read from the trees at the end. With shortlists, only the logits of one sentence are in
// memory. The estimate is for all logits in one matrix. A decoder that computes them in parts needs less memory.
MemoryNeed BeamSearch::NextMemoryNeed(size_t threads) const {
  constexpr uint64_t kLines = 1 << 10, kPerPiece = 16;
  const uint64_t rows = std::min(live_.size(), sentences_.size()) * options_.beam, pieces = decoder_.vocabulary();
  MemoryNeed need = decoder_.StepMemoryNeed(*state_, rows, threads);
  need.scratch += kLines + (options_.shortlists.empty() ? rows : 2 * options_.beam) * (pieces + kLines);
  need.kept += rows * (length_ + 1) * kPerPiece;
  for (const Sentence& sentence : sentences_) {
    const uint64_t nodes = sentence.tree.size() + 2 * options_.beam;
    if (nodes > sentence.tree.capacity()) need.kept += 2 * nodes * sizeof(SearchNode);
  }
  return need;
}

std::span<const int32_t> BeamSearch::Shortlist(size_t sentence) const {
  if (options_.shortlists.empty()) return {};
  return options_.shortlists[sentence];
}

// The first hypothesis after `begin` that is of another sentence.
size_t BeamSearch::EndOfSentence(size_t begin) const {
  size_t end = begin;
  while (end < live_.size() && live_[end].sentence == live_[begin].sentence) ++end;
  return end;
}

// All sentences have the same pieces, so one product computes their logits.
void BeamSearch::ReadAllLogits(Context& ctx, ConstMatrixView rows) {
  decoder_.LogitsInParts(ctx, rows, [&](size_t first, MatrixView logits) { ReadLogits(0, {}, first, logits); });
}

// Each sentence has its own list of pieces, so it has a product of its own.
void BeamSearch::ReadListedLogits(Context& ctx, ConstMatrixView rows) {
  for (size_t begin = 0, end = 0; begin < live_.size(); begin = end) {
    end = EndOfSentence(begin);
    const ArenaScope scope(ctx.arena);
    const auto first = static_cast<Eigen::Index>(begin), count = static_cast<Eigen::Index>(end - begin);
    const std::span<const int32_t> pieces = Shortlist(live_[begin].sentence);
    const ConstMatrixView own(rows.data() + first * rows.cols(), count, rows.cols());
    ReadLogits(begin, pieces, 0, decoder_.Logits(ctx, own, pieces));
  }
}

// Row r of `logits` belongs to the hypothesis begin + r. Column c belongs to the piece pieces[c]. If `pieces` is empty,
// column c belongs to the piece first + c.
void BeamSearch::ReadLogits(size_t begin, std::span<const int32_t> pieces, size_t first, MatrixView logits) {
  const auto size = static_cast<size_t>(logits.cols()), most = 2 * options_.beam;
  // Banned pieces get no probability.
  for (const int32_t piece : options_.banned) {
    if (const Eigen::Index c = ColumnOf(piece, pieces, first, size); c >= 0) logits.col(c).setConstant(kMinusInfinity);
  }
  const bool is_forced = length_ <= options_.prefix.size();
  const Eigen::Index forced = is_forced ? ColumnOf(options_.prefix[length_ - 1], pieces, first, size) : -1;
  // For each row: update the normaliser. Then keep the logit of the prefix's piece, or the largest logits if the prefix
  // has ended.
  for (Eigen::Index r = 0; r < logits.rows(); ++r) {
    const size_t h = begin + static_cast<size_t>(r);
    const float* const row = logits.data() + r * logits.cols();
    rows_[h].normaliser.Add(row, size);
    if (forced >= 0) rows_[h].forced = row[forced];
    if (!is_forced) rows_[h].found = LargestWithPart(row, size, first, most, &best_[h * most], rows_[h].found);
  }
}

// The 2K best continuations of one sentence's hypotheses [begin, end). Of equal candidates the earlier hypothesis and
// the lower id win: they come first, and a later one must be strictly better.
void BeamSearch::FindCandidates(size_t begin, size_t end) {
  candidates_.clear();
  for (size_t h = begin; h < end; ++h) {
    if (length_ > options_.prefix.size()) {
      if (!Loops(live_[h])) AddCandidates(h);
      continue;
    }
    const Normaliser n = rows_[h].normaliser.Get();
    candidates_.push_back({live_[h].log_prob + (rows_[h].forced - n.max - n.log_sum), h, options_.prefix[length_ - 1]});
  }
}

// Adds the continuations of one hypothesis to the best so far. A piece's log p is its logit minus max and log sum.
void BeamSearch::AddCandidates(size_t live) {
  const size_t most = 2 * options_.beam;
  const auto better = [](const Candidate& a, const Candidate& b) { return a.log_prob > b.log_prob; };
  const Normaliser n = rows_[live].normaliser.Get();
  const std::span<const int32_t> pieces = Shortlist(live_[live].sentence);
  for (const RowEntry& entry : std::span(best_).subspan(live * most, rows_[live].found)) {
    const float log_prob = live_[live].log_prob + (entry.value - n.max - n.log_sum);
    const float least = candidates_.size() == most ? candidates_.back().log_prob : kMinusInfinity;
    if (!(log_prob > least)) return;
    const int32_t piece = pieces.empty() ? entry.index : pieces[static_cast<size_t>(entry.index)];
    if (piece == options_.avoided) continue;
    if (candidates_.size() == most) candidates_.pop_back();
    const Candidate candidate{log_prob, live, piece};
    candidates_.insert(std::upper_bound(candidates_.begin(), candidates_.end(), candidate, better), candidate);
  }
}

// Ends or continues the hypotheses of one sentence by its candidates, and closes the sentence when it is done.
void BeamSearch::Advance(size_t begin, size_t end) {
  Sentence& sentence = sentences_[live_[begin].sentence];
  const size_t first = next_.size();
  const bool last = length_ == sentence.max_length;
  // At the greatest length every hypothesis ends.
  if (last) {
    for (size_t h = begin; h < end; ++h) {
      Finish(sentence, AddNode(sentence, {live_[h].log_prob, h, options_.end}), live_[h].log_prob, Cut::kLength);
    }
    return;
  }
  // The best candidates go on, up to the beam. An end counts only among the first `beam` candidates.
  for (size_t rank = 0; rank < candidates_.size() && next_.size() - first < options_.beam; ++rank) {
    const Candidate& candidate = candidates_[rank];
    if (candidate.piece != options_.end) {
      next_.push_back({live_[begin].sentence, AddNode(sentence, candidate), candidate.log_prob});
      parents_.push_back(static_cast<int32_t>(candidate.live));
    } else if (rank < options_.beam) {
      Finish(sentence, AddNode(sentence, candidate), candidate.log_prob, Cut::kNone);
    }
  }
  // If all hypotheses loop, or all logits are NaN, there is no candidate. The sentence then ends at its current length.
  if (candidates_.empty() && sentence.finished.empty()) {
    const Cut cut = Loops(live_[begin]) ? Cut::kRepetition : Cut::kLength;
    Finish(sentence, AddNode(sentence, {live_[begin].log_prob, begin, options_.end}), live_[begin].log_prob, cut);
  }
  // The sentence is done if no live hypothesis can still be better than the worst finished one.
  const bool full = sentence.finished.size() == options_.beam;
  if (candidates_.empty() ||
      (full && sentence.finished.back().score >= Penalised(candidates_.front().log_prob, length_))) {
    next_.resize(first);
    parents_.resize(first);
  }
}

// Reads back from the last piece as far as a repetition must reach.
bool BeamSearch::Loops(const Live& live) {
  const Sentence& sentence = sentences_[live.sentence];
  const size_t repeated = std::max(kLeastRepeated, sentence.max_length / 2);
  if (length_ <= repeated) return false;
  tail_.clear();
  for (int32_t at = live.node; tail_.size() < repeated; at = sentence.tree[static_cast<size_t>(at)].parent) {
    tail_.push_back(sentence.tree[static_cast<size_t>(at)].piece);
  }
  return IsLoop(tail_);
}

int32_t BeamSearch::AddNode(Sentence& sentence, const Candidate& candidate) const {
  sentence.tree.push_back({candidate.piece, live_[candidate.live].node, candidate.log_prob});
  return static_cast<int32_t>(sentence.tree.size() - 1);
}

void BeamSearch::Finish(Sentence& sentence, int32_t node, float log_prob, Cut cut) const {
  const End ended{node, log_prob, Penalised(log_prob, length_), cut};
  const auto better = [](const End& a, const End& b) { return a.score > b.score; };
  sentence.finished.insert(std::upper_bound(sentence.finished.begin(), sentence.finished.end(), ended, better), ended);
  if (sentence.finished.size() > options_.beam) sentence.finished.pop_back();
}

float BeamSearch::Penalised(float log_prob, size_t length) const {
  // length^penalty by log and exp, which are linked already; the C library's pow would add 1 KB.
  const double power = options_.length_penalty * std::log(static_cast<double>(length));
  return log_prob / static_cast<float>(Exponential(power));
}

std::vector<Hypothesis> BeamSearch::Finished(size_t index) const {
  const Sentence& sentence = sentences_[index];
  // A hypothesis is the path from its end to the root of the tree.
  std::vector<Hypothesis> hypotheses;
  for (const End& ended : sentence.finished) {
    Hypothesis hypothesis{{}, ended.log_prob, ended.score, ended.cut};
    for (int32_t at = ended.node; at >= 0; at = sentence.tree[static_cast<size_t>(at)].parent) {
      hypothesis.pieces.push_back(sentence.tree[static_cast<size_t>(at)].piece);
    }
    std::reverse(hypothesis.pieces.begin(), hypothesis.pieces.end());
    hypotheses.push_back(std::move(hypothesis));
  }
  return hypotheses;
}

}  // namespace qkv
