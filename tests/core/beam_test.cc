#include "core/decode/beam.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/random.h"
#include "core/kernels/softmax.h"

namespace qkv {
namespace {

constexpr int32_t kEnd = 0, kStart = 1, kBanned = 2;
constexpr size_t kVocabulary = 6;

struct History : DecoderState {
  std::vector<std::vector<int32_t>> read;  // by hypothesis
};

// A step returns the logits themselves.
class LogitsDecoder : public Decoder {
 public:
  size_t vocabulary() const override { return kVocabulary; }
  MemoryNeed StepMemoryNeed(const DecoderState&, size_t, size_t) const override { return {}; }
  MatrixView Logits(Context& ctx, ConstMatrixView rows, std::span<const int32_t> pieces) const override {
    std::vector<int32_t> wanted(pieces.begin(), pieces.end());
    for (int32_t p = 0; pieces.empty() && p < static_cast<int32_t>(kVocabulary); ++p) wanted.push_back(p);
    MatrixView logits = ctx.New(rows.rows(), static_cast<Eigen::Index>(wanted.size()));
    for (size_t i = 0; i < wanted.size(); ++i) logits.col(static_cast<Eigen::Index>(i)) = rows.col(wanted[i]);
    return logits;
  }
  void Gather(std::span<const int32_t> hypotheses, DecoderState& opaque) const override {
    auto& state = static_cast<History&>(opaque);
    std::vector<std::vector<int32_t>> read;
    for (const int32_t h : hypotheses) read.push_back(state.read[static_cast<size_t>(h)]);
    state.read = std::move(read);
  }
};

// A small language model whose logits depend on the last two pieces. Greedy and beam search differ on it, and every
// hypothesis can be enumerated.
class TrigramDecoder : public LogitsDecoder {
 public:
  explicit TrigramDecoder(uint64_t seed) : logits_(kVocabulary * kVocabulary, kVocabulary) {
    Random random(seed);
    for (Eigen::Index i = 0; i < logits_.size(); ++i) logits_.data()[i] = 4 * random.Uniform();
  }
  MatrixView Step(Context& ctx, std::span<const int32_t> tokens, DecoderState& opaque) const override {
    auto& state = static_cast<History&>(opaque);
    MatrixView logits = ctx.New(static_cast<Eigen::Index>(tokens.size()), kVocabulary);
    for (size_t h = 0; h < tokens.size(); ++h) {
      logits.row(static_cast<Eigen::Index>(h)) = Row(state.read[h], tokens[h]);
      state.read[h].push_back(tokens[h]);
    }
    return logits;
  }
  // Log-probabilities of the piece after `read` and `token`.
  Matrix LogProbs(const std::vector<int32_t>& read, int32_t token) const {
    Matrix row = Row(read, token);
    row(0, kBanned) = -std::numeric_limits<float>::infinity();
    LogSoftmax({row.data(), 1, row.cols()});
    return row;
  }

 private:
  Matrix Row(const std::vector<int32_t>& read, int32_t token) const {
    const int32_t before = read.empty() ? kStart : read.back();
    return logits_.row(before * static_cast<int32_t>(kVocabulary) + token);
  }
  Matrix logits_;
};

std::unique_ptr<History> EmptyHistory(size_t sentences) {
  auto state = std::make_unique<History>();
  state->read.resize(sentences);
  return state;
}

std::vector<std::vector<Hypothesis>> Search(const Decoder& decoder, std::vector<size_t> max_length, size_t beam,
                                            float penalty, std::vector<int32_t> prefix = {},
                                            std::vector<std::vector<int32_t>> shortlists = {}) {
  Arena arena;
  ThreadPool pool;
  Context ctx{arena, pool};
  const size_t sentences = max_length.size();
  BeamSearch search(decoder, EmptyHistory(sentences), std::move(max_length),
                    {.beam = beam,
                     .length_penalty = penalty,
                     .start = kStart,
                     .end = kEnd,
                     .banned = {kBanned},
                     .prefix = std::move(prefix),
                     .shortlists = std::move(shortlists)});
  for (int steps = 0; !search.Step(ctx); ++steps) EXPECT_LT(steps, 100);
  std::vector<std::vector<Hypothesis>> results;
  for (size_t s = 0; s < sentences; ++s) results.push_back(search.Finished(s));
  return results;
}

// Every hypothesis of at most `longest` pieces. The last place is a forced </s> that costs nothing.
void Enumerate(const TrigramDecoder& decoder, std::vector<int32_t>& read, int32_t token, float log_prob, size_t longest,
               float penalty, Hypothesis& best) {
  const size_t length = read.size() + 1;
  const auto consider = [&](float total) {
    const float score = total / std::pow(static_cast<float>(length), penalty);
    if (!best.pieces.empty() && score <= best.score) return;
    best = {read, total, score};
    best.pieces.erase(best.pieces.begin(), best.pieces.begin() + (read.empty() ? 0 : 1));
    if (!read.empty()) best.pieces.push_back(token);
    best.pieces.push_back(kEnd);
  };
  if (length == longest) return consider(log_prob);
  const Matrix log_probs = decoder.LogProbs(read, token);
  consider(log_prob + log_probs(0, kEnd));
  read.push_back(token);
  for (int32_t piece = 1; piece < static_cast<int32_t>(kVocabulary); ++piece) {
    if (piece != kBanned) Enumerate(decoder, read, piece, log_prob + log_probs(0, piece), longest, penalty, best);
  }
  read.pop_back();
}

TEST(BeamSearch, AWideBeamFindsTheBestOfAllHypotheses) {
  constexpr size_t kLongest = 4;  // 4^3 + ... hypotheses: a beam of 128 holds them all
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const TrigramDecoder decoder(seed);
    for (const float penalty : {0.0f, 0.6f, 1.0f}) {
      Hypothesis best;
      std::vector<int32_t> read;
      Enumerate(decoder, read, kStart, 0, kLongest, penalty, best);
      const Hypothesis found = Search(decoder, {kLongest}, 128, penalty).front().front();
      EXPECT_EQ(found.pieces, best.pieces) << seed << " " << penalty;
      EXPECT_NEAR(found.score, best.score, 1e-5);
    }
  }
}

TEST(BeamSearch, ABeamOfOneIsGreedy) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const TrigramDecoder decoder(seed);
    std::vector<int32_t> greedy, read;
    for (int32_t token = kStart; greedy.size() < 9 && token != kEnd;) {
      Eigen::Index piece;
      decoder.LogProbs(read, token).row(0).maxCoeff(&piece);
      read.push_back(token);
      greedy.push_back(token = static_cast<int32_t>(piece));
    }
    if (greedy.back() != kEnd) greedy.push_back(kEnd);  // forced at the tenth step
    EXPECT_EQ(Search(decoder, {10}, 1, 1).front().front().pieces, greedy) << seed;
  }
}

TEST(BeamSearch, ASentencesResultDoesNotDependOnItsBatch) {
  const TrigramDecoder decoder(5);
  const std::vector<size_t> lengths = {1, 12, 3, 2, 12, 7};
  const auto together = Search(decoder, lengths, 4, 1);
  for (size_t s = 0; s < lengths.size(); ++s) {
    const auto alone = Search(decoder, {lengths[s]}, 4, 1).front();
    ASSERT_EQ(together[s].size(), alone.size());
    for (size_t i = 0; i < alone.size(); ++i) {
      EXPECT_EQ(together[s][i].pieces, alone[i].pieces);
      EXPECT_EQ(together[s][i].score, alone[i].score);
      EXPECT_LE(alone[i].pieces.size(), lengths[s]);
      EXPECT_EQ(alone[i].pieces.back(), kEnd);
    }
  }
}

TEST(BeamSearch, AForcedPrefixIsKeptScoredAndContinuedAsIfItHadBeenFound) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    const TrigramDecoder decoder(seed);
    const Hypothesis found = Search(decoder, {12}, 1, 1).front().front();
    for (size_t length = 0; length + 1 < found.pieces.size(); ++length) {
      const std::vector<int32_t> prefix(found.pieces.begin(),
                                        found.pieces.begin() + static_cast<std::ptrdiff_t>(length));
      const Hypothesis again = Search(decoder, {12}, 1, 1, prefix).front().front();
      EXPECT_EQ(again.pieces, found.pieces);
      EXPECT_EQ(again.log_prob, found.log_prob);
    }
    const std::vector<int32_t> other = {5, 4};
    const Hypothesis forced = Search(decoder, {12, 12}, 4, 1, other).back().front();
    EXPECT_TRUE(std::equal(other.begin(), other.end(), forced.pieces.begin()));
    float log_prob = 0;
    std::vector<int32_t> read;
    int32_t token = kStart;
    for (size_t i = 0; i < forced.pieces.size() - (forced.cut != Cut::kNone ? 1 : 0); ++i) {
      log_prob += decoder.LogProbs(read, token)(0, forced.pieces[i]);
      read.push_back(token);
      token = forced.pieces[i];
    }
    EXPECT_NEAR(forced.log_prob, log_prob, 1e-5);
  }
}

// Gives the logits two pieces at a time.
class PartsDecoder : public TrigramDecoder {
 public:
  using TrigramDecoder::TrigramDecoder;
  void LogitsInParts(Context& ctx, ConstMatrixView rows, LogitsUse use) const override {
    for (Eigen::Index first = 0; first < rows.cols(); first += 2) {
      MatrixView part = ctx.New(rows.rows(), 2);
      part = rows.middleCols(first, 2);
      use(static_cast<size_t>(first), part);
    }
  }
};

TEST(BeamSearch, ReadsLogitsInParts) {
  for (uint64_t seed = 0; seed < 30; ++seed) {
    for (const std::vector<int32_t>& prefix : {std::vector<int32_t>{}, {5, 3}}) {
      const auto whole = Search(TrigramDecoder(seed), {9, 4}, 3, 1, prefix);
      const auto parts = Search(PartsDecoder(seed), {9, 4}, 3, 1, prefix);
      for (size_t s = 0; s < 2; ++s) {
        EXPECT_EQ(parts[s].front().pieces, whole[s].front().pieces);
        EXPECT_NEAR(parts[s].front().score, whole[s].front().score, 1e-5);
      }
    }
  }
}

TEST(BeamSearch, SaysWhenAHypothesisWasCut) {
  const TrigramDecoder decoder(3);
  EXPECT_EQ(Search(decoder, {1}, 4, 1).front().front().cut, Cut::kLength);
  EXPECT_EQ(Search(decoder, {40}, 4, 1).front().front().cut, Cut::kNone);
}

// NaN and infinite logits must end the search, not hang it.
TEST(BeamSearch, AShortlistOfEverythingChangesNothing) {
  std::vector<int32_t> all(kVocabulary);
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int32_t>(i);
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const TrigramDecoder decoder(seed);
    const auto without = Search(decoder, {9, 4}, 3, 1), with = Search(decoder, {9, 4}, 3, 1, {}, {all, all});
    for (size_t s = 0; s < 2; ++s) {
      EXPECT_EQ(with[s].front().pieces, without[s].front().pieces);
      EXPECT_EQ(with[s].front().score, without[s].front().score);
    }
  }
}

TEST(BeamSearch, AShortlistIsAllThatIsWrittenAndSharesTheProbability) {
  const std::vector<int32_t> some = {kEnd, 3, 5};
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const TrigramDecoder decoder(seed);
    const auto results = Search(decoder, {9, 9}, 2, 1, {5}, {some, {}});
    const Hypothesis& listed = results[0].front();
    for (const int32_t piece : listed.pieces) EXPECT_TRUE(piece == kEnd || piece == 3 || piece == 5);
    EXPECT_EQ(listed.pieces.front(), 5);
    // The other sentence has the whole vocabulary and is computed as if it were alone.
    const auto alone = Search(decoder, {9}, 2, 1, {5});
    EXPECT_EQ(results[1].front().pieces, alone[0].front().pieces);
    double log_prob = 0;  // log softmax over the three
    std::vector<int32_t> read;
    int32_t token = kStart;
    for (size_t i = 0; i < listed.pieces.size() - (listed.cut != Cut::kNone ? 1 : 0); ++i) {
      const Matrix whole = decoder.LogProbs(read, token);
      double sum = 0;
      for (const int32_t piece : some) sum += std::exp(static_cast<double>(whole(0, piece)));
      log_prob += whole(0, listed.pieces[i]) - std::log(sum);
      read.push_back(token);
      token = listed.pieces[i];
    }
    EXPECT_NEAR(listed.log_prob, log_prob, 1e-5);
  }
}

class NanDecoder : public TrigramDecoder {
 public:
  NanDecoder() : TrigramDecoder(0) {}
  MatrixView Step(Context& ctx, std::span<const int32_t> tokens, DecoderState&) const override {
    MatrixView logits = ctx.New(static_cast<Eigen::Index>(tokens.size()), kVocabulary);
    logits.setConstant(std::nanf(""));
    return logits;
  }
};

TEST(BeamSearch, EndsOnNan) {
  const auto results = Search(NanDecoder(), {20, 20}, 4, 1);
  for (const auto& sentence : results) EXPECT_EQ(sentence.front().pieces, std::vector<int32_t>{kEnd});
}

// Repeats a phrase of `period` pieces without end; </s> has probability `end` at each step.
class LoopDecoder : public LogitsDecoder {
 public:
  LoopDecoder(int32_t period, float end) : period_(period), end_(end) {}
  MatrixView Step(Context& ctx, std::span<const int32_t> tokens, DecoderState& opaque) const override {
    auto& state = static_cast<History&>(opaque);
    MatrixView logits = ctx.New(static_cast<Eigen::Index>(tokens.size()), kVocabulary);
    logits.setConstant(-20);
    for (size_t h = 0; h < tokens.size(); ++h) {
      const auto row = static_cast<Eigen::Index>(h);
      logits(row, 3 + static_cast<int32_t>(state.read[h].size()) % period_) = std::log(1 - end_);
      logits(row, kEnd) = std::log(end_);
      state.read[h].push_back(tokens[h]);
    }
    return logits;
  }

 private:
  int32_t period_;
  float end_;
};

TEST(BeamSearch, GivesUpALoopLongBeforeItsLongestLength) {
  for (const int32_t period : {1, 2, 3}) {
    const Hypothesis greedy = Search(LoopDecoder(period, 1e-4f), {90}, 1, 1).front().front();
    EXPECT_EQ(greedy.cut, Cut::kRepetition);
    EXPECT_EQ(greedy.pieces.size(), 90 / 2 + 1u);  // half of the phrase, and </s>
    EXPECT_EQ(greedy.pieces.back(), kEnd);
  }
}

TEST(BeamSearch, AHypothesisThatEndedBeatsOneThatLoops) {
  // The loop is so certain that its mean improves with every piece. By length 90 it would have won.
  const Hypothesis best = Search(LoopDecoder(1, 0.05f), {90}, 4, 1).front().front();
  EXPECT_EQ(best.cut, Cut::kNone);
}

TEST(BeamSearch, AShortRepetitionIsNoLoop) {
  const Hypothesis repeated = Search(LoopDecoder(1, 1e-4f), {30}, 1, 1).front().front();
  EXPECT_EQ(repeated.pieces.size(), 30u);
  EXPECT_EQ(repeated.cut, Cut::kLength);
}

}  // namespace
}  // namespace qkv
