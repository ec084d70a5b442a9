// Trains a pointer network to find the convex hull of points in the unit square, and measures it as Vinyals et al. 2015
// (section 4.1) do. One line of JSON for each number of points.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include "core/base/random.h"
#include "core/train/pointer_trainer.h"
#include "tests/claims/polygon.h"

namespace qkv {
namespace {

// A set of points as the network reads it: columns x, y and 0, and last a row (0, 0, 1), which ends the hull.
struct PointSet {
  Polygon points;
  std::vector<float> rows;
  std::vector<int32_t> hull, walk;

  PointSet(Random& random, size_t count) {
    for (size_t i = 0; i < count; ++i) {
      const float x = random.Uniform(), y = random.Uniform();
      points.push_back({x, y});
      rows.insert(rows.end(), {x, y, 0});
    }
    rows.insert(rows.end(), {0, 0, 1});
    hull = walk = Hull(points);
    walk.push_back(static_cast<int32_t>(count));
  }
};

struct Found {
  size_t right = 0, simple = 0;
  double area = 0;
};

// Of `sets` unseen sets of `count` points: the correct polygons, those that do not cross themselves, and the sum of
// their shares of the hull's area.
Found Measure(PointerTrainer& learner, size_t count, size_t sets) {
  Random random(/*seed=*/7, /*stream=*/count);
  Found found;
  for (size_t s = 0; s < sets; ++s) {
    const PointSet set(random, count);
    PointerBatch one;
    one.Add(set.rows, count + 1, set.walk);
    std::vector<int32_t> walk = learner.Point(one.View(), count + 1, static_cast<int32_t>(count));
    if (!walk.empty() && walk.back() == static_cast<int32_t>(count)) walk.pop_back();
    Polygon polygon, hull;
    for (const int32_t i : walk) polygon.push_back(set.points[static_cast<size_t>(i)]);
    for (const int32_t i : set.hull) hull.push_back(set.points[static_cast<size_t>(i)]);
    if (IsSimple(polygon)) {
      ++found.simple;
      found.area += Area(polygon) / Area(hull);
    }
    if (!walk.empty()) std::rotate(walk.begin(), std::min_element(walk.begin(), walk.end()), walk.end());
    found.right += walk == set.hull ? 1 : 0;
  }
  return found;
}

constexpr size_t kWidth = 64, kBatch = 32, kLeast = 5, kMost = 15, kSets = 1000, kSteps = 90000;

// Adam's learning rate: warm-up, then a cosine down to a hundredth.
float Rate(size_t step) {
  const double warm = std::min(1.0, static_cast<double>(step + 1) / 200);
  const double share = static_cast<double>(step) / static_cast<double>(kSteps);
  return static_cast<float>(5e-3 * warm * (0.01 + 0.99 * (1 + std::cos(std::numbers::pi * share)) / 2));
}

void Run() {
  PointerTrainer learner({.inputs = 3, .d = kWidth}, /*seed=*/1);
  Random random(/*seed=*/2);
  double loss = 0;
  for (size_t step = 0; step < kSteps; ++step) {
    PointerBatch batch;
    for (size_t s = 0; s < kBatch; ++s) {
      const size_t count = kLeast + static_cast<size_t>(random.Uniform() * static_cast<float>(kMost - kLeast + 1));
      const PointSet set(random, count);
      batch.Add(set.rows, count + 1, set.walk);
    }
    loss += learner.Learn(batch, Rate(step)).loss;
    if ((step + 1) % 1000 == 0) {
      std::fprintf(stderr, "step %zu of %zu, %.4f nats a choice\n", step + 1, kSteps, loss / 1000);
      loss = 0;
    }
  }
  for (const size_t count : {5, 10, 15, 20, 30, 50}) {
    const Found found = Measure(learner, count, kSets);
    const auto all = static_cast<double>(kSets);
    std::printf(R"({"points": %zu, "sets": %zu, "accuracy": %.4f, "area": %.4f, "notSimple": %.4f})"
                "\n",
                count, kSets, static_cast<double>(found.right) / all, found.area / static_cast<double>(found.simple),
                1 - static_cast<double>(found.simple) / all);
  }
}

}  // namespace
}  // namespace qkv

int main() {
  qkv::Run();
  return 0;
}
