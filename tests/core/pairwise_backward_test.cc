#include "core/kernels/pairwise_backward.h"

#include <limits>

#include "core/kernels/packed.h"
#include "core/kernels/softmax_backward.h"
#include "tests/core/kernel_testing.h"

namespace qkv {
namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

using Sum = void (*)(const Pairs&);
using Backward = void (*)(const Pairs&, const PairsGradient&);

struct Problem {
  Matrix queries, weight, of_scores;
  PackedMatrix keys;
  size_t count;
  Problem(size_t rows, size_t keys, size_t dim, float scale)
      : queries(RandomMatrix(rows, dim, 1, scale).read()),
        weight(RandomMatrix(1, dim, 3).read()),
        of_scores(RandomMatrix(rows, RoundedUp(keys) + 3, 4).read()),
        keys(Pack(RandomMatrix(keys, dim, 2, scale).read())),
        count(RoundedUp(keys)) {
    // Some pairs have a gradient of zero.
    for (Eigen::Index i = 0; i < of_scores.size(); i += 5) of_scores.data()[i] = 0;
  }
  static size_t RoundedUp(size_t keys) { return (keys + kPanel - 1) / kPanel * kPanel; }

  struct Result {
    Guarded queries, weight;
    PackedMatrix keys;
  };
  Result Run(Backward backward, bool weighs) const {
    const auto rows = static_cast<size_t>(queries.rows()), dim = static_cast<size_t>(queries.cols());
    Result r = {RandomMatrix(rows, dim, 5), RandomMatrix(1, dim, 6), PackedMatrix(keys.outputs(), dim)};
    for (size_t i = 0; i < r.keys.size(); ++i) r.keys.data()[i] = 1;
    const Pairs pairs = {queries.data(), rows, dim, keys.data(), count, weighs ? weight.data() : nullptr};
    backward(pairs, {of_scores.data(), static_cast<size_t>(of_scores.cols()), r.queries.data(), r.keys.data(),
                     weighs ? r.weight.data() : nullptr});
    EXPECT_TRUE(r.queries.Intact() && r.weight.Intact());
    return r;
  }
};

void ForEachShape(const std::function<void(const Problem&)>& test) {
  for (const size_t dim : {1, 3, 8, 9, 33}) {
    for (const size_t keys : {1, 16, 17, 40}) {
      for (const size_t rows : {1, 7, 48}) {
        for (const float scale : {0.01f, 1.0f, 5.0f}) test(Problem(rows, keys, dim, scale));
      }
    }
  }
}

// Terms are below 10 here. Each sum has at most 2000 terms, in chains that are much shorter.
void ExpectNear(const float* a, const float* b, size_t size) {
  for (size_t i = 0; i < size; ++i) ASSERT_NEAR(a[i], b[i], 2e-4) << i;
}

TEST(PairwiseBackward, SaysWhatTheNaiveOnesSay) {
  for (const auto& [fast, naive, weighs] :
       {std::tuple<Backward, Backward, bool>{TanhSumsBackward, TanhSumsBackwardNaive, true},
        {SquaredDistancesBackward, SquaredDistancesBackwardNaive, false}}) {
    ForEachShape([&](const Problem& p) {
      const Problem::Result b = p.Run(naive, weighs);
      ForEachTarget([&] {
        const Problem::Result a = p.Run(fast, weighs);
        ExpectNear(a.queries.read().data(), b.queries.read().data(), static_cast<size_t>(p.queries.size()));
        ExpectNear(a.weight.read().data(), b.weight.read().data(), static_cast<size_t>(p.weight.size()));
        ExpectNear(a.keys.data(), b.keys.data(), a.keys.size());
      });
    });
  }
}

// The gradient of the sum in float64, by central differences.
TEST(PairwiseBackward, TheNaiveOnesAreTheSlopes) {
  for (const auto& [sum, backward, weighs] :
       {std::tuple<Sum, Backward, bool>{TanhSumsNaive, TanhSumsBackwardNaive, true},
        {SquaredDistancesNaive, SquaredDistancesBackwardNaive, false}}) {
    Problem p(3, 5, 4, 1);
    const auto loss = [&] {
      Matrix scores(3, p.count);
      sum({p.queries.data(), 3, 4, p.keys.data(), p.count, p.weight.data(), scores.data(), p.count});
      return scores.cast<double>()
          .cwiseProduct(p.of_scores.leftCols(static_cast<Eigen::Index>(p.count)).cast<double>())
          .sum();
    };
    const Problem::Result got = p.Run(backward, weighs), start = p.Run([](const Pairs&, const PairsGradient&) {}, true);
    const auto expect = [&](float* x, size_t size, const float* after, const float* before) {
      for (size_t i = 0; i < size; ++i) {
        const float kept = x[i], step = 1e-2f;
        x[i] = kept + step;
        const double up = loss();
        x[i] = kept - step;
        const double down = loss();
        x[i] = kept;
        EXPECT_NEAR(after[i] - before[i], (up - down) / (2 * static_cast<double>(step)), 2e-3) << i;
      }
    };
    expect(p.queries.data(), 12, got.queries.read().data(), start.queries.read().data());
    expect(p.keys.data(), p.keys.size(), got.keys.data(), start.keys.data());
    if (weighs) expect(p.weight.data(), 4, got.weight.read().data(), start.weight.read().data());
  }
}

TEST(PairwiseBackward, APairWithoutGradientPassesNoNaN) {
  ForEachTarget([] {
    for (const Backward backward : {TanhSumsBackward, SquaredDistancesBackward}) {
      PackedMatrix keys(2, 1);
      keys.data()[1] = kNaN;
      const float query = 0.5f, weight = 1;
      float of_scores[kPanel] = {1}, of_keys[kPanel] = {}, of_query = 0, of_weight = 0;
      // The panel is aligned as panels must be.
      PackedMatrix gradient(2, 1);
      backward({&query, 1, 1, keys.data(), kPanel, &weight},
               {of_scores, kPanel, &of_query, gradient.data(), &of_weight});
      std::copy_n(gradient.data(), kPanel, of_keys);
      EXPECT_TRUE(std::isfinite(of_query) && std::isfinite(of_weight) && of_query != 0);
      EXPECT_NE(of_keys[0], 0);
      EXPECT_EQ(of_keys[1], 0);
    }
  });
}

TEST(PairwiseBackward, ANaNOfAScorePasses) {
  ForEachTarget([] {
    for (const Backward backward : {TanhSumsBackward, SquaredDistancesBackward}) {
      const PackedMatrix keys(1, 1);
      PackedMatrix gradient(1, 1);
      const float query = 0.5f, weight = 1, of_scores[kPanel] = {kNaN};
      float of_query = 0, of_weight = 0;
      backward({&query, 1, 1, keys.data(), kPanel, &weight},
               {of_scores, kPanel, &of_query, gradient.data(), &of_weight});
      EXPECT_TRUE(std::isnan(of_query) && std::isnan(gradient.data()[0]) && gradient.data()[1] == 0);
    }
  });
}

TEST(SoftmaxBackward, ANaNIsInAllOfTheRow) {
  ForEachTarget([] {
    for (const bool in_weights : {false, true}) {
      float weights[3] = {0.25f, 0.75f, 0}, gradient[3] = {1, 2, 3};
      (in_weights ? weights : gradient)[1] = kNaN;
      SoftmaxBackward(weights, gradient, 3);
      EXPECT_TRUE(std::isnan(gradient[0]) && std::isnan(gradient[1]) && gradient[2] == 0);
    }
  });
}

TEST(SoftmaxBackward, IsTheNaiveOneAndPassesNothingWhereTheWeightIsZero) {
  ForEachTarget([] {
    for (const size_t size : {1, 2, 7, 16, 33, 1000}) {
      Guarded weights = RandomMatrix(1, size, 1), fast = RandomMatrix(1, size, 2), naive = fast;
      double sum = 0;
      for (size_t i = 0; i < size; ++i) sum += weights.data()[i] = i % 3 == 1 ? 0 : std::abs(weights.data()[i]);
      for (size_t i = 0; i < size; ++i) weights.data()[i] /= static_cast<float>(sum);
      for (size_t i = 1; i < size; i += 3) {
        fast.data()[i] = naive.data()[i] = std::numeric_limits<float>::quiet_NaN();
      }
      SoftmaxBackward(weights.data(), fast.data(), size);
      SoftmaxBackwardNaive(weights.data(), naive.data(), size);
      EXPECT_TRUE(fast.Intact());
      for (size_t i = 0; i < size; ++i) {
        EXPECT_NEAR(fast.data()[i], naive.data()[i], Gamma(size + 3) * weights.data()[i] * 2);
        if (i % 3 == 1) EXPECT_EQ(fast.data()[i], 0);
      }
    }
  });
}

}  // namespace
}  // namespace qkv
