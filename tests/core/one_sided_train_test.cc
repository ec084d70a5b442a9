// Whole training runs of encoder-only models and of a decoder-only model: they learn, load, and are used.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "core/encode/encode_job.h"
#include "core/encode/predictions.h"
#include "core/generate/generate_job.h"
#include "core/io/files.h"
#include "core/load/folder.h"
#include "core/train/read_run_config.h"
#include "core/train/run.h"

namespace qkv {
namespace {

namespace fs = std::filesystem;

class OneSidedRun : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("qkv-one-sided-" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    // Sentences that say who is where. The place follows from the person, and so does a label.
    constexpr const char* kWho[] = {"cat", "baby", "bus", "letter"};
    constexpr const char* kWhere[] = {"kitchen", "bed", "beach", "room"};
    std::ofstream texts(folder_ / "texts.txt"), labels(folder_ / "labels.tsv"), tags(folder_ / "tags.tsv");
    for (int i = 0; i < 400; ++i) {
      const int who = i * 7 % 4;
      const std::string text = std::string(i % 3 == 0 ? "the " : "our ") + kWho[who] + " is in the " + kWhere[who];
      texts << text << "\n";
      labels << text << "\t" << (who < 2 ? "living" : "thing") << "\n";
      tags << text << "\tO " << (who < 2 ? "LIVING" : "THING") << " O O O PLACE\n";
    }
  }
  void TearDown() override { fs::remove_all(folder_); }

  Result<RunEnd> Train(const std::string& task, const std::string& tokenizer, const std::string& corpus,
                       const std::string& model, const std::string& more = "", const RunOptions& options = {}) const {
    fs::create_directories(folder_ / tokenizer);
    fs::copy_file(fs::absolute("tests/goldens/tokenizers/" + tokenizer + ".json"),
                  folder_ / tokenizer / "tokenizer.json", fs::copy_options::overwrite_existing);
    const std::string text = R"({"task": ")" + task + R"(", "out": ")" + task + R"(", "vocabulary": ")" + tokenizer +
                             R"(", "corpora": [{"path": ")" + corpus + R"("}], "dev": ")" + corpus +
                             R"(", "preset": "tiny", "steps": 300, "model": {)" + model +
                             R"(}, "batch": {"tokens": 300, "longest": 32}, "schedule": {"peak": 0.01, "warmup": 20},
           "optimiser": {"smoothing": 0}, "measure": {"every": 100}, "checkpoint": {"every": 50})" +
                             more + "}";
    const Result<RunConfig> config = ParseRunConfig(text, "run.json");
    if (!config) return config.error();
    return qkv::Run(config.value(), text, folder_.string(), options);
  }
  template <class Model>
  std::unique_ptr<Model> Load(const std::string& task) const {
    Result<LoadedFolder> loaded = LoadAnyFolder((folder_ / task / "model").string());
    EXPECT_TRUE(loaded) << loaded.error().ToString();
    return std::move(std::get<std::unique_ptr<Model>>(loaded->model));
  }
  static Encoded Read(const EncoderModel& model, const std::string& text) {
    Arena arena;
    ThreadPool pool(1);
    Context ctx{arena, pool};
    EncodeJob job(model, {{text}}, {.head = true});
    while (!job.Step(ctx)) continue;
    return job.results().front();
  }

  static constexpr const char* kBert = R"("hidden_size": 24, "num_attention_heads": 3, "intermediate_size": 40,
                                          "hidden_dropout_prob": 0, "attention_probs_dropout_prob": 0)";
  fs::path folder_;
};

TEST_F(OneSidedRun, HiddenPiecesAreGuessed) {
  const Result<RunEnd> end = Train("masked", "bert-uncased", "texts.txt", kBert);
  ASSERT_TRUE(end) << end.error().ToString();
  const auto model = Load<EncoderModel>("masked");
  for (const auto& [text, word] :
       {std::pair("the cat is in the [MASK]", "kitchen"), {"our bus is in the [MASK]", "beach"}}) {
    const Encoded read = Read(*model, text);
    ASSERT_EQ(read.logits.rows(), 1);
    const Guess best = Guesses(read.logits.data(), static_cast<size_t>(read.logits.cols()), 1).front();
    EXPECT_EQ(model->PieceText(best.id), word);
  }
}

TEST_F(OneSidedRun, TextsAndWordsAreLabelledAfterLearningToGuess) {
  ASSERT_TRUE(Train("masked", "bert-uncased", "texts.txt", kBert));
  const std::string from = R"(, "from": "masked/model", "labels": )";
  const Result<RunEnd> end = Train("classify", "bert-uncased", "labels.tsv", kBert, from + R"(["living", "thing"])");
  ASSERT_TRUE(end) << end.error().ToString();
  const auto classifier = Load<EncoderModel>("classify");
  EXPECT_EQ(classifier->config().labels, (std::vector<std::string>{"living", "thing"}));
  EXPECT_GT(Read(*classifier, "our cat is in the kitchen").logits(0, 0),
            Read(*classifier, "our bus is in the beach").logits(0, 0));

  ASSERT_TRUE(Train("tag", "bert-uncased", "tags.tsv", kBert, from + R"(["O", "LIVING", "THING", "PLACE"])"));
  const auto tagger = Load<EncoderModel>("tag");
  const Encoded read = Read(*tagger, "the letter is in the room");
  std::vector<Eigen::Index> tags;
  for (Eigen::Index row = 1; row + 1 < read.logits.rows(); ++row) {
    Eigen::Index best = 0;
    read.logits.row(row).maxCoeff(&best);
    tags.push_back(best);
  }
  EXPECT_EQ(tags, (std::vector<Eigen::Index>{0, 2, 0, 0, 0, 3}));
}

TEST_F(OneSidedRun, TextsAreContinued) {
  const Result<RunEnd> end = Train("continue", "gpt2", "texts.txt", R"("n_embd": 24, "n_head": 3, "n_inner": 40)");
  ASSERT_TRUE(end) << end.error().ToString();
  const auto model = Load<GeneratorModel>("continue");
  Arena arena;
  ThreadPool pool(1);
  Context ctx{arena, pool};
  GenerateOptions options;
  options.max_length = 20;
  options.sampling.temperature = 0;
  GenerateJob job(*model, "the cat is in", options);
  while (!job.Step(ctx)) continue;
  EXPECT_EQ(job.text(), " the kitchen");
}

TEST_F(OneSidedRun, ContinuesFromAStopBitForBit) {
  const std::string model = R"("n_embd": 24, "n_head": 3, "n_inner": 40)";
  ASSERT_TRUE(Train("continue", "gpt2", "texts.txt", model));
  const auto bytes = [&] { return *ReadWholeFile((folder_ / "continue/model/model.safetensors").string(), SIZE_MAX); };
  const std::string whole = bytes();
  fs::remove_all(folder_ / "continue");
  std::atomic<bool> stop = false;
  RunOptions options;
  options.stop = &stop;
  options.news = [&](const RunNews& news) { stop = news.step >= 50; };
  ASSERT_TRUE(Train("continue", "gpt2", "texts.txt", model, R"(, "log": {"every": 10})", options));
  RunOptions resume;
  resume.resume = true;
  const Result<RunEnd> end = Train("continue", "gpt2", "texts.txt", model, R"(, "log": {"every": 10})", resume);
  ASSERT_TRUE(end) << end.error().ToString();
  EXPECT_EQ(end.value().step, 300u);
  EXPECT_TRUE(bytes() == whole);
}

TEST_F(OneSidedRun, WhatATaskLacksIsSaid) {
  const auto message = [&](const Result<RunEnd>& end) { return end ? "" : end.error().ToString(); };
  EXPECT_NE(message(Train("classify", "bert-uncased", "labels.tsv", kBert)).find("labels"), std::string::npos);
  EXPECT_NE(message(Train("masked", "gpt2", "texts.txt", kBert)).find("[MASK]"), std::string::npos);
  EXPECT_NE(message(Train("continue", "bert-uncased", "texts.txt", "")).find("<|endoftext|>"), std::string::npos);
  EXPECT_NE(message(Train("classify", "bert-uncased", "labels.tsv", kBert, R"(, "labels": ["living", "plant"])"))
                .find("thing"),
            std::string::npos);
  EXPECT_NE(message(Train("translate", "bert-uncased", "labels.tsv", "", R"(, "labels": ["a", "b"])")).find("labels"),
            std::string::npos);
}

}  // namespace
}  // namespace qkv
