// The language detector: what it reads of a text, the gradient of its pooling, and that it learns.
#include "core/detect/language_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/random.h"
#include "core/base/tape.h"
#include "core/train/initialise.h"
#include "core/train/language_examples.h"
#include "core/train/learn_grams.h"
#include "core/train/loss_pass.h"
#include "core/train/parameters.h"
#include "core/train/trainer.h"

namespace qkv {
namespace {

std::string Spelt(std::string_view text) {
  std::string spelt;
  for (const Letter& letter : ReadLetters(text)) {
    spelt += letter.code_point == kEdge ? "_" : letter.code_point < 128 ? std::string(1, char(letter.code_point)) : "?";
  }
  return spelt;
}

TEST(LanguageLetters, AreThoseOfWordsInLowerCase) {
  EXPECT_EQ(Spelt("It's 3 o'clock!"), "_it_s_o_clock_");
  EXPECT_EQ(Spelt(" 12 \xF0\x9F\x98\x80 ..."), "");
  EXPECT_EQ(Spelt("\xC4\xB0"), "_i?_");  // a letter whose lower case is two code points
  EXPECT_EQ(Spelt("a\xFF\xC3 b"), "_a_b_");
  EXPECT_EQ(Spelt(std::string("a\0b", 3)), "_a_b_");
  EXPECT_EQ(ReadLetters(std::string(10000, 'a')).size(), kMostLetters + 2);
}

TEST(GramList, FindsWhatItListsAndNamesABadLine) {
  const auto list = GramList::Parse("a\n a\nab \nU+0400\n");
  ASSERT_TRUE(list);
  std::vector<int32_t> rows;
  for (const GramRow& each : GramRowsOf(list.value(), ReadLetters("ab \xD0\xB1"))) rows.push_back(each.row);
  EXPECT_EQ(rows, (std::vector<int32_t>{kNoGram, 2, 1, 3, 4}));
  for (const char* bad : {"a\n\n", "a\na\n", "abcdefghi\n", "U+xyz\n"}) {
    const auto refused = GramList::Parse(bad);
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().code, ErrorCode::kInvalidFile);
  }
}

constexpr const char* kConfig =
    R"({"model_type": "qkv-language", "columns": 6, "heads": 3, "languages": ["x", "y", "z"]})";
constexpr const char* kGrams = "a\nb\nc\nab\nbc\n a\nU+0400\n";

TEST(LanguageModel, RefusesAConfigOfAnotherKind) {
  for (const char* config : {"{}", R"({"model_type": "bert"})", R"({"model_type": "qkv-language", "columns": 0})",
                             R"({"model_type": "qkv-language", "columns": 2, "heads": 1, "languages": []})"}) {
    EXPECT_FALSE(LanguageModel::Create({{"config.json", config}, {"ngrams.txt", "a\n"}})) << config;
  }
}

class Pooled : public TrainableModel {
 public:
  explicit Pooled(const LanguageModel& model) : model_(model) {}
  MatrixView Forward(Context& ctx, const Batch& batch) const override {
    return model_.Pool(ctx, batch.source, batch.source_segments);
  }
  MatrixView Logits(Context& ctx, ConstMatrixView rows) const override { return model_.Logits(ctx, rows); }

 private:
  const LanguageModel& model_;
};

// Every weight's gradient against the loss's central difference.
TEST(LanguageModel, GradientsAreTheLossesDifferences) {
  auto made = LanguageModel::Create({{"config.json", kConfig}, {"ngrams.txt", kGrams}});
  ASSERT_TRUE(made);
  LanguageModel& model = **made;
  WeightSlots slots = model.Slots();
  ReserveFloats(slots);
  Parameters parameters(slots);
  Initialise(parameters, 3);
  Batch batch;
  batch.AddLabelled(std::vector<int32_t>{0, 1, 4, 2, 5, 3}, 0);
  batch.AddLabelled(std::vector<int32_t>{0}, 1);
  batch.AddLabelled(std::vector<int32_t>{0, 7, 7, 1}, 2);
  Arena arena;
  ThreadPool pool(1);
  Tape tape;
  parameters.Watch(tape);
  const Pooled trainable(model);
  parameters.ClearGradients();
  Context recording{.arena = arena, .pool = pool, .tape = &tape};
  LossPass(recording, trainable, batch, 0, 1);
  Context ctx{.arena = arena, .pool = pool};
  const auto loss = [&] { return LossPass(ctx, trainable, batch, 0, 0).smoothed; };
  size_t compared = 0;
  for (LearntParameter& p : parameters.all()) {
    for (size_t i = 0; i < p.size; ++i) {
      constexpr float kStep = 1e-2f;
      const float before = p.value[i];
      p.value[i] = before + kStep;
      const double above = loss();
      p.value[i] = before - kStep;
      const double below = loss();
      p.value[i] = before;
      const double difference = (above - below) / (2.0 * kStep);
      if (difference == 0 && p.gradient.data()[i] == 0) continue;  // padding of a panel
      EXPECT_NEAR(p.gradient.data()[i], difference, 2e-3) << p.name << " " << i;
      ++compared;
    }
  }
  EXPECT_GT(compared, 100u);
}

constexpr const char* kTexts[][2] = {
    {"the cat is on the mat and the dog is in the house", "en"},
    {"where is the station and what is the time", "en"},
    {"der Hund ist im Haus und die Katze ist auf der Matte", "de"},
    {"wo ist der Bahnhof und wie viel Uhr ist es", "de"},
};

TEST(LanguageExamples, ArePartsOfATextAndTheWholeWithoutAGenerator) {
  const auto grams = GramList::Parse("t\nh\ne\n");
  ASSERT_TRUE(grams);
  const LanguageExamples examples(grams.value(), {"de", "en"});
  Example example;
  const auto make = [&](std::string_view text, std::string_view language, Random* random) {
    return examples.Make(text, language, random, 1000, TooLong::kCut, &example);
  };
  ASSERT_TRUE(*make("the hut", "en", nullptr));
  EXPECT_EQ(example.source, (std::vector<int32_t>{0, 1, 2, 3, 2, 1}));
  EXPECT_EQ(example.target, std::vector<int32_t>{1});
  EXPECT_FALSE(*make("1 2 3", "en", nullptr));
  EXPECT_FALSE(make("the", "fr", nullptr));
  Random random(1);
  std::string text;
  for (int i = 0; i < 100; ++i) text += "the ";
  size_t least = 1000, most = 0;
  for (int i = 0; i < 500; ++i) {
    ASSERT_TRUE(*make(text, "en", &random));
    least = std::min(least, example.source.size());
    most = std::max(most, example.source.size());
  }
  EXPECT_LE(least, 6u);  // of 5 characters and row 0
  EXPECT_GE(most, 60u);
  EXPECT_LE(most, 76u);  // of 100
}

TEST(LanguageModel, LearnsToTellTwoLanguagesApart) {
  GramLearner learner;
  for (int i = 0; i < 4; ++i) {
    for (const auto& [text, language] : kTexts) learner.Add(language, text);
  }
  EXPECT_EQ(learner.languages(), 2u);
  const std::string grams = learner.Choose(60);
  EXPECT_LE(std::count(grams.begin(), grams.end(), '\n'), 60);
  auto made = LanguageModel::Create(
      {{"config.json", R"({"model_type": "qkv-language", "columns": 8, "heads": 2, "languages": ["de", "en"]})"},
       {"ngrams.txt", grams}});
  ASSERT_TRUE(made) << made.error().ToString();
  LanguageModel& model = **made;
  WeightSlots slots = model.Slots();
  ReserveFloats(slots);
  Parameters parameters(slots, /*gradients=*/false);
  Initialise(parameters, 1);
  const LanguageExamples examples(model.grams(), model.config().languages);
  TrainerOptions options;
  options.schedule = {.kind = ScheduleKind::kConstant, .peak = 0.02, .warmup = 1, .steps = 60};
  const Pooled trainable(model);
  Trainer trainer(trainable, model.Slots(), Trainer::kNoStart, options, 1);
  Random random(1);
  for (int step = 0; step < 60; ++step) {
    std::vector<Batch> batches(1);
    for (const auto& [text, language] : kTexts) {
      Example example;
      const auto any = examples.Make(text, language, &random, 1000, TooLong::kCut, &example);
      ASSERT_TRUE(any);
      if (any.value()) examples.Add(example.source, example.target, &batches[0]);
    }
    ASSERT_TRUE(trainer.Step(batches).finite);
  }
  Arena arena;
  ThreadPool pool(1);
  Context ctx{.arena = arena, .pool = pool};
  const auto first = [&](std::string_view text) {
    const std::vector<LanguageGuess> guesses = DetectLanguage(model, ctx, text);
    return guesses.empty() ? "und" : model.config().languages[guesses[0].language];
  };
  EXPECT_EQ(first("what is in the house"), "en");
  EXPECT_EQ(first("der Hund ist auf der Matte"), "de");
  EXPECT_EQ(first("123"), "und");
}

}  // namespace
}  // namespace qkv
