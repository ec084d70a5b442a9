// Attention from the shortest to the longest sequence and from one dim to 1,024, and what memory it takes.
#include <algorithm>
#include <cmath>

#include "tests/core/attention_bounds.h"
#include "tests/core/attention_random.h"

namespace qkv {
namespace {

constexpr size_t kLengths[] = {1,   2,    3,    4,    5,    7,    8,    9,    15,   16,    17,
                               31,  32,   33,   63,   64,   65,   127,  128,  129,  255,   256,
                               257, 1000, 1023, 1024, 1025, 2048, 4095, 4097, 8191, 16383, 16384};
constexpr size_t kDims[] = {1,  2,  3,  4,  5,   7,   8,   9,   12,  15,  16,  17,  24,  31,   32,   33,
                            48, 63, 64, 65, 100, 127, 128, 129, 255, 256, 257, 511, 513, 1000, 1023, 1024};

double ExactScore(const AttentionProblem& p, size_t i, size_t j) {
  const float *q = p.Query(0, i), *k = p.Key(0, j);
  double sum = 0;
  if (p.score->name == "scaled-dot") {
    for (size_t c = 0; c < p.key_dim; ++c) sum += static_cast<double>(q[c]) * k[c];
    return sum / std::sqrt(static_cast<double>(p.key_dim));
  }
  EXPECT_EQ(p.score->name, "additive");
  const ConstRows w_q = p.parameters.Of("W_q", 0), w_k = p.parameters.Of("W_k", 0);
  const float* w_v = p.parameters.Of("w_v", 0).data;
  for (size_t r = 0; r < w_q.rows; ++r) {
    double z = 0;
    for (size_t c = 0; c < w_q.dim; ++c) z += static_cast<double>(w_q.Row(r)[c]) * q[c];
    for (size_t c = 0; c < w_k.dim; ++c) z += static_cast<double>(w_k.Row(r)[c]) * k[c];
    sum += w_v[r] * std::tanh(z);
  }
  return sum;
}

// Softmax's output in double, and the bound of attention_family_test.cc for it.
void ExpectSoft(const AttentionProblem& p, const AttentionOutcome& out, const ScoreBounds& bounds) {
  for (size_t i = 0; i < p.queries; ++i) {
    std::vector<double> weights(p.keys);
    double error = 0;
    for (size_t j = 0; j < p.keys; ++j) {
      weights[j] = ExactScore(p, i, j);
      error = std::max(error, bounds.Error(i, j));
    }
    const auto [least, most] = std::minmax_element(weights.begin(), weights.end());
    const double largest = *most, rounding = kUnit * (2 * (largest - *least) + 9) + Gamma(p.keys);
    const double relative = std::expm1(2 * error) * (1 + rounding) + rounding;
    double sum = 0;
    for (double& w : weights) sum += w = std::exp(w - largest);
    for (size_t c = 0; c < p.value_dim; ++c) {
      double exact = 0, size = 0;
      for (size_t j = 0; j < p.keys; ++j) {
        exact += weights[j] / sum * p.Value(0, j)[c];
        size += weights[j] / sum * std::abs(p.Value(0, j)[c]);
      }
      const double bound = size * (relative + Gamma(p.keys + 1) * (1 + relative));
      ASSERT_NEAR(out.output.read()(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(c)), exact, bound)
          << p.score->name << ", keys " << p.keys << ", dim " << p.key_dim << ", row " << i << ", column " << c;
    }
  }
}

void ExpectSoft(const ProblemSizes& sizes) {
  for (const char* score : {"scaled-dot", "additive"}) {
    const auto p = RandomProblem(*FindScore(score), sizes);
    const ScoreBounds bounds(*p, 0);
    ForEachTarget([&] { ExpectSoft(*p, Attended(CallOf(*p), p->Inputs(), false), bounds); });
  }
}

TEST(AttentionSizes, EveryLength) {
  for (const size_t keys : kLengths) {
    ExpectSoft({.queries = std::min<size_t>(keys, 3), .keys = keys, .query_dim = 20, .key_dim = 20, .value_dim = 2});
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(AttentionSizes, EveryDim) {
  for (const size_t dim : kDims) {
    ExpectSoft({.queries = 3, .keys = 19, .query_dim = dim, .key_dim = dim, .value_dim = 2});
    ExpectSoft({.queries = 3, .keys = 19, .query_dim = 5, .key_dim = 5, .value_dim = dim});
    ExpectSoft({.queries = 3, .keys = 19, .query_dim = 5, .key_dim = 5, .value_dim = 2, .hidden = dim});
    if (testing::Test::HasFatalFailure()) return;
  }
}

// There are as many queries as keys: whole and incomplete groups of queries see the same keys.
TEST(AttentionSizes, EveryNumberOfQueries) {
  for (size_t queries = 1; queries <= 75; ++queries) {
    ExpectSoft({.queries = queries, .keys = queries, .query_dim = 3, .key_dim = 3, .value_dim = 2, .hidden = 2});
  }
}

TEST(AttentionSizes, NoKeysAndNoQueries) {
  for (const Score* score : Scores()) {
    for (const SelectionKind selection : kSelections) {
      const auto p = RandomProblem(*score, {.heads = 2, .key_heads = 1, .queries = 3, .keys = 5});
      AttentionInputs in = p->Inputs();
      in.key.rows = in.value.rows = 0;
      const AttentionOutcome none = Attended(CallOf(*p, selection), in);
      EXPECT_TRUE((none.output.read().array() == 0).all());
      EXPECT_EQ(none.empty, std::vector<uint8_t>(6, 1));
      EXPECT_EQ(none.chosen, std::vector<int32_t>(6, kNoKey));
      in = p->Inputs();
      in.query.rows = 0;
      Attended(CallOf(*p, selection), in);
    }
  }
}

// The memory beside inputs and output stays under 64 MB at 16,384 positions and heads of 64, whatever the score.
// Queries are computed in groups and heads one after the other, so fifty queries and two heads need as much as all.
TEST(AttentionSizes, MemoryIsLinearInTheLength) {
  constexpr size_t kLength = 16'384, kLimit = size_t{64} << 20;
  for (const Score* score : Scores()) {
    const auto p = RandomProblem(*score, {.heads = 2,
                                          .key_heads = 2,
                                          .queries = 50,
                                          .keys = kLength,
                                          .query_dim = 64,
                                          .key_dim = 64,
                                          .value_dim = 64,
                                          .hidden = 64});
    std::vector<float> output(2 * 50 * 64);
    Arena arena;
    ThreadPool pool(1);
    Context ctx{arena, pool};
    Attend(ctx, CallOf(*p), p->Inputs(), Dense(output.data(), 2, 50, 64));
    EXPECT_LT(arena.capacity(), kLimit) << score->name;
    RecordProperty(std::string(score->name), std::to_string(arena.capacity()) + " bytes");
  }
}

}  // namespace
}  // namespace qkv
