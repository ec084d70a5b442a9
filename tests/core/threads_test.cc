#include "core/base/threads.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "core/base/arena.h"

namespace qkv {
namespace {

TEST(ThreadPool, CoversEveryIndexOnceWhateverTheGrain) {
  for (const size_t threads : {1, 2, 3, 5}) {
    ThreadPool pool(threads);
    for (const size_t count : {0, 1, 2, 7, 64, 100}) {
      for (const size_t grain : {1, 3, 16, 1000}) {
        std::vector<std::atomic<int>> seen(count);
        pool.For(count, grain, [&](size_t begin, size_t end) {
          EXPECT_EQ(begin % grain, 0u);
          for (size_t i = begin; i < end; ++i) ++seen[i];
        });
        for (size_t i = 0; i < count; ++i) EXPECT_EQ(seen[i], 1) << threads << " " << count << " " << grain;
      }
    }
  }
}

// Jobs that end before a worker wakes up, one after the other: a late thread must take parts of the current job only.
TEST(ThreadPool, KeepsShortJobsApart) {
  ThreadPool pool(3);
  std::vector<int> seen(64);
  for (size_t job = 0; job < 20000; ++job) {
    const size_t count = 1 + job % seen.size(), grain = 1 + job % 3;
    std::fill(seen.begin(), seen.end(), 0);
    pool.For(count, grain, [&](size_t begin, size_t end) {
      for (size_t i = begin; i < end; ++i) ++seen[i];
    });
    for (size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i], i < count ? 1 : 0) << job;
  }
}

// Callers that give each thread its own buffer rely on this: as many chunks as threads make as many parts.
TEST(ThreadPool, MakesNoPartsBeyondTheChunks) {
  ThreadPool pool(4);
  const size_t count = 37, grain = (count + pool.size() - 1) / pool.size();
  std::vector<std::atomic<int>> blocks(pool.size());
  pool.For(count, grain, [&](size_t begin, size_t) { ++blocks.at(begin / grain); });
  for (const std::atomic<int>& block : blocks) EXPECT_EQ(block, 1);
}

TEST(Arena, ReturnsDistinctAlignedBlocksAndReusesThem) {
  Arena arena;
  const Arena::Mark start = arena.Here();
  std::vector<std::pair<float*, size_t>> blocks;
  for (const size_t count : {1, 17, 100000, 3, 500000, 0, 1}) {
    float* block = arena.Floats(count);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(block) % kCacheLine, 0u);
    std::fill_n(block, count, static_cast<float>(blocks.size()));
    blocks.emplace_back(block, count);
  }
  for (size_t i = 0; i < blocks.size(); ++i) {
    for (size_t j = 0; j < blocks[i].second; ++j) ASSERT_EQ(blocks[i].first[j], static_cast<float>(i));
  }
  const size_t capacity = arena.capacity();
  for (int round = 0; round < 10; ++round) {
    arena.Rewind(start);
    for (const auto& [block, count] : blocks) EXPECT_EQ(arena.Floats(count), block);
  }
  EXPECT_EQ(arena.capacity(), capacity);
}

}  // namespace
}  // namespace qkv
