// Heads ranked by the links of IBM model 1, on a language that translates word k by word k + 10 and reverses the order.
#include "core/train/rank_heads.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/random.h"

namespace qkv {
namespace {

using Head = HeadRanking::Head;

SentencePairs Reversed(bool turned) {
  SentencePairs pairs;
  Random random(3);
  for (int i = 0; i < 400; ++i) {
    std::vector<int32_t> source, target;
    while (source.size() < 4) {
      const auto word = static_cast<int32_t>(random.Next() % 10);
      if (std::find(source.begin(), source.end(), word) == source.end()) source.push_back(word);
    }
    for (const int32_t word : source) target.insert(target.begin(), word + 10);
    turned ? pairs.Add(target, source) : pairs.Add(source, target);
  }
  return pairs;
}

Model1 Learn(const SentencePairs& pairs) {
  Model1 model(pairs, 20, 20);
  ThreadPool pool(1);
  for (int i = 0; i < 8; ++i) model.Iterate(pool);
  return model;
}

// One layer of three heads. One attends to the place that the word was translated from, one to the place beside it, one
// to the first word.
AttentionMap Map(size_t length) {
  AttentionMap map{1, 3, length, length, std::vector<float>(3 * length * length), 0, {}, {}, {}};
  for (size_t j = 0; j < length; ++j) {
    map.weights[(0 * length + j) * length + length - 1 - j] = 1;
    map.weights[(1 * length + j) * length + (2 * length - j) % length] = 1;
    map.weights[(2 * length + j) * length] = 1;
  }
  return map;
}

TEST(RankHeads, FindsTheHeadThatFollowsTheLinks) {
  const SentencePairs pairs = Reversed(false), turned = Reversed(true);
  const Model1 onward = Learn(pairs), back = Learn(turned);
  HeadRanking ranking;
  for (size_t i = 0; i < 50; ++i) {
    const PieceLinks links = LinkPieces(pairs.Source(i), pairs.Target(i), onward, back);
    EXPECT_EQ(links.source_of, (std::vector<int32_t>{3, 2, 1, 0}));
    ranking.Add(Map(4), links);
  }
  EXPECT_EQ(ranking.links(), 200u);
  EXPECT_EQ(ranking.Heads(), (std::vector<Head>{{0, 0}, {0, 1}, {0, 2}}));
  const Head first = {0, 0}, second = {0, 1}, third = {0, 2};
  EXPECT_EQ(ranking.Agreement({&first, 1}), 1);
  EXPECT_EQ(ranking.Agreement({&second, 1}), 0);
  EXPECT_EQ(ranking.Agreement({&third, 1}), 0.25);
  EXPECT_EQ(ranking.Choose(4), std::vector<Head>{first});
}

// A word that the pairs do not contain has no link. Without any link no head is chosen.
TEST(RankHeads, SaysNothingWhereNothingIsLinked) {
  const SentencePairs pairs = Reversed(false), turned = Reversed(true);
  const Model1 onward = Learn(pairs), back = Learn(turned);
  const std::vector<int32_t> source = {15, 16}, target = {3, 4};
  const PieceLinks links = LinkPieces(source, target, onward, back);
  EXPECT_EQ(links.source_of, (std::vector<int32_t>{-1, -1}));
  HeadRanking ranking;
  EXPECT_TRUE(ranking.Choose(4).empty());
  ranking.Add(Map(2), links);
  EXPECT_EQ(ranking.links(), 0u);
  EXPECT_TRUE(ranking.Choose(4).empty());
}

}  // namespace
}  // namespace qkv
