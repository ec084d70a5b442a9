#include <algorithm>
#include <limits>

#include "core/base/arena.h"
#include "core/kernels/attention.h"
#include "tests/core/kernel_testing.h"

namespace qkv {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Shape {
  size_t heads, head_dim, queries, keys;
  bool causal = false;
  size_t first_query = 0;
};

struct Outputs {
  Guarded output, weights, scores;
};

// Queries, keys and values of one segment; strides are wider than the heads.
struct Problem {
  Shape shape;
  size_t width;
  Guarded query, key, value;
  explicit Problem(const Shape& s, float scale = 1)
      : shape(s),
        width(s.heads * s.head_dim),
        query(RandomMatrix(s.queries, width + 3, 1, scale)),
        key(RandomMatrix(s.keys, width + 5, 2, scale)),
        value(RandomMatrix(s.keys, width + 5, 3)) {}

  ScaledDotAttention Call() const {
    ScaledDotAttention a;
    a.heads = shape.heads;
    a.head_dim = shape.head_dim;
    a.scale = 1 / std::sqrt(static_cast<float>(shape.head_dim));
    a.queries = shape.queries;
    a.query = query.read().data();
    a.query_stride = width + 3;
    a.keys = shape.keys;
    a.key = key.read().data();
    a.value = value.read().data();
    a.key_stride = width + 5;
    a.causal = shape.causal;
    a.first_query = shape.first_query;
    return a;
  }

  Outputs Run(ScaledDotAttention a, bool keep = true, bool naive = false) const {
    Outputs out = {Guarded(a.queries, width), Guarded(shape.heads * a.queries, a.keys),
                   Guarded(shape.heads * a.queries, a.keys)};
    a.output = out.output.data();
    a.output_stride = width;
    if (keep) a.weights = out.weights.data(), a.scores = out.scores.data();
    Arena arena;
    if (naive) {
      AttendNaive(a);
    } else {
      Attend(a, arena.Floats(AttentionScratch(a)));
    }
    EXPECT_TRUE(out.output.Intact() && out.weights.Intact() && out.scores.Intact());
    return out;
  }
  size_t Seen(size_t i) const { return shape.causal ? std::min(shape.keys, shape.first_query + i + 1) : shape.keys; }
};

// Each stage against double, computed from the stage before it as the kernel gave it: scores within gamma of their dot
// product, weights within softmax's bound, outputs within gamma of their weighted sum.
void ExpectAttention(const Problem& p, const Outputs& out) {
  const Shape& s = p.shape;
  const ConstMatrixView scores = out.scores.read(), weights = out.weights.read();
  for (size_t h = 0; h < s.heads; ++h) {
    for (size_t i = 0; i < s.queries; ++i) {
      const size_t seen = p.Seen(i);
      const auto row = static_cast<Eigen::Index>(h * s.queries + i);
      const auto column = static_cast<Eigen::Index>(h * s.head_dim);
      const auto dim = static_cast<Eigen::Index>(s.head_dim);
      double max = -std::numeric_limits<double>::infinity(), sum = 0, total = 0;
      for (size_t j = 0; j < seen; ++j) {
        const auto q = p.query.read().row(static_cast<Eigen::Index>(i)).segment(column, dim).cast<double>().array();
        const auto k = p.key.read().row(static_cast<Eigen::Index>(j)).segment(column, dim).cast<double>().array();
        const double scale = 1 / std::sqrt(static_cast<float>(s.head_dim));
        const double got = scores(row, static_cast<Eigen::Index>(j));
        ASSERT_NEAR(got, (q * k).sum() * scale, Gamma(s.head_dim + 1) * (q * k).abs().sum() * scale);
        max = std::max(max, got);
      }
      for (size_t j = 0; j < seen; ++j) sum += std::exp(scores(row, static_cast<Eigen::Index>(j)) - max);
      for (size_t j = 0; j < s.keys; ++j) {
        const auto column_j = static_cast<Eigen::Index>(j);
        if (j >= seen) {
          ASSERT_EQ(scores(row, column_j), -kInfinity);
          ASSERT_EQ(weights(row, column_j), 0);
          continue;
        }
        const double below = max - scores(row, column_j), exact = std::exp(-below) / sum;
        ASSERT_NEAR(weights(row, column_j), exact, exact * (kUnit * (2 * below + 9) + Gamma(seen)) + 1.2e-38);
        total += weights(row, column_j);
      }
      if (seen > 0) {
        EXPECT_NEAR(total, 1, 1e-5);
      }
      for (Eigen::Index c = 0; c < dim; ++c) {
        double exact = 0, size = 0;
        for (size_t j = 0; j < seen; ++j) {
          const double term = static_cast<double>(weights(row, static_cast<Eigen::Index>(j))) *
                              p.value.read()(static_cast<Eigen::Index>(j), column + c);
          exact += term;
          size += std::abs(term);
        }
        ASSERT_NEAR(out.output.read()(static_cast<Eigen::Index>(i), column + c), exact, Gamma(seen) * size + 1e-37);
      }
    }
  }
}

TEST(Attend, EveryShapeIsWithinItsBound) {
  for (const size_t heads : {1, 3}) {
    for (const size_t head_dim : {1, 3, 4, 7, 8, 16, 17, 32, 40, 64, 67}) {
      for (const size_t queries : {0, 1, 2, 3, 5, 8}) {
        for (const size_t keys : {0, 1, 2, 3, 4, 5, 13, 16, 33}) {
          for (const bool causal : {false, true}) {
            const Problem p({heads, head_dim, queries, keys, causal});
            ForEachTarget([&] { ExpectAttention(p, p.Run(p.Call())); });
          }
        }
      }
    }
  }
}

TEST(Attend, LongSequencesAndHugeScores) {
  for (const float scale : {1.0f, 30.0f, 1000.0f}) {
    const Problem p({2, 64, 65, 512, true, 400}, scale), q({1, 32, 3, 700}, scale);
    ForEachTarget([&] {
      ExpectAttention(p, p.Run(p.Call()));
      ExpectAttention(q, q.Run(q.Call()));
    });
  }
}

TEST(Attend, NaiveIsTheSameEquation) {
  for (const bool causal : {false, true}) {
    const Problem p({2, 12, 5, 9, causal, 2});
    ExpectAttention(p, p.Run(p.Call(), true, true));
  }
}

TEST(Attend, KeepingWeightsChangesNothing) {
  for (const bool causal : {false, true}) {
    const Problem p({2, 20, 7, 19, causal, 3});
    ForEachTarget([&] {
      const Outputs with = p.Run(p.Call()), without = p.Run(p.Call(), false);
      EXPECT_TRUE(SameBits(with.output.read(), without.output.read()));
    });
  }
}

TEST(Attend, QueriesDoNotDependOnOneAnother) {
  for (const bool causal : {false, true}) {
    for (const size_t head_dim : {9, 32, 64}) {
      const Problem p({2, head_dim, 11, 23, causal, 5});
      ForEachTarget([&] {
        const Outputs whole = p.Run(p.Call());
        for (size_t count = 1; count <= 5; ++count) {
          for (size_t i = 0; i + count <= 11; ++i) {
            ScaledDotAttention a = p.Call();
            a.query += i * a.query_stride;
            a.queries = count;
            a.first_query = 5 + i;
            const Outputs part = p.Run(a);
            EXPECT_TRUE(SameBits(ReadRows(whole.output, static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(count)),
                                 part.output.read()));
          }
        }
      });
    }
  }
}

TEST(Attend, HeadsDoNotDependOnOneAnother) {
  const size_t heads = 5, queries = 7, keys = 19;
  const Problem p({heads, 20, queries, keys, true, 3});
  ForEachTarget([&] {
    const Outputs whole = p.Run(p.Call());
    for (size_t split = 1; split < heads; ++split) {
      Outputs parts = {Guarded(queries, p.width), Guarded(heads * queries, keys), Guarded(heads * queries, keys)};
      ScaledDotAttention a = p.Call();
      a.output = parts.output.data();
      a.output_stride = p.width;
      a.weights = parts.weights.data();
      a.scores = parts.scores.data();
      Arena arena;
      float* const scratch = arena.Floats(AttentionScratch(a));
      Attend(SomeHeads(a, 0, split), scratch);
      Attend(SomeHeads(a, split, heads - split), scratch);
      EXPECT_TRUE(SameBits(whole.output.read(), parts.output.read()));
      EXPECT_TRUE(SameBits(whole.weights.read(), parts.weights.read()));
      EXPECT_TRUE(SameBits(whole.scores.read(), parts.scores.read()));
    }
  });
}

// A causal query over all keys equals the query over the keys that it sees, so one decoding step equals its row of a
// whole pass. Keys behind it have no effect, even if they are NaN.
TEST(Attend, CausalEqualsPrefix) {
  Problem p({3, 32, 13, 13, true});
  ForEachTarget([&] {
    const Outputs whole = p.Run(p.Call());
    Problem cut = p;
    cut.key.view().bottomRows(6).setConstant(std::numeric_limits<float>::quiet_NaN());
    cut.value.view().bottomRows(6).setConstant(kInfinity);
    const Outputs hidden = cut.Run(cut.Call());
    EXPECT_TRUE(SameBits(ReadRows(whole.output, 0, 7), ReadRows(hidden.output, 0, 7)));
    EXPECT_TRUE(hidden.output.read().bottomRows(6).array().isNaN().all());
    for (size_t i = 0; i < 13; ++i) {
      ScaledDotAttention a = p.Call();
      a.query += i * a.query_stride;
      a.queries = 1;
      a.keys = i + 1;
      a.causal = false;
      EXPECT_TRUE(SameBits(ReadRows(whole.output, static_cast<Eigen::Index>(i), 1), p.Run(a).output.read()));
    }
  });
}

TEST(Attend, KeyRowsEqualGatheredRows) {
  const Problem p({2, 32, 3, 21});
  const int32_t rows[] = {20, 3, 3, 0, 7, 19, 1, 1, 2, 11, 5};
  Problem gathered({2, 32, 3, std::size(rows)});
  for (size_t j = 0; j < std::size(rows); ++j) {
    gathered.key.view().row(static_cast<Eigen::Index>(j)) = p.key.read().row(rows[j]);
    gathered.value.view().row(static_cast<Eigen::Index>(j)) = p.value.read().row(rows[j]);
  }
  ForEachTarget([&] {
    ScaledDotAttention a = p.Call();
    a.keys = std::size(rows);
    a.key_rows = rows;
    EXPECT_TRUE(SameBits(p.Run(a).output.read(), gathered.Run(gathered.Call()).output.read()));
    EXPECT_TRUE(SameBits(p.Run(a).weights.read(), gathered.Run(gathered.Call()).weights.read()));
  });
}

TEST(Attend, NaNStaysInItsQueryAndHead) {
  const Problem clean({2, 16, 5, 9});
  Problem dirty = clean;
  dirty.query.view()(2, 20) = std::numeric_limits<float>::quiet_NaN();  // query 2, head 1
  ForEachTarget([&] {
    const Outputs a = clean.Run(clean.Call()), b = dirty.Run(dirty.Call());
    for (Eigen::Index i = 0; i < 5; ++i) {
      if (i == 2) {
        EXPECT_TRUE(b.output.read().row(i).tail(16).array().isNaN().all());
        EXPECT_EQ(a.output.read().row(i).head(16), b.output.read().row(i).head(16));
      } else {
        EXPECT_TRUE(SameBits(ReadRows(a.output, i, 1), ReadRows(b.output, i, 1)));
      }
    }
  });
}

}  // namespace
}  // namespace qkv
