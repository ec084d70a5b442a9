#include "core/kernels/pairwise.h"

#include <limits>

#include "core/kernels/packed.h"
#include "tests/core/kernel_testing.h"

namespace qkv {
namespace {

using Sum = void (*)(const Pairs&);

struct Problem {
  Guarded queries, keys, weight;
  PackedMatrix packed;
  Problem(size_t rows, size_t count, size_t dim, float scale)
      : queries(RandomMatrix(rows, dim, 1, scale)),
        keys(RandomMatrix(count, dim, 2, scale)),
        weight(RandomMatrix(1, dim, 3)),
        packed(Pack(keys.read())) {}
  // A row longer than its panels, to test `stride`.
  Guarded Scores(Sum sum) const {
    const auto rows = static_cast<size_t>(queries.read().rows()), dim = static_cast<size_t>(queries.read().cols());
    const size_t count = packed.panels() * kPanel;
    Guarded scores(rows, count + 3);
    sum({queries.read().data(), rows, dim, packed.Panel(0), count, weight.read().data(), scores.data(), count + 3});
    EXPECT_TRUE(scores.Intact());
    return scores;
  }
};

// Against double: `term` and its own rounding error, in addition to the error of the sum.
template <class Term>
void ExpectSums(const Problem& p, const Guarded& scores, const Term& term) {
  const ConstMatrixView q = p.queries.read(), k = p.keys.read(), w = p.weight.read();
  for (Eigen::Index r = 0; r < q.rows(); ++r) {
    for (Eigen::Index j = 0; j < k.rows(); ++j) {
      double sum = 0, size = 0, error = 0;
      for (Eigen::Index c = 0; c < q.cols(); ++c) {
        const auto [value, rounding] = term(q(r, c), k(j, c), w(0, c));
        sum += value;
        size += std::abs(value);
        error += rounding;
      }
      ASSERT_NEAR(scores.read()(r, j), sum, Gamma(static_cast<size_t>(q.cols()) + 2) * size + error + 1e-38)
          << r << ", " << j;
    }
  }
}

TEST(TanhSums, GivesTheSameBitsOnEveryTarget) {
  for (const float scale : {1e-2f, 1.0f, 20.0f}) {
    const Problem p(3, 40, 130, scale);
    const Guarded chosen = p.Scores(TanhSums);
    ForEachTarget([&] { EXPECT_TRUE(SameBits(chosen.read(), p.Scores(TanhSums).read())); });
  }
}

struct Value {
  double value, rounding;
};

void ForEachShape(const std::function<void(const Problem&)>& test) {
  for (const size_t dim : {1, 2, 3, 8, 33, 130}) {
    for (const size_t count : {1, 15, 16, 17, 40}) {
      for (const size_t rows : {1, 2, 7}) {
        for (const float scale : {1e-3f, 1.0f, 20.0f}) test(Problem(rows, count, dim, scale));
      }
    }
  }
}

TEST(Pairwise, TanhSumsAreWithinTheirBound) {
  ForEachShape([](const Problem& p) {
    ForEachTarget([&] {
      // q + k is rounded by half a unit of its size, and tanh multiplies that error by its slope. tanh itself is exact
      // to four units of the last place.
      ExpectSums(p, p.Scores(TanhSums), [](double q, double k, double w) {
        const double tanh = std::tanh(q + k), slope = 1 - tanh * tanh;
        return Value{w * tanh, kUnit * std::abs(w) * (std::abs(q + k) * slope + 8 * std::abs(tanh))};
      });
    });
  });
}

TEST(Pairwise, SquaredDistancesAreWithinTheirBound) {
  ForEachShape([](const Problem& p) {
    ForEachTarget([&] {
      ExpectSums(p, p.Scores(SquaredDistances), [](double q, double k, double) {
        return Value{-(q - k) * (q - k) / 2, 2 * kUnit * (q - k) * (q - k)};
      });
    });
  });
}

TEST(Pairwise, TheNaiveOnesSayTheSame) {
  const Problem p(5, 20, 33, 1);
  for (const auto& [fast, naive] :
       {std::pair<Sum, Sum>{TanhSums, TanhSumsNaive}, {SquaredDistances, SquaredDistancesNaive}}) {
    const Guarded a = p.Scores(fast), b = p.Scores(naive);
    for (Eigen::Index r = 0; r < 5; ++r) {
      for (Eigen::Index j = 0; j < 20; ++j) EXPECT_NEAR(a.read()(r, j), b.read()(r, j), 1e-4);
    }
  }
}

TEST(Pairwise, TanhIsOneFarOutAndKeepsNaN) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const float queries[] = {1e4f, -1e4f, kInfinity, -kInfinity, std::numeric_limits<float>::quiet_NaN(), 1e-30f, -0.0f};
  const float one = 1;
  PackedMatrix zero(1, 1);
  const float key = 0;
  zero.SetRow(0, &key);
  ForEachTarget([&] {
    float scores[std::size(queries) * kPanel];
    TanhSums({queries, std::size(queries), 1, zero.Panel(0), kPanel, &one, scores, kPanel});
    EXPECT_EQ(scores[0 * kPanel], 1);
    EXPECT_EQ(scores[1 * kPanel], -1);
    EXPECT_EQ(scores[2 * kPanel], 1);
    EXPECT_EQ(scores[3 * kPanel], -1);
    EXPECT_TRUE(std::isnan(scores[4 * kPanel]));
    EXPECT_EQ(scores[5 * kPanel], 1e-30f);
    EXPECT_EQ(scores[6 * kPanel], 0);
  });
}

}  // namespace
}  // namespace qkv
