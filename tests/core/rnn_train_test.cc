// Recurrent models through a whole training run: they learn, load, translate, score and are traced as folders.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/base/random.h"
#include "core/io/files.h"
#include "core/io/safetensors_writer.h"
#include "core/train/read_run_config.h"
#include "core/train/run.h"
#include "core/translate/folder.h"
#include "core/translate/replay.h"
#include "core/translate/translation.h"

namespace qkv {
namespace {

namespace fs = std::filesystem;

// Letters, each a piece of the small model's vocabulary, and their reverse.
std::pair<std::string, std::string> Mirrored(Random& random, size_t least, size_t most) {
  constexpr std::string_view kLetters = "abcdefghijklm";
  std::string text;
  const size_t count = least + static_cast<size_t>(random.Uniform() * static_cast<float>(most - least + 1));
  for (size_t i = 0; i < count; ++i) {
    // No letter twice in a row, so that no two letters become one piece.
    text += kLetters[static_cast<size_t>(random.Uniform() * static_cast<float>(kLetters.size()))];
  }
  return {text, {text.rbegin(), text.rend()}};
}

class RnnRun : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("qkv-rnn-" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    Random random(1);
    std::ofstream pairs(folder_ / "pairs.tsv"), dev(folder_ / "dev.tsv");
    for (int i = 0; i < 4000; ++i) {
      const auto [source, target] = Mirrored(random, 2, 6);
      (i < 3900 ? pairs : dev) << source << "\t" << target << "\n";
    }
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::unique_ptr<TranslationModel> Train(const std::string& preset, const std::string& model, int steps) const {
    const std::string text = R"({"out": ")" + preset + R"(", "vocabulary": ")" +
                             fs::absolute("tests/goldens/models/tiny-f32").string() +
                             R"(", "corpora": [{"path": "pairs.tsv"}], "dev": "dev.tsv", "preset": ")" + preset +
                             R"(", "steps": )" + std::to_string(steps) + R"(, "model": {)" + model + R"(},
           "batch": {"tokens": 400, "longest": 64}, "schedule": {"peak": 0.01, "warmup": 20},
           "measure": {"every": 100}, "checkpoint": {"every": 100000}})";
    const Result<RunConfig> config = ParseRunConfig(text, "run.json");
    EXPECT_TRUE(config) << config.error().ToString();
    const Result<RunEnd> end = qkv::Run(config.value(), text, folder_.string(), {});
    EXPECT_TRUE(end) << end.error().ToString();
    auto loaded = LoadFolder((folder_ / preset / "model").string());
    EXPECT_TRUE(loaded) << loaded.error().ToString();
    return std::move(*loaded);
  }

  fs::path folder_;
};

std::vector<Translation> Translate(const TranslationModel& model, const std::vector<std::string>& texts) {
  Arena arena;
  ThreadPool pool(1);
  Context ctx{.arena = arena, .pool = pool};
  TranslationJob job(model, texts, {.beam = 2, .copy = false});
  while (!job.Step(ctx)) {
  }
  return job.results();
}

Replay Traced(const TranslationModel& model, const std::string& source, std::optional<std::string> target) {
  Arena arena;
  ThreadPool pool(1);
  Context ctx{.arena = arena, .pool = pool};
  ReplayJob job(model, source, std::move(target), ReplayKind::kTrace, {.beam = 2, .copy = false});
  while (!job.Step(ctx)) {
  }
  return job.result();
}

// Of a hundred unseen words, how many are reversed correctly.
size_t Right(const TranslationModel& model, size_t least, size_t most) {
  Random random(77);
  std::vector<std::string> sources, targets;
  for (int i = 0; i < 100; ++i) {
    auto [source, target] = Mirrored(random, least, most);
    sources.push_back(std::move(source));
    targets.push_back(std::move(target));
  }
  const std::vector<Translation> results = Translate(model, sources);
  size_t right = 0;
  for (size_t i = 0; i < targets.size(); ++i) right += results[i].text == targets[i] ? 1 : 0;
  return right;
}

constexpr const char* kSmall = R"("d_model": 48, "d_embedding": 48, "encoder_layers": 1, "decoder_layers": 1,
                                  "dropout": 0)";

TEST_F(RnnRun, LuongTurnsWordsRound) {
  const auto model = Train("rnn-luong", std::string(kSmall) + R"(, "bidirectional": true, "window": "local-p",
                                           "half_width": 4, "input_feeding": true)",
                           800);
  EXPECT_GE(Right(*model, 3, 6), 90u);
  const Replay replay = Traced(*model, "abcde", std::nullopt);
  EXPECT_EQ(replay.target.text, "edcba");
  const size_t targets = replay.target.tokens.ids.size(), sources = replay.source.tokens.ids.size();
  EXPECT_EQ(replay.cross.layers, 1u);
  EXPECT_EQ(replay.cross.weights.size(), targets * sources);
  EXPECT_EQ(replay.alignment.weights, replay.cross.weights);
  EXPECT_TRUE(replay.encoder_self.weights.empty() && replay.decoder_self.weights.empty());
  ASSERT_EQ(replay.centres.size(), targets);
  for (const float centre : replay.centres) EXPECT_TRUE(centre > 0 && centre < static_cast<float>(sources));
  EXPECT_NEAR(replay.log_prob, Translate(*model, {"abcde"})[0].log_prob, 1e-4);
}

TEST_F(RnnRun, BahdanauTurnsWordsRound) {
  const auto model = Train("rnn-bahdanau", std::string(kSmall) + R"(, "output_context": true)", 300);
  EXPECT_GE(Right(*model, 3, 6), 90u);
  EXPECT_TRUE(Traced(*model, "abcde", "edcba").centres.empty());

  // The int8 model is nearly the same model.
  const fs::path floats = folder_ / "rnn-bahdanau/model", small = folder_ / "int8";
  fs::copy(floats, small);
  ASSERT_TRUE(WriteWholeFile((small / "model.safetensors").string(),
                             [&](const ByteSink& out) { WriteSafetensors(model->Slots(), FloatsAs::kInt8, out); }));
  auto int8 = LoadFolder(small.string());
  ASSERT_TRUE(int8) << int8.error().ToString();
  EXPECT_LT((*int8)->bytes(), model->bytes() / 2);
  EXPECT_GE(Right(**int8, 3, 6), 85u);
}

// The model knows a word only by one state, so short words are learnt sooner.
TEST_F(RnnRun, PlainTurnsShortWordsRound) {
  const auto model = Train("rnn-plain", std::string(kSmall) + R"(, "cell": "gru")", 800);
  EXPECT_GE(Right(*model, 2, 3), 60u);
  EXPECT_EQ(Translate(*model, {""})[0].text, "");
  const Replay replay = Traced(*model, "abc", std::nullopt);
  EXPECT_TRUE(replay.cross.weights.empty());
  EXPECT_EQ(replay.alignment.weights.size(), replay.target.tokens.ids.size() * replay.source.tokens.ids.size());
}

}  // namespace
}  // namespace qkv
