// Sparse weights against the exact threshold of sorted logits, and what their papers prove of them.
#include "core/attention/entmax.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "core/base/exponential.h"
#include "tests/core/attention_goldens.h"

namespace qkv {
namespace {

std::vector<float> Weights(double alpha, std::vector<float> row) {
  Entmax(alpha, {0, row.size()}, row.data());
  return row;
}

std::vector<float> Row(uint32_t seed, size_t size, float factor) {
  std::vector<float> row(size);
  for (size_t i = 0; i < size; ++i) row[i] = factor * GeneratedValue(seed, static_cast<uint32_t>(i));
  return row;
}

// The largest k whose k-th logit is above the threshold of the first k gives the threshold (Martins and Astudillo 2016,
// proposition 1; Peters et al. 2019, algorithm 2).
std::vector<double> BySorting(double alpha, const std::vector<float>& row) {
  std::vector<double> sorted(row.begin(), row.end());
  for (double& x : sorted) x *= alpha - 1;
  std::sort(sorted.rbegin(), sorted.rend());
  double tau = 0, sum = 0, square = 0;
  for (size_t k = 1; k <= sorted.size(); ++k) {
    const double x = sorted[k - 1], n = static_cast<double>(k);
    sum += x;
    square += x * x;
    const double mean = sum / n, spread = n * (square / n - mean * mean);
    if (alpha != 2 && spread > 1) break;
    const double next = alpha == 2 ? (sum - 1) / n : mean - std::sqrt((1 - spread) / n);
    if (x <= next) break;
    tau = next;
  }
  std::vector<double> weights;
  for (const float z : row) {
    const double x = std::max((alpha - 1) * z - tau, 0.0);
    weights.push_back(alpha == 2 ? x : x * x);
  }
  return weights;
}

TEST(Entmax, IsTheThresholdOfSortedLogits) {
  for (const double alpha : {2.0, 1.5}) {
    for (const size_t size : {1, 2, 7, 300}) {
      for (const float factor : {0.01f, 1.0f, 30.0f, 1e4f}) {
        const std::vector<float> row = Row(static_cast<uint32_t>(size), size, factor), weights = Weights(alpha, row);
        const std::vector<double> exact = BySorting(alpha, row);
        for (size_t i = 0; i < size; ++i) ASSERT_NEAR(weights[i], exact[i], 1e-6) << alpha << ", " << factor;
      }
    }
  }
}

TEST(Entmax, WeightsSumToOneAndSomeAreZeros) {
  for (const double alpha : {1.01, 1.25, 1.5, 2.0, 2.5, 3.0}) {
    const std::vector<float> weights = Weights(alpha, Row(5, 200, 8));
    EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-6) << alpha;
    if (alpha >= 1.25) EXPECT_GT(std::count(weights.begin(), weights.end(), 0.0f), 100) << alpha;
  }
}

TEST(Entmax, NearOneItIsTheSoftmax) {
  const std::vector<float> row = Row(6, 20, 2), weights = Weights(1.0001, row);
  double sum = 0;
  for (const float z : row) sum += std::exp(static_cast<double>(z));
  for (size_t i = 0; i < row.size(); ++i) EXPECT_NEAR(weights[i], std::exp(static_cast<double>(row[i])) / sum, 1e-4);
}

TEST(Entmax, MaskedLogitsHaveNoWeight) {
  EXPECT_EQ(Weights(1.5, {kMasked, 3, kMasked}), (std::vector<float>{0, 1, 0}));
  EXPECT_EQ(Weights(1.25, {kMasked, kMasked}), (std::vector<float>{0, 0}));
  EXPECT_TRUE(std::isnan(Weights(2, {1, HUGE_VALF, kMasked})[0]));
  EXPECT_EQ(Weights(2, {1, HUGE_VALF, kMasked})[2], 0);
}

TEST(Entmax, TheBackwardIsTheSlope) {
  const std::vector<float> of_weights = Row(8, 12, 1);
  for (const double alpha : {1.0, 1.25, 1.5, 2.0, 3.0}) {
    std::vector<float> row = Row(7, 12, 1), gradient = of_weights;
    const auto weights = [&] {
      if (alpha > 1) return Weights(alpha, row);
      std::vector<float> soft = row;
      for (float& x : soft) x = std::exp(x);
      const float sum = std::accumulate(soft.begin(), soft.end(), 0.0f);
      for (float& x : soft) x /= sum;
      return soft;
    };
    EntmaxBackward(alpha, weights().data(), gradient.data(), row.size());
    for (size_t i = 0; i < row.size(); ++i) {
      const float at = row[i], step = 1.0f / 512;
      double loss[2];
      for (const int side : {0, 1}) {
        row[i] = side == 0 ? at - step : at + step;
        const std::vector<float> moved = weights();
        loss[side] = std::inner_product(moved.begin(), moved.end(), of_weights.begin(), 0.0);
      }
      row[i] = at;
      EXPECT_NEAR((loss[1] - loss[0]) / (2 * step), gradient[i], 5e-3) << alpha << ", " << i;
    }
  }
}

TEST(Logarithm, IsTheLibrarys) {
  for (const double x : {1e-300, 1e-37, 0.3, 0.7071, 0.99999, 1.0, 1.0000001, 1.5, 2.0, 1e10, 1e300}) {
    EXPECT_NEAR(Logarithm(x), std::log(x), 4e-16 * std::max(1.0, std::abs(std::log(x)))) << x;
  }
  EXPECT_EQ(Logarithm(0), -HUGE_VAL);
  EXPECT_EQ(Logarithm(HUGE_VAL), HUGE_VAL);
  EXPECT_TRUE(std::isnan(Logarithm(-1)) && std::isnan(Logarithm(NAN)));
}

}  // namespace
}  // namespace qkv
