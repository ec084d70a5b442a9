// What training reads: every example once an epoch, corpora in proportion, repeatable from any place.
#include "core/train/batches.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/train/pair_examples.h"

namespace qkv {
namespace {

constexpr int32_t kStart = 300, kEnd = 299;

// One row for each byte. With a generator a row sometimes holds two bytes, as another segmentation would.
class ByteRows : public TextRows {
 public:
  void Append(std::string_view text, Side, Random* random, std::vector<int32_t>* rows) const override {
    for (const char c : text) {
      rows->push_back(static_cast<unsigned char>(c));
      if (sampled && random != nullptr && random->Uniform() < 0.1f) rows->push_back(256);
    }
  }
  int32_t start() const override { return kStart; }
  int32_t end() const override { return kEnd; }
  bool sampled = false;
};

std::string Numbered(const std::string& name, int count, int longest = 20) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const std::string filler(static_cast<size_t>(i * 7919 % longest), 'x');
    text += name + std::to_string(i) + filler + "\t" + filler + name + std::to_string(i) + "!\n";
  }
  return text;
}

struct Texts {
  std::string text;
  CorpusOptions options = {};
};

Result<BatchStream> Open(const std::vector<Texts>& texts, const Examples& examples, const BatchOptions& options) {
  std::vector<std::unique_ptr<Corpus>> corpora;
  for (const Texts& each : texts) {
    auto corpus = Corpus::Open(TextInMemory(each.text, "text"), nullptr, each.options);
    if (!corpus) return corpus.error();
    corpora.push_back(std::move(*corpus));
  }
  return BatchStream::Open(std::move(corpora), examples, options);
}

BatchStream OpenOrDie(const std::vector<Texts>& texts, const Examples& examples, const BatchOptions& options) {
  auto stream = Open(texts, examples, options);
  EXPECT_TRUE(stream) << stream.error().ToString();
  return std::move(*stream);
}

Batch Next(BatchStream& stream) {
  Batch batch;
  const auto next = stream.Next(&batch);
  EXPECT_TRUE(next) << next.error().ToString();
  return batch;
}

std::string TextOf(const std::vector<int32_t>& rows, size_t begin, size_t end) {
  std::string text;
  for (size_t i = begin; i < end; ++i) text += rows[i] < 256 ? static_cast<char>(rows[i]) : '#';
  return text;
}

// "source=target" of every example, after a check that the rows are as Batch documents them.
std::vector<std::string> ExamplesOf(const Batch& batch) {
  std::vector<std::string> examples;
  EXPECT_EQ(batch.source_segments.size(), batch.target_segments.size());
  EXPECT_EQ(batch.source.size(), batch.source_segments.rows());
  EXPECT_EQ(batch.target_in.size(), batch.target_segments.rows());
  EXPECT_EQ(batch.target_out.size(), batch.target_segments.rows());
  for (size_t i = 0; i < batch.size(); ++i) {
    const size_t begin = batch.target_segments.begin(i), end = batch.target_segments.end(i);
    EXPECT_EQ(batch.source[batch.source_segments.end(i) - 1], kEnd);
    EXPECT_EQ(batch.target_out[end - 1], kEnd);
    EXPECT_EQ(batch.target_in[begin], kStart);
    for (size_t row = begin; row + 1 < end; ++row) EXPECT_EQ(batch.target_in[row + 1], batch.target_out[row]);
    examples.push_back(TextOf(batch.source, batch.source_segments.begin(i), batch.source_segments.end(i) - 1) + "=" +
                       TextOf(batch.target_out, begin, end - 1));
  }
  return examples;
}

TEST(Batches, EveryPairOnceAnEpochInAnotherOrder) {
  const ByteRows rows;
  const PairExamples examples(rows);
  const std::string text = Numbered("s", 1000);
  BatchStream stream = OpenOrDie({{text}}, examples, {.tokens = 500, .joined = {1}, .pool_pairs = 100});
  EXPECT_EQ(stream.epoch_pairs(), 1000U);
  std::vector<std::string> epochs[2];
  for (auto& epoch : epochs) {
    while (epoch.size() < 1000) {
      const Batch batch = Next(stream);
      EXPECT_LE(batch.tokens(), 500U);
      for (std::string& example : ExamplesOf(batch)) epoch.push_back(std::move(example));
    }
    EXPECT_EQ(epoch.size(), 1000U);
    EXPECT_EQ(std::set<std::string>(epoch.begin(), epoch.end()).size(), 1000U);
  }
  EXPECT_DOUBLE_EQ(stream.epochs(), 2);
  EXPECT_NE(epochs[0], epochs[1]);
  for (const std::string& example : epochs[0]) {
    const std::string source = example.substr(0, example.find('='));
    const std::string number = source.substr(1, source.find('x') - 1);
    EXPECT_TRUE(example.ends_with("s" + number + "!")) << example;  // both sides of a pair stay together
  }
}

TEST(Batches, AreFullAndOfLikeLengths) {
  const ByteRows rows;
  const PairExamples examples(rows);
  BatchStream stream = OpenOrDie({{Numbered("s", 4000, 60)}}, examples, {.tokens = 2000, .joined = {1}});
  size_t tokens = 0, batches = 0;
  for (; stream.epochs() < 0.999; ++batches) {
    const Batch batch = Next(stream);
    tokens += batch.tokens();
    size_t shortest = SIZE_MAX, longest = 0;
    for (size_t i = 0; i < batch.size(); ++i) {
      shortest = std::min(shortest, batch.source_segments.length(i));
      longest = std::max(longest, batch.source_segments.length(i));
    }
    EXPECT_LE(longest - shortest, 6U);
    EXPECT_GT(batch.tokens(), 1700U);
  }
  EXPECT_GT(static_cast<double>(tokens) / static_cast<double>(batches), 1900);
}

TEST(Batches, CorporaComeInProportion) {
  const ByteRows rows;
  const PairExamples examples(rows);
  BatchStream stream = OpenOrDie(
      {{Numbered("a", 300), {.weight = 2}}, {Numbered("b", 1000), {.weight = 0.5}}, {Numbered("c", 50), {.weight = 0}}},
      examples, {.tokens = 300, .joined = {1}, .window_bytes = 2000, .pool_pairs = 32});
  EXPECT_EQ(stream.epoch_pairs(), 1100U);
  std::map<std::string, int> seen;
  std::map<char, int> of;
  for (int taken = 0; taken < 2200;) {
    for (const std::string& example : ExamplesOf(Next(stream))) {
      ++seen[example];
      ++of[example[0]];
      ++taken;
    }
  }
  EXPECT_EQ(of['a'], 1200);
  EXPECT_EQ(of['b'], 1000);
  EXPECT_EQ(of['c'], 0);
  for (const auto& [example, times] : seen) EXPECT_EQ(times, example[0] == 'a' ? 4 : 1) << example;
}

TEST(Batches, JoinsAsOftenAsAsked) {
  const ByteRows rows;
  const PairExamples examples(rows);
  BatchStream stream = OpenOrDie({{Numbered("s", 20000, 1)}}, examples, {.joined = {6, 3, 1}});
  std::map<size_t, int> counts;
  int count = 0;
  std::set<std::string> sources;
  while (stream.epochs() < 0.999) {
    for (const std::string& example : ExamplesOf(Next(stream))) {
      const size_t middle = example.find('=');
      std::string source = example.substr(0, middle) + " ", target = example.substr(middle + 1) + " ";
      size_t joined = 0;
      for (; !source.empty(); ++joined) {  // the sentences of both sides in the same order
        const std::string first = source.substr(0, source.find(' '));
        EXPECT_EQ(target.substr(0, target.find(' ')), first + "!");
        EXPECT_TRUE(sources.insert(first).second);
        source.erase(0, source.find(' ') + 1);
        target.erase(0, target.find(' ') + 1);
      }
      ++counts[joined];
      ++count;
    }
  }
  EXPECT_EQ(sources.size(), 20000U);
  EXPECT_NEAR(counts[1] / static_cast<double>(count), 0.6, 0.02);
  EXPECT_NEAR(counts[2] / static_cast<double>(count), 0.3, 0.02);
  EXPECT_NEAR(counts[3] / static_cast<double>(count), 0.1, 0.02);
}

TEST(Batches, WhatWouldBeTooLongIsNotJoinedAndWhatIsTooLongIsLeftOut) {
  const ByteRows rows;
  const PairExamples examples(rows);
  const std::string text = "aaaa\tb\n" + std::string(12, 'c') + "\td\ne\t" + std::string(10, 'f') + "\n";
  BatchStream stream = OpenOrDie({{text}}, examples, {.longest = 11, .joined = {0, 1}});
  std::multiset<std::string> seen;
  for (int i = 0; i < 40; ++i) {
    for (std::string& example : ExamplesOf(Next(stream))) seen.insert(std::move(example));
  }
  EXPECT_EQ(std::set<std::string>(seen.begin(), seen.end()), (std::set<std::string>{"aaaa=b", "e=ffffffffff"}));
  EXPECT_GE(stream.left_out(), 39U);
}

// From every place of two and a half epochs, in memory and from a file, a new stream continues as the old one did.
TEST(Batches, ContinueFromAnyPlace) {
  ByteRows rows;
  const PairExamples examples(rows);
  rows.sampled = true;
  const std::vector<Texts> texts = {{Numbered("a", 200), {.weight = 1.5, .held_out = 0.1}},
                                    {Numbered("b", 130), {.weight = 0.7}}};
  const BatchOptions options = {.seed = 7, .tokens = 300, .joined = {2, 1, 1}, .window_bytes = 3000, .pool_pairs = 40};
  BatchStream stream = OpenOrDie(texts, examples, options);
  std::vector<BatchState> states;
  std::vector<std::vector<std::string>> batches;
  while (stream.epochs() < 2.5) {
    states.push_back(stream.State());
    batches.push_back(ExamplesOf(Next(stream)));
  }
  ASSERT_GT(batches.size(), 60U);
  BatchStream other = OpenOrDie(texts, examples, options);
  for (size_t i = 0; i < batches.size(); i += 3) {
    const size_t from = i * 37 % batches.size();
    ASSERT_TRUE(other.Seek(states[from]));
    for (size_t at = from; at < std::min(from + 12, batches.size()); ++at) {
      EXPECT_EQ(ExamplesOf(Next(other)), batches[at]) << "from " << from << " at " << at;
    }
  }
}

TEST(Batches, DependOnTheSeed) {
  const ByteRows rows;
  const PairExamples examples(rows);
  const auto first = [&](uint64_t seed) {
    BatchStream stream = OpenOrDie({{Numbered("s", 500)}}, examples, {.seed = seed, .tokens = 400});
    return ExamplesOf(Next(stream));
  };
  EXPECT_EQ(first(1), first(1));
  EXPECT_NE(first(1), first(2));
}

TEST(Batches, AStateOfOtherDataIsRefused) {
  const ByteRows rows;
  const PairExamples examples(rows);
  BatchStream stream = OpenOrDie({{Numbered("s", 50)}}, examples, {});
  Next(stream);
  const BatchState state = stream.State();
  BatchStream other_data = OpenOrDie({{Numbered("s", 51)}}, examples, {});
  EXPECT_FALSE(other_data.Seek(state));
  BatchStream other_weight = OpenOrDie({{Numbered("s", 50)}, {Numbered("t", 5)}}, examples, {});
  EXPECT_FALSE(other_weight.Seek(state));
  BatchStream other_options = OpenOrDie({{Numbered("s", 50)}}, examples, {.tokens = 100});
  EXPECT_FALSE(other_options.Seek(state));
  // Cursors that no stream can have.
  for (uint64_t BatchState::* field : {&BatchState::used, &BatchState::taken}) {
    BatchState bad = state;
    bad.*field = uint64_t{1} << 60;
    EXPECT_FALSE(stream.Seek(bad));
  }
  ASSERT_TRUE(stream.Seek(state));  // and the stream goes on
  Next(stream);
}

TEST(Batches, OptionsAreChecked) {
  const ByteRows rows;
  const PairExamples examples(rows);
  const auto refused = [&](const BatchOptions& options) { return !Open({{"a\tb\n"}}, examples, options); };
  EXPECT_FALSE(refused({}));
  EXPECT_TRUE(refused({.tokens = 0}));
  EXPECT_TRUE(refused({.longest = 1}));
  EXPECT_TRUE(refused({.joined = {}}));
  EXPECT_TRUE(refused({.joined = {0, 0}}));
  EXPECT_TRUE(refused({.joined = {1, -1}}));
  EXPECT_TRUE(refused({.joined = {std::numeric_limits<double>::infinity()}}));
  EXPECT_TRUE(refused({.pool_pairs = 0}));
  EXPECT_FALSE(Open({}, examples, {}));
  EXPECT_FALSE(Open({{"\n"}}, examples, {}));
  EXPECT_FALSE(Open({{"a\tb\n", {.weight = 0}}}, examples, {}));
}

TEST(Batches, NothingButTooLongPairsIsAnError) {
  const ByteRows rows;
  const PairExamples examples(rows);
  BatchStream stream = OpenOrDie({{"aaaaaaaaaaaa\tb\n"}}, examples, {.longest = 5});
  Batch batch;
  const auto next = stream.Next(&batch);
  ASSERT_FALSE(next);
  EXPECT_NE(next.error().message.find("more than 5 rows"), std::string::npos) << next.error().message;
}

TEST(Batches, ForMeasuringAreTheSameEachTime) {
  ByteRows rows;
  const PairExamples examples(rows);
  rows.sampled = true;
  std::vector<TextPair> pairs;
  for (int i = 0; i < 300; ++i) pairs.push_back({"source" + std::to_string(i), "t" + std::string(i % 50, 'y')});
  const std::vector<Batch> batches = *BatchesOf(pairs, examples, 400, 30);
  std::multiset<std::string> seen;
  for (const Batch& batch : batches) {
    EXPECT_LE(batch.tokens(), 400U);
    for (std::string& example : ExamplesOf(batch)) seen.insert(std::move(example));
  }
  ASSERT_EQ(seen.size(), 300U);
  EXPECT_EQ(seen.count("source49=t" + std::string(28, 'y')), 1U);  // cut to 29 rows and </s>
  EXPECT_TRUE(BatchesOf({}, examples, 400, 30)->empty());
}

}  // namespace
}  // namespace qkv
