#include "core/kernels/largest.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "tests/core/kernel_testing.h"

namespace qkv {
namespace {

std::vector<int32_t> Sorted(const std::vector<float>& row, size_t count) {
  std::vector<int32_t> order;
  for (size_t i = 0; i < row.size(); ++i) {
    if (row[i] > -std::numeric_limits<float>::infinity()) order.push_back(static_cast<int32_t>(i));
  }
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    return std::pair(-row[static_cast<size_t>(a)], a) < std::pair(-row[static_cast<size_t>(b)], b);
  });
  order.resize(std::min(count, order.size()));
  return order;
}

TEST(Largest, IsWhatSortingGives) {
  Random random(1);
  const float kNan = std::numeric_limits<float>::quiet_NaN(), kInfinity = std::numeric_limits<float>::infinity();
  for (const size_t size : {0, 1, 5, 31, 64, 65, 127, 1000}) {
    for (const size_t count : {0, 1, 2, 8, 40}) {
      for (int turn = 0; turn < 4; ++turn) {
        std::vector<float> row(size);
        for (float& x : row) x = std::floor(20 * random.Uniform());  // many ties
        if (turn == 1) std::sort(row.begin(), row.end());
        if (turn == 2 && size > 4) row[2] = kNan, row[size - 1] = kNan, row[1] = -kInfinity, row[3] = kInfinity;
        if (turn == 3) std::fill(row.begin(), row.end(), -kInfinity);
        ForEachTarget([&] {
          std::vector<RowEntry> found(count);
          found.resize(Largest(row.data(), size, count, found.data()));
          std::vector<int32_t> ids;
          for (const RowEntry& entry : found) {
            ids.push_back(entry.index);
            EXPECT_EQ(entry.value, row[static_cast<size_t>(entry.index)]);
          }
          EXPECT_EQ(ids, Sorted(row, count)) << size << ", " << count << ", " << turn;
        });
      }
    }
  }
}

TEST(Largest, PartsOfARowGiveWhatTheWholeGives) {
  Random random(2);
  std::vector<float> row(1000);
  for (float& x : row) x = std::floor(50 * random.Uniform());
  for (const size_t count : {0, 1, 8, 600}) {
    for (const size_t part : {1, 7, 64, 333}) {
      ForEachTarget([&] {
        std::vector<RowEntry> found(count);
        size_t written = 0;
        for (size_t first = 0; first < row.size(); first += part) {
          const size_t size = std::min(part, row.size() - first);
          written = LargestWithPart(row.data() + first, size, first, count, found.data(), written);
        }
        std::vector<int32_t> ids;
        for (size_t i = 0; i < written; ++i) ids.push_back(found[i].index);
        EXPECT_EQ(ids, Sorted(row, count)) << count << ", " << part;
      });
    }
  }
}

}  // namespace
}  // namespace qkv
