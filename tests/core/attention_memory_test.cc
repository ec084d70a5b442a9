// The bound on memory holds: an arena of that size does not grow.
#include "core/attention/memory.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/attention/attend.h"

namespace qkv {
namespace {

constexpr size_t kHidden = 70;

struct Lengths {
  size_t queries, keys, query_dim, key_dim, value_dim;
};

// The parameters of a score, all with the same value.
std::vector<Parameter> ParametersOf(const Score& score, const Lengths& of, const std::vector<float>& ones) {
  const auto size = [&](ParameterSize kind) -> size_t {
    if (kind == ParameterSize::kQueryDim) return of.query_dim;
    if (kind == ParameterSize::kKeyDim) return of.key_dim;
    if (kind == ParameterSize::kBothDims) return of.query_dim + of.key_dim;
    if (kind == ParameterSize::kHidden) return kHidden;
    if (kind == ParameterSize::kValueDim) return of.value_dim;
    if (kind == ParameterSize::kOdd) return 7;
    return kind == ParameterSize::kOne || kind == ParameterSize::kOneOrTwo ? 1 : of.keys;
  };
  std::vector<Parameter> parameters;
  for (const ParameterSpec& spec : score.parameters) {
    parameters.push_back({spec.name, Dense(ones.data(), 1, size(spec.rows), size(spec.columns))});
  }
  return parameters;
}

TEST(AttentionMemory, IsEnoughForEveryScore) {
  Lengths lengths[] = {{1, 1, 1, 1, 1}, {5, 4000, 3, 3, 2}, {200, 17, 90, 40, 130}, {3, 0, 4, 4, 4}};
  for (const Score* score : Scores()) {
    for (Lengths of : lengths) {
      if (score->same_dims) of.key_dim = of.query_dim;
      const std::vector<float> ones(1'000'000, 1.0f);
      std::vector<float> output(2 * of.queries * of.value_dim);
      Attention attention;
      attention.score = score;
      const std::vector<Parameter> parameters = ParametersOf(*score, of, ones);
      attention.parameters = parameters;
      attention.mask_used = true;
      const AttentionInputs in = {Dense(ones.data(), 2, of.queries, of.query_dim),
                                  Dense(ones.data(), 2, of.keys, of.key_dim),
                                  Dense(ones.data(), 2, of.keys, of.value_dim)};
      ASSERT_TRUE(CheckAttention(attention, in)) << score->name;
      Arena arena;
      ThreadPool pool(1);
      Context ctx{arena, pool};
      arena.Floats(AttendMemory(attention, in) / sizeof(float));
      arena.Rewind({});
      const size_t before = arena.capacity();
      Attend(ctx, attention, in, Dense(output.data(), 2, of.queries, of.value_dim));
      EXPECT_EQ(arena.capacity(), before) << score->name << ", " << of.keys << " keys";
    }
  }
}

}  // namespace
}  // namespace qkv
