// What tests/claims/hull.cc measures convex hulls with.
#include "tests/claims/polygon.h"

#include <gtest/gtest.h>

namespace qkv {
namespace {

const Polygon kSquare = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};

TEST(Polygon, HullGoesCounterClockwiseFromThePointThatComesFirst) {
  // The square's corners in another order, with one point inside and one on a side.
  EXPECT_EQ(Hull({{0.5, 0.5}, {1, 1}, {0, 0}, {0.5, 0}, {0, 1}, {1, 0}}), (std::vector<int32_t>{1, 4, 2, 5}));
  EXPECT_EQ(Hull({{0, 0}, {0.1, 1}, {1, 0.2}}), (std::vector<int32_t>{0, 2, 1}));
}

TEST(Polygon, AreaIsThatOfEitherDirection) {
  EXPECT_DOUBLE_EQ(Area(kSquare), 1);
  EXPECT_DOUBLE_EQ(Area({kSquare.rbegin(), kSquare.rend()}), 1);
  EXPECT_DOUBLE_EQ(Area({{0, 0}, {1, 0}, {0, 1}}), 0.5);
}

TEST(Polygon, IsSimpleUnlessSidesMeet) {
  EXPECT_TRUE(IsSimple(kSquare));
  EXPECT_FALSE(IsSimple({{0, 0}, {1, 1}, {1, 0}, {0, 1}}));  // a polygon that crosses itself
  EXPECT_TRUE(IsSimple({{0, 0}, {1, 0}, {0.2, 0.2}, {0, 1}}));
  EXPECT_FALSE(IsSimple({{0, 0}, {1, 0}}));
  EXPECT_FALSE(IsSimple({}));
}

}  // namespace
}  // namespace qkv
