#include "core/decode/beam.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/kernels/softmax.h"

namespace qkv {
namespace {
constexpr float kMinusInfinity = -std::numeric_limits<float>::infinity();

// A hypothesis has run into a loop when its last pieces, as many as half of the most that it may get, are one phrase of
// at most kLongestLoop pieces over and over. No translation is that; a model that has lost its way writes so for ever,
// and ever more certain of it, so that its score would win.
constexpr size_t kLongestLoop = 16;
constexpr size_t kLeastRepeated = 32;

bool IsLoop(std::span<const int32_t> pieces) {
  for (size_t period = 1; period <= kLongestLoop; ++period) {
    if (std::equal(pieces.begin() + static_cast<std::ptrdiff_t>(period), pieces.end(), pieces.begin())) return true;
  }
  return false;
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
  tokens_.clear();
  for (const Live& live : live_) {
    tokens_.push_back(live.node < 0 ? options_.start
                                    : sentences_[live.sentence].tree[static_cast<size_t>(live.node)].piece);
  }
  MatrixView log_probs = decoder_.Step(ctx, tokens_, *state_);
  for (const int32_t piece : options_.banned) log_probs.col(piece).setConstant(kMinusInfinity);
  LogSoftmax(log_probs);
  ++length_;

  next_.clear();
  parents_.clear();
  for (size_t begin = 0, end = 0; begin < live_.size(); begin = end) {
    while (end < live_.size() && live_[end].sentence == live_[begin].sentence) ++end;
    FindCandidates(View(log_probs), begin, end);
    Advance(begin, end);
  }
  live_.swap(next_);
  if (!live_.empty()) decoder_.Gather(parents_, *state_);
  return live_.empty();
}

// The 2K best continuations of one sentence's hypotheses [begin, end). Earlier hypotheses and lower ids win ties: they
// come first, and a later one must be strictly better.
void BeamSearch::FindCandidates(ConstMatrixView log_probs, size_t begin, size_t end) {
  const size_t most = 2 * options_.beam;
  const auto better = [](const Candidate& a, const Candidate& b) { return a.log_prob > b.log_prob; };
  candidates_.clear();
  for (size_t h = begin; h < end; ++h) {
    const float so_far = live_[h].log_prob;
    const float* row = log_probs.data() + h * static_cast<size_t>(log_probs.cols());
    if (length_ <= options_.prefix.size()) {
      const int32_t piece = options_.prefix[length_ - 1];
      candidates_.push_back({so_far + row[piece], h, piece});
      continue;
    }
    if (Loops(live_[h])) continue;
    float least = candidates_.size() == most ? candidates_.back().log_prob : kMinusInfinity;
    for (Eigen::Index piece = 0; piece < log_probs.cols(); ++piece) {
      const float log_prob = so_far + row[piece];
      if (!(log_prob > least)) continue;
      const Candidate candidate{log_prob, h, static_cast<int32_t>(piece)};
      if (candidates_.size() == most) candidates_.pop_back();
      candidates_.insert(std::upper_bound(candidates_.begin(), candidates_.end(), candidate, better), candidate);
      if (candidates_.size() == most) least = candidates_.back().log_prob;
    }
  }
}

// Ends, continues or closes one sentence by its candidates.
void BeamSearch::Advance(size_t begin, size_t end) {
  Sentence& sentence = sentences_[live_[begin].sentence];
  const size_t first = next_.size();
  const bool last = length_ == sentence.max_length;
  if (last) {
    for (size_t h = begin; h < end; ++h) {
      Finish(sentence, AddNode(sentence, {live_[h].log_prob, h, options_.end}), live_[h].log_prob, true);
    }
    return;
  }
  for (size_t rank = 0; rank < candidates_.size() && next_.size() - first < options_.beam; ++rank) {
    const Candidate& candidate = candidates_[rank];
    if (candidate.piece != options_.end) {
      next_.push_back({live_[begin].sentence, AddNode(sentence, candidate), candidate.log_prob});
      parents_.push_back(static_cast<int32_t>(candidate.live));
    } else if (rank < options_.beam) {
      Finish(sentence, AddNode(sentence, candidate), candidate.log_prob, false);
    }
  }
  // Loops, and numbers that are no numbers, leave no candidate: the sentence ends where it is.
  if (candidates_.empty() && sentence.finished.empty()) {
    Finish(sentence, AddNode(sentence, {live_[begin].log_prob, begin, options_.end}), live_[begin].log_prob, true);
  }
  const bool full = sentence.finished.size() == options_.beam;
  if (candidates_.empty() || (full && sentence.finished.back().score >= Score(candidates_.front().log_prob, length_))) {
    next_.resize(first);
    parents_.resize(first);
  }
}

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

void BeamSearch::Finish(Sentence& sentence, int32_t node, float log_prob, bool cut) const {
  const End ended{node, log_prob, Score(log_prob, length_), cut};
  const auto better = [](const End& a, const End& b) { return a.score > b.score; };
  sentence.finished.insert(std::upper_bound(sentence.finished.begin(), sentence.finished.end(), ended, better), ended);
  if (sentence.finished.size() > options_.beam) sentence.finished.pop_back();
}

float BeamSearch::Score(float log_prob, size_t length) const {
  return log_prob / std::pow(static_cast<float>(length), options_.length_penalty);
}

std::vector<Hypothesis> BeamSearch::Finished(size_t index) const {
  const Sentence& sentence = sentences_[index];
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
