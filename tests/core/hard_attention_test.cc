// Hard attention in training: rewards, a place learnt by them alone, and what a model with it reads.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "core/base/random.h"
#include "core/models/rnn_config.h"
#include "core/train/rewards.h"
#include "core/train/session.h"
#include "core/translate/replay.h"

namespace qkv {
namespace {

TEST(Rewards, AreLogProbabilitiesAboveThoseOfTheOtherRows) {
  Matrix logits(3, 2);
  logits << 0, std::log(3.0f), std::log(3.0f), 0, 0, 0;
  Tape::Choices choices;
  SetRewards(View(logits), std::vector<int32_t>{1, 1, 0}, 0.5f, choices);
  const double rewards[] = {std::log(0.75), std::log(0.25), std::log(0.5)};
  for (size_t i = 0; i < 3; ++i) {
    const double others = (rewards[0] + rewards[1] + rewards[2] - rewards[i]) / 2;
    EXPECT_NEAR(choices.likelihood[i], -0.5 * (rewards[i] - others), 1e-6) << i;
  }
  EXPECT_LT(choices.entropy, 0);
  // A single row has no others: its baseline is 0.
  SetRewards({logits.data(), 1, 2}, std::vector<int32_t>{1}, 1, choices);
  ASSERT_EQ(choices.likelihood.size(), 1u);
  EXPECT_NEAR(choices.likelihood[0], -rewards[0], 1e-6);
}

std::string Mirrored(int count) {
  Random random(5);
  std::string lines;
  for (int i = 0; i < count; ++i) {
    std::string word;
    for (uint32_t letters = 2 + random.Next() % 5; letters > 0; --letters) {
      word += static_cast<char>('a' + random.Next() % 5);
    }
    lines += word + "\t" + std::string(word.rbegin(), word.rend()) + "\n";
  }
  return lines;
}

std::unique_ptr<Session> Learner(const std::string& selection) {
  const std::string config = R"({"preset": "rnn-luong", "seed": 2,
      "model": {"d_model": 32, "d_embedding": 32, "encoder_layers": 1, "decoder_layers": 1, "dropout": 0,
                "bidirectional": true, "scale_embedding": false, "max_position_embeddings": 32, "selection": ")" +
                             selection + R"("},
      "batch": {"tokens": 400, "longest": 16, "joined": [1]}, "optimiser": {"smoothing": 0},
      "schedule": {"kind": "constant", "peak": 0.01, "warmup": 20}})";
  SessionData data;
  data.pairs = Mirrored(2000);
  auto session = Session::Create(config, std::move(data), 1);
  EXPECT_TRUE(session) << session.error().ToString();
  return std::move(*session);
}

Replay TraceOf(const TranslationModel& model, const std::string& source) {
  Arena arena;
  ThreadPool pool(1);
  Context ctx{.arena = arena, .pool = pool};
  const std::string target(source.rbegin(), source.rend());
  ReplayJob job(model, source, target, ReplayKind::kTrace, {.beam = 1, .copy = false});
  while (!job.Step(ctx)) {
  }
  return job.result();
}

// How many of the letters of reversed words are read where they are, or beside it: states know their neighbours too.
double Found(const TranslationModel& model) {
  double found = 0, letters = 0;
  for (const std::string source : {"abcde", "ecbdab", "bdaec", "cabdbe"}) {
    const Replay replay = TraceOf(model, source);
    for (size_t row = 0; row < source.size(); ++row, ++letters) {
      const float* weights = replay.cross.Row(0, 0, row);
      for (size_t key = 0; key < replay.cross.sources; ++key) EXPECT_TRUE(weights[key] == 0 || weights[key] == 1);
      const float* place = weights + source.size() - 1 - row;
      found += static_cast<double>(place[0] + place[1]);
    }
  }
  return found / letters;
}

TEST(HardAttention, LearnsWhereToLookFromRewardsAlone) {
  const auto session = Learner("hard");
  EXPECT_LT(Found(session->model()), 0.6);
  for (int i = 0; i < 500; ++i) ASSERT_TRUE(session->Step());
  EXPECT_GT(Found(session->model()), 0.9);
}

TEST(HardAttention, RepeatsBitForBitAndGoesOnFromACheckpoint) {
  const auto whole = Learner("hard"), first = Learner("hard"), second = Learner("hard");
  for (int i = 0; i < 12; ++i) ASSERT_TRUE(whole->Step());
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(first->Step());
  const Session::Saved saved = first->Save();
  const auto* bytes = reinterpret_cast<const uint8_t*>(saved.tensors.data());
  ASSERT_TRUE(second->Load(saved.place, {bytes, saved.tensors.size()}));
  for (int i = 0; i < 7; ++i) ASSERT_TRUE(second->Step());
  EXPECT_TRUE(whole->Save().tensors == second->Save().tensors);
}

TEST(HardAttention, IsRefusedWhereAChoiceHasNoRewardOfItsOwn) {
  const std::string sizes = R"("vocab_size": 9, "d_model": 4, "encoder_layers": 1, "decoder_layers": 1,
      "max_position_embeddings": 16, "pad_token_id": 8, "eos_token_id": 0, "decoder_start_token_id": 8,
      "selection": "hard", )";
  const auto parsed = [&](const char* more) { return ParseRnnConfig("{" + sizes + more + "}"); };
  const auto fine = parsed(R"("variant": "luong")");
  ASSERT_TRUE(fine) << fine.error().ToString();
  EXPECT_TRUE(fine.value().hard);
  for (const char* more : {R"("variant": "luong", "window": "local-p")", R"("variant": "luong", "input_feeding": true)",
                           R"("variant": "bahdanau")", R"("variant": "plain")"}) {
    const auto refused = parsed(more);
    ASSERT_FALSE(refused) << more;
    EXPECT_NE(refused.error().ToString().find("selection"), std::string::npos) << refused.error().ToString();
  }
}

}  // namespace
}  // namespace qkv
