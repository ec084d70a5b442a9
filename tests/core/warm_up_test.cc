// The work that prepares an engine's code for translations: it ends, for every kind of Transformer, and leaves nothing
// in memory.
#include "core/translate/warm_up.h"

#include <gtest/gtest.h>

#include <tuple>

namespace qkv {
namespace {

class WarmUpOf : public testing::TestWithParam<std::tuple<Past, Numbers, bool>> {};

TEST_P(WarmUpOf, Ends) {
  const auto [past, numbers, other] = GetParam();
  TransformerConfig config;
  config.past = past;
  config.pre_norm = config.norm_embedding = config.norm_last = config.trained_positions = other;
  config.shared_embeddings = config.tied_output = !other;
  Arena arena;
  ThreadPool pool(1);
  Context ctx{arena, pool};
  WarmUp warm_up(config, numbers);
  size_t steps = 1;
  for (; !warm_up.Step(ctx) && steps < 100; ++steps) ASSERT_EQ(arena.Here().used, 0U);
  EXPECT_GT(steps, 1U);
  EXPECT_LT(steps, 100U);
  EXPECT_LT(arena.capacity(), WarmUp::kMemory / 4);
}

INSTANTIATE_TEST_SUITE_P(Kinds, WarmUpOf,
                         testing::Combine(testing::Values(Past::kSelfAttention, Past::kSsru),
                                          testing::Values(Numbers::kFloat, Numbers::kInt8), testing::Bool()));

}  // namespace
}  // namespace qkv
