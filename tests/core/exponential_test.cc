#include "core/base/exponential.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace qkv {
namespace {

// The C library's result is within one unit in the last place.
TEST(Exponential, IsNearTheLibrarys) {
  std::mt19937_64 random(1);
  for (const double bound : {1e-8, 0.5, 10.0, 700.0}) {
    std::uniform_real_distribution<double> draw(-bound, bound);
    for (int i = 0; i < 100000; ++i) {
      const double x = draw(random), expected = std::exp(x);
      ASSERT_NEAR(Exponential(x), expected, 3 * std::numeric_limits<double>::epsilon() * expected) << x;
    }
  }
}

TEST(Exponential, HasAnAnswerForEveryNumber) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Exponential(0), 1);
  EXPECT_EQ(Exponential(-infinity), 0);
  EXPECT_EQ(Exponential(-800), 0);
  EXPECT_EQ(Exponential(infinity), infinity);
  EXPECT_EQ(Exponential(710), infinity);
  EXPECT_GT(Exponential(-708), 0);
  EXPECT_LT(Exponential(709), infinity);
  EXPECT_TRUE(std::isnan(Exponential(std::nan(""))));
}

}  // namespace
}  // namespace qkv
