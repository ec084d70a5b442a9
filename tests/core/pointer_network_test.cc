// The pointer network: its gradient is that of its loss, and it learns to sort.
#include "core/models/pointer_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/random.h"
#include "core/base/tape.h"
#include "core/train/pointer_session.h"

namespace qkv {
namespace {

// Sets of numbers and the order that sorts them.
PointerBatch Numbers(Random& random, size_t sets, size_t least, size_t most) {
  PointerBatch batch;
  for (size_t s = 0; s < sets; ++s) {
    const size_t count = least + static_cast<size_t>(random.Uniform() * static_cast<float>(most - least + 1));
    std::vector<float> numbers(count);
    for (float& x : numbers) x = random.Uniform();
    std::vector<int32_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(),
              [&](int32_t a, int32_t b) { return numbers[static_cast<size_t>(a)] < numbers[static_cast<size_t>(b)]; });
    batch.Add(numbers, count, order);
  }
  return batch;
}

TEST(PointerNetwork, GradientFollowsTheLoss) {
  for (const bool repeats : {false, true}) {
    for (const CellKind cell : {CellKind::kGru, CellKind::kLstm}) {
      PointerTrainer learner({.d = 8, .cell = cell, .bidirectional = repeats, .repeats = repeats}, 5);
      Random random(9);
      const PointerBatch batch = Numbers(random, 3, 2, 5);
      learner.Gradient(batch);
      Random draws(4);
      std::vector<std::vector<float>> directions;
      double slope = 0;
      for (const LearntParameter& p : learner.parameters().all()) {
        std::vector<float>& d = directions.emplace_back(p.size);
        for (size_t i = 0; i < p.size; ++i) {
          if (p.gradient.data()[i] == 0) continue;                      // padding of a panel stays zero
          d[i] = std::copysign(draws.Uniform(), p.gradient.data()[i]);  // upwards: a slope near 0 would show nothing
          slope += static_cast<double>(d[i]) * p.gradient.data()[i];
        }
      }
      const auto loss_at = [&](float h) {
        for (size_t i = 0; i < directions.size(); ++i) {
          LearntParameter& p = learner.parameters().all()[i];
          for (size_t j = 0; j < p.size; ++j) p.value[j] += h * directions[i][j];
        }
        return learner.Loss(batch);
      };
      constexpr float kStep = 2e-3f;
      const double above = loss_at(kStep), below = loss_at(-2 * kStep);
      EXPECT_NEAR((above - below) / (2 * kStep), slope, 1e-2 * std::abs(slope));
    }
  }
}

// Vinyals et al. 2015 sort by pointing as well (their follow-up "Order matters", section 4).
TEST(PointerNetwork, SortsTenUnseenNumbers) {
  constexpr size_t kSets = 1000, kNumbers = 10;
  PointerTrainer learner({.d = 32}, 1);
  Random random(2);
  for (int step = 0; step < 3000; ++step) {
    learner.Learn(Numbers(random, 32, kNumbers, kNumbers), step < 1800 ? 5e-3f : 1e-3f);
  }
  Random unseen(3);
  size_t right = 0;
  for (size_t s = 0; s < kSets; ++s) {
    const PointerBatch set = Numbers(unseen, 1, kNumbers, kNumbers);
    right += learner.Point(set.View(), kNumbers) == set.choices ? 1 : 0;
  }
  EXPECT_GE(right, kSets * 95 / 100);
  RecordProperty("right", static_cast<int>(right));
}

}  // namespace
}  // namespace qkv
