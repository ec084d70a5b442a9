#include "core/layers/positions.h"

#include <gtest/gtest.h>

#include <cmath>

namespace qkv {
namespace {

constexpr PairLayout kLayouts[] = {PairLayout::kHalves, PairLayout::kInterleaved};

TEST(Positions, SinusoidsAreThePapersEquation) {
  const Matrix table = SinusoidalPositions(50, 6, PairLayout::kInterleaved, 3);
  for (int p = 0; p < 50; ++p) {
    for (int j = 0; j < 3; ++j) {
      const double angle = (p + 3) / std::pow(10000, 2 * j / 6.0);
      EXPECT_NEAR(table(p, 2 * j), std::sin(angle), 1e-7);
      EXPECT_NEAR(table(p, 2 * j + 1), std::cos(angle), 1e-7);
    }
  }
}

TEST(Positions, TheTwoLayoutsHoldTheSameColumns) {
  for (const size_t d : {1, 2, 7, 8}) {
    const Matrix halves = SinusoidalPositions(9, d), interleaved = SinusoidalPositions(9, d, PairLayout::kInterleaved);
    for (size_t j = 0; j < d; ++j) {
      const size_t column = j % 2 == 0 ? j / 2 : (d + 1) / 2 + j / 2;
      EXPECT_EQ(interleaved.col(static_cast<Eigen::Index>(j)), halves.col(static_cast<Eigen::Index>(column)));
    }
  }
}

// p(i + delta) = R(delta) p(i), for every i.
TEST(Positions, AStepIsARotationThatDoesNotDependOnThePlace) {
  for (const PairLayout layout : kLayouts) {
    const Matrix table = SinusoidalPositions(200, 10, layout);
    for (const int delta : {1, 5, 60}) {
      const Matrix rotation = SinusoidRotation(delta, 10, layout);
      for (int i = 0; i + delta < 200; ++i) {
        const Vector moved = rotation * table.row(i).transpose();
        EXPECT_LT((moved - table.row(i + delta).transpose()).cwiseAbs().maxCoeff(), 1e-6) << i << " + " << delta;
      }
    }
  }
}

TEST(Positions, RotaryProductsDependOnTheDistanceAlone) {
  const Matrix q = Matrix::Random(1, 8), k = Matrix::Random(1, 8);
  for (const PairLayout layout : kLayouts) {
    const auto product = [&](size_t i, size_t j) {
      Matrix a = q, b = k;
      RotaryPositions(Dense<const float>(q.data(), 1, 1, 8), i, Dense(a.data(), 1, 1, 8), layout);
      RotaryPositions(Dense<const float>(k.data(), 1, 1, 8), j, Dense(b.data(), 1, 1, 8), layout);
      return a.row(0).dot(b.row(0));
    };
    EXPECT_NEAR(product(0, 0), q.row(0).dot(k.row(0)), 1e-6);
    EXPECT_NEAR(product(7, 3), product(104, 100), 1e-5);
    EXPECT_GT(std::abs(product(7, 3) - product(7, 4)), 1e-4);
  }
}

TEST(Positions, RotaryMayWriteWhereItReads) {
  const Matrix x = Matrix::Random(2 * 5, 6);
  Matrix there(10, 6), here = x;
  RotaryPositions(Dense<const float>(x.data(), 2, 5, 6), 4, Dense(there.data(), 2, 5, 6));
  RotaryPositions(Dense<const float>(here.data(), 2, 5, 6), 4, Dense(here.data(), 2, 5, 6));
  EXPECT_EQ(there, here);
  EXPECT_NEAR(there.norm(), x.norm(), 1e-5);
}

TEST(Positions, LearnedOnesAreAdded) {
  const Matrix x = Matrix::Random(3, 4), table = Matrix::Random(10, 4);
  Matrix y(3, 4);
  LearnedPositions(View(x), View(table), 6, {y.data(), 3, 4});
  EXPECT_EQ(y, x + table.middleRows(6, 3));
}

}  // namespace
}  // namespace qkv
