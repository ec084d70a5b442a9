// GPTQ beside the procedure that it computes fast, and what a whole model gains by it.
#include "core/train/gptq.h"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <random>
#include <vector>

#include "core/kernels/int4.h"

namespace qkv {
namespace {

constexpr size_t kInputs = 96;

// Inputs that depend on each other, as activations do: [rows, kInputs].
Eigen::MatrixXd CorrelatedInputs(uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const auto draw = [&](double) { return normal(random); };
  const Eigen::MatrixXd causes = Eigen::MatrixXd::Zero(400, 12).unaryExpr(draw);
  const Eigen::MatrixXd mixed = causes * Eigen::MatrixXd::Zero(12, kInputs).unaryExpr(draw);
  return mixed + 0.3 * Eigen::MatrixXd::Zero(400, kInputs).unaryExpr(draw);
}

std::vector<float> RandomWeights(uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 0.1f);
  std::vector<float> weights(kInputs);
  for (float& each : weights) each = normal(random);
  return weights;
}

std::vector<int8_t> RoundedByGptq(const Eigen::MatrixXd& moments, const std::vector<float>& weights) {
  std::vector<int8_t> rounded(weights.size());
  Gptq(moments).Round(weights.data(), ScaleOfWeights(weights.data(), weights.size()), rounded.data());
  return rounded;
}

std::vector<int8_t> RoundedToNearest(const std::vector<float>& weights) {
  std::vector<uint8_t> row(Int4Bytes(weights.size()));
  PackInt4(weights.data(), weights.size(), ScaleOfWeights(weights.data(), weights.size()), row.data());
  std::vector<int8_t> rounded(weights.size());
  UnpackInt4(row.data(), weights.size(), rounded.data());
  return rounded;
}

// The sum of |x (w - rounded)|^2 over all inputs x.
double ErrorOf(const Eigen::MatrixXd& moments, const std::vector<float>& weights, const std::vector<int8_t>& rounded) {
  const float scale = ScaleOfWeights(weights.data(), weights.size());
  Eigen::VectorXd difference(kInputs);
  for (size_t i = 0; i < kInputs; ++i) {
    difference[static_cast<Eigen::Index>(i)] = weights[i] - scale * static_cast<float>(rounded[i]);
  }
  return difference.dot(moments * difference);
}

// Optimal Brain Quantization (Frantar and Alistarh 2022, https://arxiv.org/abs/2208.11580), in the order of inputs:
// after each rounding, the best change of the weights left is found anew, by the inverse of their part of H. GPTQ gets
// the same from one factorisation.
std::vector<int8_t> RoundedByDefinition(const Eigen::MatrixXd& moments, const std::vector<float>& weights) {
  Eigen::MatrixXd h = moments;
  h.diagonal().array() += 0.01 * moments.diagonal().mean();
  const float scale = ScaleOfWeights(weights.data(), weights.size());
  Eigen::VectorXd row(kInputs);
  for (size_t i = 0; i < kInputs; ++i) row[static_cast<Eigen::Index>(i)] = weights[i] / scale;
  std::vector<int8_t> rounded(kInputs);
  int m = 0;
  for (Eigen::Index i = 0; i < static_cast<Eigen::Index>(kInputs); ++i) {
    const Eigen::Index left = static_cast<Eigen::Index>(kInputs) - i;
    if (i % static_cast<Eigen::Index>(kInt4Group) == 0) {
      float group[kInt4Group], importance[kInt4Group];
      for (size_t k = 0; k < kInt4Group; ++k) {
        const Eigen::Index at = i + static_cast<Eigen::Index>(k);
        group[k] = static_cast<float>(row[at]);
        const Eigen::Index rest = static_cast<Eigen::Index>(kInputs) - at;
        importance[k] = static_cast<float>(1 / h.bottomRightCorner(rest, rest).inverse()(0, 0));
      }
      m = ChooseInt4Byte(group, importance);
    }
    const Eigen::MatrixXd inverse = h.bottomRightCorner(left, left).inverse();
    const int q = RoundToInt4(static_cast<float>(row[i]), m);
    rounded[static_cast<size_t>(i)] = static_cast<int8_t>(q);
    row.tail(left) -= (row[i] - q) / inverse(0, 0) * inverse.col(0);
  }
  return rounded;
}

TEST(Gptq, RoundsAsTheDefinitionSays) {
  for (uint32_t seed = 1; seed <= 8; ++seed) {
    const Eigen::MatrixXd x = CorrelatedInputs(seed), moments = x.transpose() * x;
    const std::vector<float> weights = RandomWeights(seed);
    EXPECT_EQ(RoundedByGptq(moments, weights), RoundedByDefinition(moments, weights)) << seed;
  }
}

TEST(Gptq, HasAFractionOfTheErrorOfRounding) {
  double gptq = 0, nearest = 0;
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    const Eigen::MatrixXd x = CorrelatedInputs(seed), moments = x.transpose() * x;
    const std::vector<float> weights = RandomWeights(seed);
    gptq += ErrorOf(moments, weights, RoundedByGptq(moments, weights));
    nearest += ErrorOf(moments, weights, RoundedToNearest(weights));
  }
  EXPECT_LT(gptq, 0.5 * nearest);
}

TEST(Gptq, RoundsToTheNearestWhereInputsAreIndependent) {
  const std::vector<float> weights = RandomWeights(1);
  const Eigen::MatrixXd alike = Eigen::MatrixXd::Identity(kInputs, kInputs);
  EXPECT_EQ(RoundedByGptq(alike, weights), RoundedToNearest(weights));
  // No input was seen.
  const Eigen::MatrixXd none = Eigen::MatrixXd::Zero(kInputs, kInputs);
  EXPECT_EQ(RoundedByGptq(none, weights), RoundedToNearest(weights));
  EXPECT_EQ(RoundedByGptq(alike, std::vector<float>(kInputs)), std::vector<int8_t>(kInputs));
}

}  // namespace
}  // namespace qkv
