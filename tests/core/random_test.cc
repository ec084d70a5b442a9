#include "core/base/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace qkv {
namespace {

using Block = std::array<uint32_t, 4>;

// The known answers of Philox 4x32-10 that its authors publish with Random123.
TEST(Random, AgreesWithItsAuthorsKnownAnswers) {
  EXPECT_EQ(Random(0, 0).Block(0), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Random(~uint64_t{0}, ~uint64_t{0}).Block(~uint64_t{0}),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Random(0x299f31d0a4093822, 0x0370734413198a2e).Block(0x85a308d3243f6a88),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, ResumesWhereItStood) {
  Random whole(7, 3), half(7, 3);
  for (int i = 0; i < 10; ++i) whole.Next();
  half.Seek(whole.position());
  for (int i = 0; i < 10; ++i) EXPECT_EQ(half.Next(), whole.Next());
}

TEST(Random, UniformStaysBelowOneAndHasItsMean) {
  Random random(1);
  double sum = 0;
  constexpr int kDraws = 100000;
  for (int i = 0; i < kDraws; ++i) {
    const float x = random.Uniform();
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 1);
    sum += x;
  }
  EXPECT_NEAR(sum / kDraws, 0.5, 4 / std::sqrt(12.0 * kDraws));  // four standard errors
}

}  // namespace
}  // namespace qkv
