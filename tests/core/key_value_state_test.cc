#include "core/models/key_value_state.h"

#include <gtest/gtest.h>

#include "core/base/random.h"

namespace qkv {
namespace {

constexpr size_t kDim = 3, kLayers = 2;

// The content of a state in the simplest form: for each hypothesis the number stored at each position.
using Story = std::vector<std::vector<float>>;

void AppendBoth(KeyValueState& state, Story& story, size_t count, float& next) {
  state.Append(count);
  const size_t hypotheses = story.size();
  for (size_t h = 0; h < hypotheses; ++h) {
    for (size_t i = 0; i < count; ++i) {
      for (size_t layer = 0; layer < kLayers; ++layer) {
        const float value = next + 0.25f * static_cast<float>(layer);
        state.NewKeys(layer).row(static_cast<Eigen::Index>(h * count + i)).setConstant(value);
        state.NewValues(layer).row(static_cast<Eigen::Index>(h * count + i)).setConstant(-value);
      }
      story[h].push_back(next++);
    }
  }
}

void ExpectEqual(const KeyValueState& state, const Story& story) {
  ASSERT_EQ(state.hypotheses(), story.size());
  for (size_t h = 0; h < story.size(); ++h) {
    ASSERT_EQ(state.length(), story[h].size());
    for (size_t i = 0; i < story[h].size(); ++i) {
      for (size_t layer = 0; layer < kLayers; ++layer) {
        const float value = story[h][i] + 0.25f * static_cast<float>(layer);
        const size_t row = static_cast<size_t>(state.path(h)[i]) * kDim;
        ASSERT_EQ(state.keys(layer)[row + kDim - 1], value);
        ASSERT_EQ(state.values(layer)[row], -value);
      }
    }
  }
}

TEST(KeyValueState, KeepsEachHypothesissPathThroughSplitsAndEnds) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    KeyValueState state(kLayers, kDim, 3);
    Story story(3);
    float next = 0;
    for (int step = 0; step < 120; ++step) {
      AppendBoth(state, story, 1 + random.Next() % 2, next);
      std::vector<int32_t> order(1 + random.Next() % 6);
      Story gathered;
      for (int32_t& from : order) {
        from = static_cast<int32_t>(random.Next() % story.size());
        gathered.push_back(story[static_cast<size_t>(from)]);
      }
      state.Gather(order);
      story = std::move(gathered);
      ExpectEqual(state, story);
      // Sometimes positions are taken back, at times all of them.
      if (random.Next() % 4 != 0) continue;
      const size_t back = std::min<size_t>(random.Next() % 8, state.length());
      state.TakeBack(back);
      for (std::vector<float>& one : story) one.resize(one.size() - back);
      ExpectEqual(state, story);
    }
  }
}

// What is taken back leaves no row behind, so a text with drafts needs no more memory than one without.
TEST(KeyValueState, GivesBackTheRowsOfWhatIsTakenBack) {
  KeyValueState state(kLayers, kDim, 1);
  state.Append(1);
  const uint64_t growth = state.Growth(1, 60);
  for (int step = 0; step < 200; ++step) {
    state.Append(9);
    state.TakeBack(9);
    ASSERT_EQ(state.Growth(1, 60), growth) << step;
  }
}

}  // namespace
}  // namespace qkv
