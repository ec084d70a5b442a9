// What the literature says of attention, as tests: which mechanism is which other's special case, and what softmax,
// sampling and the scale do.
#include <algorithm>
#include <cmath>
#include <set>

#include "core/attention/transpose.h"
#include "core/base/random.h"
#include "tests/core/attention_bounds.h"
#include "tests/core/attention_random.h"

namespace qkv {
namespace {

const Score& Named(const char* name) { return *FindScore(name); }

Eigen::Index Index(size_t i) { return static_cast<Eigen::Index>(i); }

// Windows.

TEST(AttentionFacts, LocalPWithAWideWindowIsGlobal) {
  for (const char* score : {"scaled-dot", "additive", "location"}) {
    const auto p = RandomProblem(Named(score), {.heads = 2, .key_heads = 2, .queries = 9, .keys = 30}, 1, 2);
    const std::vector<float> centres(p->queries, 13.25f);
    ForEachTarget([&] {
      const AttentionOutcome global = Attended(*p);
      Attention call = CallOf(*p);
      call.window.kind = WindowKind::kLocalP;
      call.window.centres = Dense(centres.data(), 1, p->queries, 1);
      // If D >= S, the window holds every key. Only the Gaussian with sigma = D / 2 remains.
      call.window.half_width = 30;
      const AttentionOutcome local = Attended(call, p->Inputs());
      for (Eigen::Index row = 0; row < local.weights.read().rows(); ++row) {
        for (Eigen::Index j = 0; j < 30; ++j) {
          const double distance = (static_cast<double>(j) - 13.25) / 15;
          const double exact = global.weights.read()(row, j) * std::exp(-distance * distance / 2);
          ASSERT_NEAR(local.weights.read()(row, j), exact, 3 * kUnit * exact);
        }
      }
      EXPECT_FALSE(SameBits(local.output.read(), global.output.read()));
      // From here on 1 - exp(-(S / D)^2 2) is less than half a unit.
      for (const double half_width : {30 * 8192.0, std::numeric_limits<double>::infinity()}) {
        call.window.half_width = half_width;
        EXPECT_TRUE(SameBits(Attended(call, p->Inputs()).output.read(), global.output.read())) << half_width;
      }
      call.window.kind = WindowKind::kLocalM;
      call.window.half_width = 30;
      EXPECT_TRUE(SameBits(Attended(call, p->Inputs()).output.read(), global.output.read()));
    });
  }
}

// Scores.

TEST(AttentionFacts, AdditiveWithBothMatricesSideBySideIsConcat) {
  const ProblemSizes sizes = {.heads = 3, .key_heads = 1, .queries = 11, .keys = 21, .query_dim = 7, .key_dim = 10};
  const auto joined = RandomProblem(Named("concat"), sizes);
  const ConstHeads w = joined->parameters.Of("W"), v = joined->parameters.Of("v");
  const size_t stride = w.dim;
  const Parameter parts[] = {{"W_q", {w.data, w.heads, w.rows, 7, w.rows * stride, stride}},
                             {"W_k", {w.data + 7, w.heads, w.rows, 10, w.rows * stride, stride}},
                             {"w_v", v}};
  ForEachTarget([&] {
    Attention call = CallOf(*joined);
    const AttentionOutcome concat = Attended(call, joined->Inputs());
    call.score = &Named("additive");
    call.parameters = parts;
    const AttentionOutcome additive = Attended(call, joined->Inputs());
    EXPECT_TRUE(SameBits(concat.scores.read(), additive.scores.read()));
    EXPECT_TRUE(SameBits(concat.output.read(), additive.output.read()));
  });
}

TEST(AttentionFacts, GeneralWithTheIdentityIsDot) {
  const auto p = RandomProblem(Named("dot"), {.heads = 2, .key_heads = 2, .queries = 9, .keys = 13});
  const Matrix identity = Matrix::Identity(6, 6);
  const Parameter w[] = {{"W", Dense(identity.data(), 1, 6, 6)}};
  ForEachTarget([&] {
    Attention call = CallOf(*p);
    const AttentionOutcome dot = Attended(call, p->Inputs());
    call.score = &Named("general");
    call.parameters = w;
    const AttentionOutcome general = Attended(call, p->Inputs());
    EXPECT_TRUE((dot.scores.read().array() == general.scores.read().array()).all());
    EXPECT_TRUE((dot.output.read().array() == general.output.read().array()).all());
  });
}

// Queries against keys, and the same with queries and keys exchanged.
double LargestAsymmetry(const AttentionProblem& p) {
  const AttentionInputs in = p.Inputs(), exchanged = {in.key, in.query, in.value};
  const AttentionOutcome a = Attended(CallOf(p), in), b = Attended(CallOf(p), exchanged);
  return (a.scores.read().cast<double>() - b.scores.read().cast<double>().transpose()).array().abs().maxCoeff();
}

TEST(AttentionFacts, DotIsSymmetricAndGeneralIsNot) {
  const ProblemSizes sizes = {.queries = 8, .keys = 8};
  ForEachTarget([&] {
    EXPECT_EQ(LargestAsymmetry(*RandomProblem(Named("dot"), sizes)), 0);
    EXPECT_GT(LargestAsymmetry(*RandomProblem(Named("general"), sizes)), 0.1);
  });
}

// (U k)'(V q) is the dot product of the projections by U and V, and equals general with W = V'U.
TEST(AttentionFacts, LowRankIsTheProjectedDot) {
  const auto p =
      RandomProblem(Named("low-rank"), {.queries = 6, .keys = 10, .query_dim = 9, .key_dim = 7, .hidden = 3});
  const ConstRows u = p->parameters.Of("U", 0), v = p->parameters.Of("V", 0);
  const auto matrix = [](ConstRows m) { return ConstMatrixView(m.data, Index(m.rows), Index(m.dim)).cast<double>(); };
  const Eigen::MatrixXd u_exact = matrix(u), v_exact = matrix(v);
  const Matrix queries = (matrix({p->query.data(), 6, 9, 9}) * v_exact.transpose()).cast<float>();
  const Matrix keys = (matrix({p->key.data(), 10, 7, 7}) * u_exact.transpose()).cast<float>();
  const Matrix w = (v_exact.transpose() * u_exact).cast<float>();
  const Parameter whole[] = {{"W", Dense(w.data(), 1, 9, 7)}};
  const ScoreBounds bounds(*p, 0);
  ForEachTarget([&] {
    const AttentionOutcome low = Attended(*p);
    Attention call;
    call.score = &Named("dot");
    const AttentionOutcome dot = Attended(
        call, {Dense(queries.data(), 1, 6, 3), Dense(keys.data(), 1, 10, 3), Dense(p->value.data(), 1, 10, 3)});
    call.score = &Named("general");
    call.parameters = whole;
    const AttentionOutcome general = Attended(call, p->Inputs());
    for (size_t i = 0; i < 6; ++i) {
      for (size_t j = 0; j < 10; ++j) {
        const double score = low.scores.read()(Index(i), Index(j));
        ASSERT_NEAR(score, dot.scores.read()(Index(i), Index(j)), 2 * bounds.Error(i, j));
        ASSERT_NEAR(score, general.scores.read()(Index(i), Index(j)), 2 * bounds.Error(i, j));
      }
    }
  });
}

TEST(AttentionFacts, CosineForgetsLengthsAndAZeroVectorScoresZero) {
  const auto p = RandomProblem(Named("cosine"), {.queries = 4, .keys = 6});
  const AttentionOutcome before = Attended(*p);
  for (size_t c = 0; c < 6; ++c) {
    p->query[6 + c] *= 1024;   // query 1
    p->key[2 * 6 + c] /= 512;  // key 2
  }
  EXPECT_TRUE(SameBits(Attended(*p).scores.read(), before.scores.read()));
  EXPECT_LE(before.scores.read().array().abs().maxCoeff(), 1 + 6 * kUnit);

  std::fill_n(p->query.data(), 6, 0.0f);
  std::fill_n(p->key.data() + 6, 6, 0.0f);
  const AttentionOutcome after = Attended(*p);
  for (Eigen::Index j = 0; j < 6; ++j) {
    EXPECT_EQ(after.scores.read()(0, j), 0);
    EXPECT_NEAR(after.weights.read()(0, j), 1.0 / 6, 1e-7);
  }
  EXPECT_TRUE((after.scores.read().col(1).array() == 0).all());
}

TEST(AttentionFacts, AlibiIsScaledDotAndASlopeThatHalvesFromHeadToHead) {
  const auto p =
      RandomProblem(Named("alibi"), {.heads = 8, .key_heads = 8, .queries = 5, .keys = 12, .first_query = 7});
  Attention call = CallOf(*p);
  const AttentionOutcome alibi = Attended(call, p->Inputs());
  call.score = &Named("scaled-dot");
  const AttentionOutcome scaled = Attended(call, p->Inputs());
  for (size_t h = 0; h < 8; ++h) {
    for (size_t i = 0; i < 5; ++i) {
      for (size_t j = 0; j < 12; ++j) {
        const double exact =
            std::exp2(-static_cast<double>(h + 1)) * std::abs(7.0 + static_cast<double>(i) - static_cast<double>(j));
        const auto row = Index(h * 5 + i);
        EXPECT_NEAR(scaled.scores.read()(row, Index(j)) - alibi.scores.read()(row, Index(j)), exact,
                    4 * kUnit * (exact + 6));
      }
    }
  }
}

TEST(AttentionFacts, OneSizeIsNeededWhereAScoreComparesAndTheErrorNamesTheOthers) {
  size_t refused = 0;
  for (const Score* score : Scores()) {
    const auto p = RandomProblem(*score, {.query_dim = 5, .key_dim = 6});
    const Result<void> checked = CheckAttention(CallOf(*p), p->Inputs());
    EXPECT_EQ(static_cast<bool>(checked), !score->same_dims) << score->name;
    if (checked) continue;
    ++refused;
    for (const Score* other : Scores()) {
      if (other->same_dims) continue;
      EXPECT_NE(checked.error().message.find(other->name), std::string::npos) << checked.error().message;
    }
  }
  EXPECT_GE(refused, 5u);
}

// Selections.

TEST(AttentionFacts, SamplesAverageToSoftWithinFourStandardErrors) {
  constexpr size_t kDraws = 100'000, kKeys = 7;
  const auto p = RandomProblem(Named("scaled-dot"), {.heads = 2, .key_heads = 1, .queries = 1, .keys = kKeys}, 1, 2);
  const AttentionOutcome soft = Attended(*p);
  std::vector<float> queries;  // the same query at every place
  for (size_t h = 0; h < 2; ++h) {
    for (size_t i = 0; i < kDraws; ++i) queries.insert(queries.end(), p->Query(h, 0), p->Query(h, 0) + p->query_dim);
  }
  AttentionInputs in = p->Inputs();
  in.query = Dense<const float>(queries.data(), 2, kDraws, p->query_dim);
  Attention call = CallOf(*p, SelectionKind::kSampled);
  call.selection.seed = 11;
  const AttentionOutcome hard = Attended(call, in);
  for (size_t h = 0; h < 2; ++h) {
    const auto drawn = hard.weights.read().middleRows(Index(h * kDraws), kDraws);
    const auto outputs = hard.output.read().middleRows(Index(h * kDraws), kDraws);
    ASSERT_TRUE(((drawn.array() == 0) || (drawn.array() == 1)).all());
    ASSERT_TRUE((drawn.rowwise().sum().array() == 1).all());
    for (size_t j = 0; j < kKeys; ++j) {
      const double weight = soft.weights.read()(Index(h), Index(j));
      const double error = std::sqrt(weight * (1 - weight) / kDraws);
      EXPECT_GT(weight, 0.001);
      EXPECT_NEAR(drawn.col(Index(j)).cast<double>().mean(), weight, 4 * error) << "head " << h << ", key " << j;
    }
    for (size_t c = 0; c < p->value_dim; ++c) {
      const double exact = soft.output.read()(Index(h), Index(c));
      double variance = 0;
      for (size_t j = 0; j < kKeys; ++j) {
        variance += soft.weights.read()(Index(h), Index(j)) * std::pow(p->Value(h, j)[c] - exact, 2);
      }
      EXPECT_NEAR(outputs.col(Index(c)).cast<double>().mean(), exact, 4 * std::sqrt(variance / kDraws));
    }
  }
}

TEST(AttentionFacts, ADrawIsOfSeedHeadAndPlaceAlone) {
  const auto p = RandomProblem(Named("dot"), {.heads = 2, .key_heads = 2, .queries = 200, .keys = 9}, 1, 0.0625);
  Attention call = CallOf(*p, SelectionKind::kSampled);
  const AttentionOutcome a = Attended(call, p->Inputs()), again = Attended(call, p->Inputs(), true, 2);
  EXPECT_EQ(a.chosen, again.chosen);
  // Independent draws from nearly even weights agree one time in nine: 22 of 200, with a standard error of 4.4.
  const auto agreeing = [&](const std::vector<int32_t>& x, size_t from, const std::vector<int32_t>& y, size_t to) {
    size_t equal = 0;
    for (size_t i = 0; i < 190; ++i) equal += x[from + i] == y[to + i] ? 1 : 0;
    return equal;
  };
  call.selection.seed = 1;
  const AttentionOutcome other = Attended(call, p->Inputs());
  EXPECT_LT(agreeing(a.chosen, 0, other.chosen, 0), 45u);
  EXPECT_LT(agreeing(a.chosen, 0, a.chosen, 200), 45u);  // of another head
  EXPECT_LT(agreeing(a.chosen, 0, a.chosen, 1), 45u);    // of another place
}

// The lower the temperature, the harder the selection: exp((l_j - max) / T) vanishes for all but the largest logit.
TEST(AttentionFacts, SoftAtTemperatureZeroIsArgmax) {
  const auto p = RandomProblem(Named("scaled-dot"), {.queries = 20, .keys = 15}, 1, 4);
  Attention call = CallOf(*p);
  call.selection.temperature = 1e-5f;
  const AttentionOutcome cold = Attended(call, p->Inputs());
  const AttentionOutcome hard = Attended(CallOf(*p, SelectionKind::kArgmax), p->Inputs());
  EXPECT_TRUE((cold.weights.read().array() == hard.weights.read().array()).all());
  EXPECT_TRUE((cold.output.read().array() == hard.output.read().array()).all());
}

TEST(AttentionFacts, EqualLogitsGoToTheFirst) {
  for (const SelectionKind selection : {SelectionKind::kArgmax, SelectionKind::kMaxPool}) {
    auto p = RandomProblem(Named("dot"), {.queries = 3, .keys = 40});
    std::fill(p->query.begin(), p->query.end(), 0.0f);
    std::fill(p->value.begin(), p->value.end(), 2.0f);
    std::vector<uint8_t> allowed(3 * 40, 1);
    std::fill_n(allowed.begin() + 40, 17, uint8_t{0});  // query 1 sees keys from 17 on
    Attention call = CallOf(*p, selection);
    call.mask.allowed = allowed.data();
    ForEachTarget([&] {
      const AttentionOutcome out = Attended(call, p->Inputs());
      for (Eigen::Index i = 0; i < 3; ++i) {
        EXPECT_NEAR(out.weights.read()(i, i == 1 ? 17 : 0), 1, 2 * kUnit);
        EXPECT_EQ(out.output.read()(i, 0), 2);
      }
    });
  }
}

// Each gate is independent: hiding one key changes no other weight.
TEST(AttentionFacts, GatesDoNotCompete) {
  const auto p = RandomProblem(Named("scaled-dot"), {.queries = 6, .keys = 11}, 1, 4);
  Attention call = CallOf(*p, SelectionKind::kGate);
  const AttentionOutcome all = Attended(call, p->Inputs());
  call.mask.padding_from = 10;
  const AttentionOutcome fewer = Attended(call, p->Inputs());
  EXPECT_EQ(all.weights.read().leftCols(10), fewer.weights.read().leftCols(10));
  call.selection.kind = SelectionKind::kSoft;
  EXPECT_NE(Attended(*p).weights.read().leftCols(10), Attended(call, p->Inputs()).weights.read().leftCols(10));
}

// Order.

// Without positions self-attention does not depend on the order of its rows: permuting the rows permutes the result.
// Scores are summed in the same order. Weights and outputs are summed in another order, so each sum may differ by two
// roundings.
TEST(AttentionFacts, WithoutPositionsSelfAttentionIsEquivariant) {
  constexpr size_t kRows = 37;
  const double bound = 4 * Gamma(kRows + 8);
  Random random(5);
  std::vector<size_t> order(kRows);
  for (size_t i = 0; i < kRows; ++i) order[i] = i;
  for (size_t i = kRows; i > 1; --i) std::swap(order[i - 1], order[random.Next() % i]);
  for (const Score* score : Scores()) {
    const auto p = RandomProblem(*score, {.queries = kRows, .keys = kRows, .value_dim = 6});
    std::vector<float> permuted;
    for (const size_t i : order) permuted.insert(permuted.end(), p->Query(0, i), p->Query(0, i) + 6);
    const auto self = [](const std::vector<float>& x) {
      const ConstHeads rows = Dense(x.data(), 1, kRows, 6);
      return AttentionInputs{rows, rows, rows};
    };
    ForEachTarget([&] {
      const AttentionOutcome a = Attended(CallOf(*p), self(p->query)), b = Attended(CallOf(*p), self(permuted));
      double largest = 0;
      for (size_t i = 0; i < kRows; ++i) {
        const auto difference = b.output.read().row(Index(i)) - a.output.read().row(Index(order[i]));
        largest = std::max<double>(largest, difference.array().abs().maxCoeff());
      }
      const bool knows_places =
          score->name == "location" || score->name == "alibi" || score->name == "t5" || score->name == "shaw";
      if (knows_places) {
        EXPECT_GT(largest, 100 * bound) << score->name;
      } else {
        EXPECT_LE(largest, bound) << score->name;
      }
    });
  }
}

// The scale.

// q'k of a query and a key in each of `count` heads, entries of variance 1: uniform in [-sqrt 3, sqrt 3).
std::vector<double> Products(const char* score, size_t d, size_t count) {
  auto p = RandomProblem(
      Named(score),
      {.heads = count, .key_heads = count, .queries = 1, .keys = 1, .query_dim = d, .key_dim = d, .value_dim = 1});
  for (float& x : p->query) x *= std::sqrt(3.0f);
  for (float& x : p->key) x *= std::sqrt(3.0f);
  const AttentionOutcome out = Attended(*p);
  return {out.scores.read().data(), out.scores.read().data() + count};
}

double MeanSquare(const std::vector<double>& values) {
  double sum = 0;
  for (const double x : values) sum += x * x;
  return sum / static_cast<double>(values.size());
}

// The mean is 0. A product of two such entries has a fourth moment of 81/25, so that the square of their sum has a
// variance below 2.3 d^2.
TEST(AttentionFacts, TheVarianceOfAProductIsItsLength) {
  constexpr size_t kPairs = 10'000;
  const double relative = 4 * std::sqrt(2.3 / kPairs);
  for (const size_t d : {1, 4, 16, 64, 256}) {
    const auto length = static_cast<double>(d);
    EXPECT_NEAR(MeanSquare(Products("dot", d, kPairs)), length, relative * length);
    EXPECT_NEAR(MeanSquare(Products("scaled-dot", d, kPairs)), 1, relative);
  }
}

// Mean Frobenius norm of softmax's Jacobian diag(w) - w w' over many queries, entries of variance 1.
double JacobianNorm(const char* score, size_t d) {
  constexpr size_t kQueries = 400, kKeys = 16;
  auto p = RandomProblem(Named(score), {.queries = kQueries, .keys = kKeys, .query_dim = d, .key_dim = d});
  for (float& x : p->query) x *= std::sqrt(3.0f);
  for (float& x : p->key) x *= std::sqrt(3.0f);
  const AttentionOutcome out = Attended(*p);
  double sum = 0;
  for (Eigen::Index i = 0; i < Index(kQueries); ++i) {
    const Eigen::VectorXd w = out.weights.read().row(i).cast<double>();
    const Eigen::MatrixXd jacobian = Eigen::MatrixXd(w.asDiagonal()) - w * w.transpose();
    sum += jacobian.norm();
  }
  return sum / kQueries;
}

// Without the scale the two largest logits are some sqrt(d) apart. Only rows where they come within 1 of each other
// have a gradient, which is about one row in sqrt(d). With the scale the norm does not depend on d.
TEST(AttentionFacts, WithoutTheScaleSoftmaxLosesItsGradient) {
  const double scaled = JacobianNorm("scaled-dot", 16);
  double before = JacobianNorm("dot", 16);
  EXPECT_LT(before, scaled);
  for (const size_t d : {64, 256, 1024}) {
    const double now = JacobianNorm("dot", d);
    EXPECT_LT(now, 0.75 * before) << d;
    EXPECT_NEAR(JacobianNorm("scaled-dot", d), scaled, 0.1 * scaled) << d;
    before = now;
  }
  EXPECT_LT(before, 0.25 * scaled);
}

// Pointers.

TEST(AttentionFacts, APointerIsADistributionOverItsInputs) {
  constexpr size_t kQueries = 9, kKeys = 9;
  for (const Score* score : Scores()) {
    const auto p = RandomProblem(*score, {.heads = 2, .key_heads = 1, .queries = kQueries, .keys = kKeys}, 1, 4);
    for (const bool mask_used : {false, true}) {
      Attention call = CallOf(*p);
      call.mask_used = mask_used;
      ForEachTarget([&] {
        const AttentionOutcome out = Attended(call, p->Inputs());
        for (size_t row = 0; row < 2 * kQueries; ++row) {
          const auto weights = out.weights.read().row(Index(row));
          EXPECT_GE(weights.minCoeff(), 0);
          // Each weight is a quotient by the rounded sum of the numerators.
          EXPECT_NEAR(weights.cast<double>().sum(), 1, Gamma(kKeys + 1));
          EXPECT_EQ(weights[out.chosen[row]], weights.maxCoeff());
        }
        for (size_t h = 0; h < 2; ++h) {
          const auto first = out.chosen.begin() + static_cast<ptrdiff_t>(h * kQueries);
          const std::set<int32_t> keys(first, first + kQueries);
          if (mask_used) {
            EXPECT_EQ(keys.size(), kKeys);  // each input once
          } else {
            EXPECT_LT(keys.size(), kKeys);
          }
        }
      });
    }
  }
}

// Conventions.

// By columns: V softmax(K'Q / sqrt d), with Q [d, queries], K [d, keys], V [dv, keys] and a softmax that runs down.
Eigen::MatrixXd ByColumns(const Eigen::MatrixXd& q, const Eigen::MatrixXd& k, const Eigen::MatrixXd& v) {
  Eigen::MatrixXd weights = (k.transpose() * q / std::sqrt(static_cast<double>(q.rows()))).array().exp();
  for (Eigen::Index i = 0; i < weights.cols(); ++i) weights.col(i) /= weights.col(i).sum();
  return v * weights;
}

TEST(AttentionFacts, RowsAndColumnsAreOneConvention) {
  constexpr size_t kQueries = 5, kKeys = 8, kDim = 6, kWidth = 3;
  const auto p =
      RandomProblem(Named("scaled-dot"), {.queries = kQueries, .keys = kKeys, .query_dim = kDim, .key_dim = kDim});
  // The problem is given by columns. The engine's rows are made from it.
  const auto columns = [](const std::vector<float>& x, size_t rows, size_t dim) {
    return Eigen::MatrixXd(ConstMatrixView(x.data(), Index(dim), Index(rows)).cast<double>());
  };
  const auto turned = [](const std::vector<float>& x, size_t rows, size_t dim) {
    std::vector<float> y(x.size());
    Transpose(Dense(x.data(), 1, dim, rows), Dense(y.data(), 1, rows, dim));
    return y;
  };
  const Eigen::MatrixXd exact =
      ByColumns(columns(p->query, kQueries, kDim), columns(p->key, kKeys, kDim), columns(p->value, kKeys, kWidth));
  p->query = turned(p->query, kQueries, kDim);
  p->key = turned(p->key, kKeys, kDim);
  p->value = turned(p->value, kKeys, kWidth);
  const double logit_error = Gamma(kDim + 3) * kDim / std::sqrt(static_cast<double>(kDim));  // entries are below 1
  const double bound = std::expm1(2 * logit_error) + (2 * 2 * kDim + 16) * kUnit + 2 * Gamma(kKeys + 1);
  ForEachTarget([&] {
    const AttentionOutcome rows = Attended(*p);
    std::vector<float> output(kQueries * kWidth);
    Transpose(Dense(rows.output.read().data(), 1, kQueries, kWidth), Dense(output.data(), 1, kWidth, kQueries));
    EXPECT_LE((columns(output, kQueries, kWidth) - exact).array().abs().maxCoeff(), bound);
  });
}

}  // namespace
}  // namespace qkv
