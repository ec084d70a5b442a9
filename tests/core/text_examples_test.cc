// Training examples of encoder-only and decoder-only models.
#include "core/train/text_examples.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/random.h"
#include "tests/core/goldens.h"

namespace qkv {
namespace {

constexpr size_t kLongest = 64;

class TextExamples : public testing::Test {
 protected:
  static Tokenizer Read(const std::string& name) {
    auto tokenizer = Tokenizer::Parse(ReadBytes("tests/goldens/tokenizers/" + name + ".json"));
    EXPECT_TRUE(tokenizer) << tokenizer.error().ToString();
    return std::move(*tokenizer);
  }
  std::vector<std::string> Texts(const std::vector<int32_t>& ids) const {
    std::vector<std::string> texts;
    for (const int32_t id : ids) texts.emplace_back(id == Batch::kNoLabel ? "-" : bert_.Text(id));
    return texts;
  }
  bool Make(const Examples& examples, const std::string& source, const std::string& target, size_t longest = kLongest,
            TooLong too_long = TooLong::kLeaveOut, Random* random = nullptr) {
    const Result<bool> made = examples.Make(source, target, random, longest, too_long, &example_);
    EXPECT_TRUE(made) << made.error().ToString();
    return made && made.value();
  }

  const Tokenizer bert_ = Read("bert-uncased");
  const int32_t mask_ = bert_.Id("[MASK]");
  Example example_;
};

TEST_F(TextExamples, FifteenInAHundredPiecesAreAskedAndMostOfThemHidden) {
  const MaskedExamples examples(bert_, mask_);
  Random random(1);
  const std::string text = "the cat is on the chair and the dog is in the kitchen with the man and the woman";
  const std::vector<int32_t> whole = bert_.Encode(text, std::nullopt, kLongest).ids;
  double pieces = 0, asked = 0, masked = 0, same = 0;
  for (int round = 0; round < 4000; ++round) {
    ASSERT_TRUE(Make(examples, text, "", kLongest, TooLong::kLeaveOut, &random));
    ASSERT_EQ(example_.source.size(), whole.size());
    EXPECT_EQ(example_.target.front(), Batch::kNoLabel);  // [CLS]
    EXPECT_EQ(example_.target.back(), Batch::kNoLabel);   // [SEP]
    for (size_t i = 0; i < whole.size(); ++i) {
      if (example_.target[i] == Batch::kNoLabel) {
        EXPECT_EQ(example_.source[i], whole[i]);
        continue;
      }
      EXPECT_EQ(example_.target[i], whole[i]);
      ++asked;
      masked += example_.source[i] == mask_ ? 1 : 0;
      same += example_.source[i] == whole[i] ? 1 : 0;
    }
    pieces += static_cast<double>(whole.size() - 2);
  }
  EXPECT_NEAR(asked / pieces, 0.15, 0.01);
  EXPECT_NEAR(masked / asked, 0.8, 0.02);
  EXPECT_NEAR(same / asked, 0.1, 0.02);
}

TEST_F(TextExamples, WithoutAGeneratorTheSamePiecesAreHiddenAndAlwaysOneAtLeast) {
  const MaskedExamples examples(bert_, mask_);
  ASSERT_TRUE(Make(examples, "cat", ""));
  const Example first = example_;
  EXPECT_GE(std::count_if(first.target.begin(), first.target.end(), [](int32_t id) { return id >= 0; }), 1);
  ASSERT_TRUE(Make(examples, "cat", ""));
  EXPECT_EQ(example_.source, first.source);
  EXPECT_FALSE(Make(examples, " ", ""));
}

TEST_F(TextExamples, WhatIsTooLongIsLeftOutOrCut) {
  const MaskedExamples examples(bert_, mask_);
  const std::string text = "the cat is on the chair";
  EXPECT_FALSE(Make(examples, text, "", 5));
  ASSERT_TRUE(Make(examples, text, "", 5, TooLong::kCut));
  EXPECT_EQ(example_.source.size(), 5u);
  EXPECT_EQ(bert_.Text(example_.source.back()), "[SEP]");
}

TEST_F(TextExamples, ALabelIsAskedOfTheFirstPiece) {
  const ClassificationExamples examples(bert_, {"calm", "glad"});
  ASSERT_TRUE(Make(examples, "the cat", "glad"));
  EXPECT_EQ(example_.target, (std::vector<int32_t>{1, -1, -1, -1}));
  const Result<bool> unknown = examples.Make("the cat", "cross", nullptr, kLongest, TooLong::kLeaveOut, &example_);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(unknown.error().ToString().find("cross"), std::string::npos);
}

TEST_F(TextExamples, ATagIsAskedOfEachWordsFirstPiece) {
  const TaggingExamples examples(bert_, {"A", "B"});
  const std::string text = "the catx  chair.";
  ASSERT_TRUE(Make(examples, text, "A B A"));
  const Encoding read = bert_.Encode(text, std::nullopt, kLongest);
  std::vector<std::pair<size_t, int32_t>> asked;
  for (size_t i = 0; i < read.size(); ++i) {
    if (example_.target[i] != Batch::kNoLabel) asked.emplace_back(read.begin[i], example_.target[i]);
  }
  EXPECT_EQ(asked, (std::vector<std::pair<size_t, int32_t>>{{0, 0}, {4, 1}, {10, 0}}));
  EXPECT_FALSE(examples.Make(text, "A B", nullptr, kLongest, TooLong::kLeaveOut, &example_));
}

TEST_F(TextExamples, ATextToContinueEndsAndBeginsWithOnePiece) {
  const Tokenizer gpt2 = Read("gpt2");
  const int32_t end = gpt2.Id("<|endoftext|>");
  const LanguageModelExamples examples(gpt2, end);
  ASSERT_TRUE(Make(examples, "the cat", ""));
  EXPECT_TRUE(example_.source.empty());
  Batch batch;
  examples.Add(example_.source, example_.target, &batch);
  ASSERT_GE(batch.target_out.size(), 2u);
  EXPECT_EQ(batch.target_in.front(), end);
  EXPECT_EQ(batch.target_out.back(), end);
  EXPECT_TRUE(std::equal(batch.target_in.begin() + 1, batch.target_in.end(), batch.target_out.begin()));
  EXPECT_EQ(gpt2.Decode({batch.target_out.data(), batch.target_out.size() - 1}), "the cat");
}

}  // namespace
}  // namespace qkv
