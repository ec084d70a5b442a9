// IBM model 1 against NumPy's results, and the properties that its equations imply.
#include "core/train/ibm_model1.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/train/learn_shortlist.h"
#include "tests/core/goldens.h"

namespace qkv {
namespace {

struct Corpus {
  SentencePairs pairs;
  size_t sources = 0, targets = 0;  // vocabularies

  Corpus() : golden(ReadGoldens("tests/goldens/model1.json")) {
    sources = golden.root()["source_vocabulary"].GetUint();
    targets = golden.root()["target_vocabulary"].GetUint();
    for (const Json& pair : golden.root()["pairs"].GetArray()) pairs.Add(Ids(pair[0]), Ids(pair[1]));
  }
  JsonObject golden;
};

Model1 Learn(const Corpus& corpus, size_t iterations, size_t threads = 1, Model1Options options = {}) {
  Model1 model(corpus.pairs, corpus.sources, corpus.targets, options);
  ThreadPool pool(threads);
  for (size_t i = 0; i < iterations; ++i) model.Iterate(pool);
  return model;
}

std::span<const Model1::Entry> RowOf(const Model1& model, int32_t source) {
  return source < 0 ? model.NullRow() : model.Row(source);
}

TEST(Model1, AgreesWithNumPy) {
  const Corpus corpus;
  for (const Json& table : corpus.golden.root()["tables"].GetArray()) {
    const Model1 model = Learn(corpus, table["iterations"].GetUint());
    size_t entries = 0;
    for (const Json& entry : table["entries"].GetArray()) {
      const int32_t source = entry[0].GetInt(), target = entry[1].GetInt();
      const auto row = RowOf(model, source);
      const auto at = std::find_if(row.begin(), row.end(), [&](const auto& e) { return e.target == target; });
      ASSERT_NE(at, row.end()) << source << " " << target;
      // Probabilities are rounded to float once an iteration, and so are their sums over at most ten words. Each
      // rounding is some 2^-23 of the value, and a quotient at most doubles the errors from one iteration to the next.
      const double expected = entry[2].GetDouble();
      EXPECT_NEAR(static_cast<double>(at->probability), expected, 1e-5 * expected) << source << " " << target;
      ++entries;
    }
    size_t ours = model.NullRow().size();
    for (size_t source = 0; source < corpus.sources; ++source) ours += model.Row(static_cast<int32_t>(source)).size();
    EXPECT_EQ(ours, entries);
  }
}

TEST(Model1, RowsAreDistributionsAndTheLikelihoodNeverFalls) {
  const Corpus corpus;
  ThreadPool pool(1);
  Model1 model(corpus.pairs, corpus.sources, corpus.targets);
  EXPECT_TRUE(model.NullRow().empty());
  double before = -INFINITY;
  for (int i = 0; i < 10; ++i) {
    model.Iterate(pool);
    EXPECT_GT(model.log_likelihood(), before);
    before = model.log_likelihood();
    for (int32_t source = -1; source < static_cast<int32_t>(corpus.sources); ++source) {
      double sum = 0;
      for (const Model1::Entry& entry : RowOf(model, source)) sum += static_cast<double>(entry.probability);
      if (!RowOf(model, source).empty()) EXPECT_NEAR(sum, 1, 1e-6) << source;
    }
  }
  // A uniform t gives each place the probability 1 / vocabulary, whatever the sentence.
  Model1 fresh(corpus.pairs, corpus.sources, corpus.targets);
  fresh.Iterate(pool);
  const auto places = static_cast<double>(corpus.pairs.target_words());
  EXPECT_NEAR(fresh.log_likelihood(), -places * std::log(static_cast<double>(corpus.targets)), 1e-4 * places);
}

TEST(Model1, ThreadsChangeNoBit) {
  const Corpus corpus;
  const Model1 one = Learn(corpus, 4), three = Learn(corpus, 4, 3);
  for (int32_t source = -1; source < static_cast<int32_t>(corpus.sources); ++source) {
    const auto a = RowOf(one, source), b = RowOf(three, source);
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].target, b[i].target);
      EXPECT_EQ(a[i].probability, b[i].probability);
    }
  }
}

TEST(Model1, KeepsTheLikeliestEntries) {
  const Corpus corpus;
  const Model1 all = Learn(corpus, 1), few = Learn(corpus, 1, 1, {.least = 0.05f, .most = 3});
  for (int32_t source = -1; source < static_cast<int32_t>(corpus.sources); ++source) {
    std::vector<Model1::Entry> expected(RowOf(all, source).begin(), RowOf(all, source).end());
    std::erase_if(expected, [](const auto& entry) { return entry.probability < 0.05f; });
    std::sort(expected.begin(), expected.end(), Model1::Likelier);
    expected.resize(std::min<size_t>(expected.size(), 3));
    const auto row = RowOf(few, source);
    ASSERT_EQ(row.size(), expected.size());
    EXPECT_TRUE(
        std::is_sorted(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.target < b.target; }));
    std::vector<Model1::Entry> sorted(row.begin(), row.end());
    std::sort(sorted.begin(), sorted.end(), Model1::Likelier);
    for (size_t i = 0; i < sorted.size(); ++i) EXPECT_EQ(sorted[i].target, expected[i].target);
  }
}

TEST(Model1, LearnsFromNothing) {
  const SentencePairs none;
  ThreadPool pool(2);
  Model1 model(none, 3, 4);
  model.Iterate(pool);
  EXPECT_TRUE(model.Row(2).empty());
  EXPECT_EQ(model.Probability(0, 0), 0);
  EXPECT_EQ(model.log_likelihood(), 0);
}

constexpr int32_t kEnd = 23;

ShortlistContent Lists(const Corpus& corpus, const Model1& model, const ShortlistSize& size) {
  return LearnShortlist(model, corpus.pairs, corpus.sources, corpus.targets, kEnd, size);
}

TEST(LearnShortlist, ListsFrequentPiecesOnceAndEachRowsBest) {
  const Corpus corpus;
  const Model1 model = Learn(corpus, 5);
  const ShortlistContent content = Lists(corpus, model, {.first = 4, .best = 3});
  ASSERT_EQ(content.lists.size(), corpus.sources);
  EXPECT_EQ(content.first, 0u);
  std::vector<size_t> counts(corpus.targets);
  for (size_t pair = 0; pair < corpus.pairs.size(); ++pair) {
    for (const int32_t piece : corpus.pairs.Target(pair)) ++counts[static_cast<size_t>(piece)];
  }
  const std::vector<int32_t>& frequent = content.lists[kEnd];
  ASSERT_EQ(frequent.size(), 5u);  // and </s>, which no target contains
  EXPECT_EQ(frequent.back(), kEnd);
  size_t rarest = SIZE_MAX;
  for (size_t i = 0; i < 4; ++i) rarest = std::min(rarest, counts[static_cast<size_t>(frequent[i])]);
  for (size_t piece = 0; piece < counts.size(); ++piece) {
    if (counts[piece] > rarest) {
      EXPECT_TRUE(std::binary_search(frequent.begin(), frequent.end(), static_cast<int32_t>(piece)));
    }
  }
  for (int32_t row = 0; row < kEnd; ++row) {
    const std::vector<int32_t>& list = content.lists[static_cast<size_t>(row)];
    EXPECT_TRUE(std::is_sorted(list.begin(), list.end()));
    float least = 1;
    for (const int32_t piece : list) {
      EXPECT_FALSE(std::binary_search(frequent.begin(), frequent.end(), piece));
      least = std::min(least, model.Probability(row, piece));
    }
    size_t others = 0;
    for (const Model1::Entry& entry : model.Row(row)) {
      if (std::binary_search(frequent.begin(), frequent.end(), entry.target)) continue;
      ++others;
      if (entry.probability > least) {
        EXPECT_TRUE(std::binary_search(list.begin(), list.end(), entry.target));
      }
    }
    EXPECT_EQ(list.size(), std::min<size_t>(others, 3));
  }
}

TEST(LearnShortlist, LeavesOutTheUnlikely) {
  const Corpus corpus;
  const Model1 model = Learn(corpus, 5);
  const ShortlistContent content = Lists(corpus, model, {.first = 0, .best = 100, .least = 0.1f});
  EXPECT_EQ(content.lists[kEnd], std::vector<int32_t>{kEnd});
  for (int32_t row = 0; row < kEnd; ++row) {
    size_t likely = 0;
    for (const Model1::Entry& entry : model.Row(row)) {
      likely += entry.probability >= 0.1f && entry.target != kEnd ? 1 : 0;
    }
    EXPECT_EQ(content.lists[static_cast<size_t>(row)].size(), likely);
  }
}

}  // namespace
}  // namespace qkv
