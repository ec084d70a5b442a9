// Kernels that only training needs, against their equations in double.
#include <cmath>
#include <numbers>
#include <vector>

#include "core/kernels/adam.h"
#include "core/kernels/columns.h"
#include "core/kernels/cross_entropy.h"
#include "core/kernels/dropout.h"
#include "core/kernels/norm_backward.h"
#include "tests/core/kernel_testing.h"

namespace qkv {
namespace {

Matrix Draw(size_t rows, size_t cols, uint64_t seed, float scale = 1) {
  return RandomMatrix(rows, cols, seed, scale).read();
}

TEST(Dropout, IsTheSameOnEveryTargetAndOnAnyNumberOfThreads) {
  ThreadPool one(1), three(3);
  const Random random(0x123456789abcdefull, 77);
  // The last counter carries into its second word.
  for (const uint64_t first : {uint64_t{0}, uint64_t{12345}, uint64_t{0xfffffff8}}) {
    for (const size_t size : {0, 1, 127, 128, 129, 1000, 70000}) {
      const Matrix x = Draw(1, size, 1);
      Matrix naive = x;
      DropoutElementsNaive(random, first, 0.3f, naive.data(), size);
      ForEachTarget([&] {
        Matrix y = x, z = x;
        DropoutElements(random, first, 0.3f, y.data(), size, one);
        DropoutElements(random, first, 0.3f, z.data(), size, three);
        EXPECT_TRUE(SameBits(View(y), View(naive)));
        EXPECT_TRUE(SameBits(View(z), View(naive)));
      });
    }
  }
}

TEST(Dropout, DropsItsShareAndKeepsTheMean) {
  ThreadPool pool(1);
  constexpr size_t kSize = 1 << 20;
  std::vector<float> x(kSize, 1.0f);
  DropoutElements(Random(1), 0, 0.1f, x.data(), kSize, pool);
  size_t dropped = 0;
  for (const float v : x) {
    if (v == 0)
      ++dropped;
    else
      EXPECT_FLOAT_EQ(v, 1 / 0.9f);
  }
  // Four standard deviations of a binomial, and the error of rounding the rate to 1 / 65536.
  EXPECT_NEAR(static_cast<double>(dropped) / kSize, 0.1, 4 * std::sqrt(0.09 / kSize) + 0x1p-17);
}

TEST(CrossEntropy, LossAndGradientAreTheEquations) {
  ThreadPool pool(2);
  for (const size_t classes : {1, 2, 7, 64, 1001}) {
    for (const float smoothing : {0.0f, 0.1f}) {
      const Matrix z = Draw(9, classes, 4, 8);
      std::vector<int32_t> targets;
      for (size_t r = 0; r < 9; ++r) targets.push_back(static_cast<int32_t>(r * 5 % classes));
      ForEachTarget([&] {
        Matrix g = z;
        const CrossEntropySums sums = CrossEntropy({g.data(), g.rows(), g.cols()}, targets, smoothing, 0.5f, pool);
        double loss = 0, negative = 0;
        for (Eigen::Index r = 0; r < z.rows(); ++r) {
          const Eigen::VectorXd row = z.row(r).cast<double>();
          const double log_sum = std::log((row.array() - row.maxCoeff()).exp().sum()) + row.maxCoeff();
          for (Eigen::Index c = 0; c < z.cols(); ++c) {
            const double q = (c == targets[static_cast<size_t>(r)] ? 1.0 - smoothing : 0.0) +
                             static_cast<double>(smoothing) / static_cast<double>(classes);
            loss -= q * (row[c] - log_sum);
            EXPECT_NEAR(g(r, c), 0.5 * (std::exp(row[c] - log_sum) - q), 1e-6);
          }
          negative -= row[targets[static_cast<size_t>(r)]] - log_sum;
        }
        EXPECT_NEAR(sums.loss, loss, 1e-5 * loss + 1e-6);
        EXPECT_NEAR(sums.negative, negative, 1e-5 * negative + 1e-6);
      });
    }
  }
}

// Central differences in double of sum (d_y LayerNorm(x + residual)).
double NormProjected(const Eigen::MatrixXd& z, const Eigen::VectorXd& gain, const Eigen::VectorXd& bias,
                     const Eigen::MatrixXd& d_y) {
  double sum = 0;
  for (Eigen::Index r = 0; r < z.rows(); ++r) {
    const Eigen::VectorXd row = z.row(r);
    const Eigen::VectorXd centred = row.array() - row.mean();
    const Eigen::VectorXd n = centred / std::sqrt(centred.squaredNorm() / static_cast<double>(z.cols()) + 1e-5);
    sum += (n.cwiseProduct(gain) + bias).dot(d_y.row(r));
  }
  return sum;
}

TEST(LayerNormBackward, IsTheSlopeOfTheForward) {
  Arena arena;
  for (const size_t size : {1, 3, 16, 37}) {
    for (const size_t rows : {1, 5, 130}) {
      const Matrix x = Draw(rows, size, 1), residual = Draw(rows, size, 2), d_y = Draw(rows, size, 3);
      const Matrix gain = Draw(1, size, 4), bias = Draw(1, size, 5);
      ForEachTarget([&] {
        ThreadPool pool(2);
        Matrix d_z(rows, size), d_gain = Matrix::Zero(1, size), d_bias = Matrix::Zero(1, size);
        LayerNormBackward(View(x), residual.data(), gain.data(), 1e-5f, View(d_y), d_z.data(), d_gain.data(),
                          d_bias.data(), arena, pool);
        const Eigen::MatrixXd z = x.cast<double>() + residual.cast<double>(), dy = d_y.cast<double>();
        const Eigen::VectorXd g = gain.row(0).cast<double>(), b = bias.row(0).cast<double>();
        const Eigen::MatrixXd direction = Draw(rows, size, 6).cast<double>();
        constexpr double kStep = 1e-5;
        const double slope =
            (NormProjected(z + kStep * direction, g, b, dy) - NormProjected(z - kStep * direction, g, b, dy)) /
            (2 * kStep);
        const double scale = d_z.cast<double>().cwiseAbs().sum() + 1e-3;
        EXPECT_NEAR(d_z.cast<double>().cwiseProduct(direction).sum(), slope, 1e-4 * scale);
        const Eigen::VectorXd along = Draw(1, size, 7).row(0).cast<double>();
        const double of_gain = NormProjected(z, along, Eigen::VectorXd::Zero(along.size()), dy);
        EXPECT_NEAR(d_gain.row(0).cast<double>().dot(along), of_gain, 1e-4 * dy.cwiseAbs().sum() + 1e-5);
        EXPECT_NEAR(d_bias.row(0).cast<double>().dot(along), (dy * along).sum(), 1e-5 * dy.cwiseAbs().sum());
      });
    }
  }
}

TEST(Columns, SumsRows) {
  Arena arena;
  ThreadPool one(1), three(3);
  const Matrix x = Draw(700, 65, 1);
  Matrix sum = Matrix::Ones(1, 65), again = sum;
  AddColumnSums(View(x), sum.data(), arena, one);
  AddColumnSums(View(x), again.data(), arena, three);
  EXPECT_TRUE(SameBits(View(sum), View(again)));
  for (Eigen::Index c = 0; c < 65; ++c) {
    EXPECT_NEAR(sum(0, c), 1 + x.col(c).cast<double>().sum(), 700 * kUnit * x.col(c).cast<double>().cwiseAbs().sum());
  }
}

double SlopeOf(Activation activation, double x) {
  const double s = 1 / (1 + std::exp(-x)), t = std::tanh(x), c = std::sqrt(2 / std::numbers::pi);
  const double u = std::tanh(c * (x + 0.044715 * x * x * x));
  if (activation == Activation::kRelu) return x > 0 ? 1 : 0;
  if (activation == Activation::kSilu) return s * (1 + x * (1 - s));
  if (activation == Activation::kGeluSigmoid) {
    const double share = 1 / (1 + std::exp(-kGeluSteepness * x));
    return share * (1 + kGeluSteepness * x * (1 - share));
  }
  if (activation == Activation::kTanh) return 1 - t * t;
  if (activation == Activation::kGelu) {
    return std::erfc(-x / std::sqrt(2.0)) / 2 + x * std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
  }
  return (1 + u) / 2 + x / 2 * (1 - u * u) * c * (1 + 3 * 0.044715 * x * x);
}

TEST(ActivationBackward, IsTheDerivativeOnEveryTarget) {
  std::vector<float> at = {0, 1e-30f, -1e-30f, 1e-4f, -1e-4f, 9.9e-4f, -1.1e-3f, 90, -90, 1000, -1000};
  for (float x = -12; x < 12; x += 0.0371f) at.push_back(x);
  ThreadPool pool(2);
  for (const Activation activation : {Activation::kSilu, Activation::kGelu, Activation::kGeluTanh,
                                      Activation::kGeluSigmoid, Activation::kTanh, Activation::kRelu}) {
    ForEachTarget([&] {
      std::vector<float> g(at.size(), 2.0f);
      ActivationBackward(activation, at.data(), g.data(), g.size(), pool);
      for (size_t i = 0; i < at.size(); ++i) {
        const double slope = SlopeOf(activation, at[i]);
        EXPECT_NEAR(g[i], 2 * slope, 4e-6 * std::max(1.0, std::abs(slope)))
            << static_cast<int>(activation) << " at " << at[i];
      }
    });
  }
}

TEST(Adam, IsThePapersEquation) {
  ThreadPool pool(2);
  constexpr size_t kSize = 20001;
  const AdamStep step{.rate = 0.01f,
                      .beta1 = 0.9f,
                      .beta2 = 0.98f,
                      .epsilon = 1e-6f,
                      .decay = 0.1f,
                      .scale = 0.5f,
                      .unbias1 = 1 - std::pow(0.9, 3),
                      .unbias2 = 1 - std::pow(0.98, 3)};
  const Matrix g = Draw(1, kSize, 1), m0 = Draw(1, kSize, 2), w0 = Draw(1, kSize, 3);
  const Matrix v0 = Draw(1, kSize, 4).cwiseAbs();
  ForEachTarget([&] {
    Matrix m = m0, v = v0, w = w0;
    UpdateAdam(step, g.data(), m.data(), v.data(), w.data(), kSize, pool);
    for (size_t i = 0; i < kSize; ++i) {
      const double gi = 0.5 * g(0, i), mi = 0.9 * m0(0, i) + 0.1 * gi, vi = 0.98 * v0(0, i) + 0.02 * gi * gi;
      const double update = mi / step.unbias1 / (std::sqrt(vi / step.unbias2) + 1e-6);
      ASSERT_NEAR(m(0, i), mi, 1e-6);
      ASSERT_NEAR(v(0, i), vi, 1e-6);
      ASSERT_NEAR(w(0, i), w0(0, i) - 0.01 * (update + 0.1 * w0(0, i)), 1e-6 + 1e-7 * std::abs(update));
    }
    EXPECT_NEAR(SumOfSquares(g.data(), kSize, pool), g.cast<double>().squaredNorm(), 1e-6 * kSize);
  });
}

}  // namespace
}  // namespace qkv
