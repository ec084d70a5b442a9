// Gradients of several processes: their sum in a fixed order, for every kind of model.
#include "core/train/gradient_sum.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "core/train/batches.h"
#include "core/train/initialise.h"
#include "core/train/read_run_config.h"
#include "core/train/training_task.h"
#include "tests/core/process_threads.h"

namespace qkv {
namespace {

namespace fs = std::filesystem;

struct Kind {
  const char* name;
  const char* fields;  // of the config
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

// A model with its trainer, and one batch for each process.
class Learner {
 public:
  explicit Learner(const Kind& kind) {
    const std::string text = R"({"out": "none", "corpora": [{"path": "none"}], )" + std::string(kind.fields) + "}";
    Result<RunConfig> config = ParseRunConfig(text, "run.json");
    EXPECT_TRUE(config) << config.error().ToString();
    auto task = MakeTrainingTask(config.value(), fs::absolute("tests/goldens").string());
    EXPECT_TRUE(task) << task.error().ToString();
    task_ = std::move(*task);
    WeightSlots slots = task_->Slots();
    ReserveFloats(slots);
    Parameters parameters(slots, false);
    Initialise(parameters, 5);
    trainer_ = std::make_unique<Trainer>(task_->trainable(), task_->Slots(), task_->start(), config->trainer, 1);
    for (const char* words : {"a b c", "d e", "f g a b"}) {
      const bool pairs = config->task == Task::kTranslate;
      auto batches =
          BatchesOf({{words, pairs ? "b a c d" : ""}, {"g g", pairs ? "a" : ""}}, task_->examples(), 500, 60);
      EXPECT_TRUE(batches) << batches.error().ToString();
      batches_.push_back(batches.value().at(0));
      pieces_ += batches_.back().target_out.size();
    }
  }

  Trainer& trainer() { return *trainer_; }
  const Batch& batch(size_t i) const { return batches_[i]; }
  size_t pieces() const { return pieces_; }
  std::vector<float> Gradients() {
    std::vector<float> all;
    for (const LearntParameter& p : trainer_->parameters().all()) {
      all.insert(all.end(), p.gradient.data(), p.gradient.data() + p.size);
    }
    return all;
  }

 private:
  std::unique_ptr<TrainingTask> task_;
  std::unique_ptr<Trainer> trainer_;
  std::vector<Batch> batches_;
  size_t pieces_ = 0;
};

constexpr size_t kProcesses = 3;

// What each process adds, in order.
std::vector<float> SumInOrder(const Kind& kind) {
  std::vector<float> sum;
  Learner learner(kind);
  for (size_t i = 0; i < kProcesses; ++i) {
    learner.trainer().Begin();
    learner.trainer().Pass(learner.batch(i), i, 1 / static_cast<float>(learner.pieces()));
    const std::vector<float> gradients = learner.Gradients();
    if (i == 0) {
      sum = gradients;
    } else {
      for (size_t j = 0; j < sum.size(); ++j) sum[j] += gradients[j];
    }
  }
  return sum;
}

struct Summed {
  std::vector<float> gradients;  // of every process: they must be equal
  size_t before_the_end = 0;     // buckets that began while the backward ran
};
// The second of two passes: the first one finds out which gradients are complete early.
Summed SumTogether(const Kind& kind, Precision wire, size_t bucket) {
  std::vector<Summed> all(kProcesses);
  std::vector<std::unique_ptr<Learner>> learners;
  for (size_t i = 0; i < kProcesses; ++i) learners.push_back(std::make_unique<Learner>(kind));
  ProcessThreads threads(kProcesses);
  threads.on_all_to_all = [&](size_t i) { all[i].before_the_end += learners[i]->trainer().tape().recorded() > 0; };
  threads.Run([&](Processes& processes) {
    const size_t mine = processes.rank();
    Learner& learner = *learners[mine];
    GradientSum sum(processes, learner.trainer(), wire, bucket);
    for (int pass = 0; pass < 2; ++pass) {
      EXPECT_TRUE(sum.Pass({&learner.batch(mine), 1}, mine, learner.pieces()));
    }
    all[mine].gradients = learner.Gradients();
  });
  for (const Summed& one : all) EXPECT_EQ(one.gradients, all[0].gradients);
  return all[0];
}

class GradientSumOf : public testing::TestWithParam<Kind> {};

TEST_P(GradientSumOf, IsTheSumInTheOrderOfTheProcesses) {
  const std::vector<float> expected = SumInOrder(GetParam());
  for (const size_t bucket : {size_t{1}, size_t{600}, GradientSum::kBucket}) {
    const Summed summed = SumTogether(GetParam(), Precision::kFloat, bucket);
    ASSERT_EQ(summed.gradients.size(), expected.size());
    EXPECT_EQ(std::memcmp(summed.gradients.data(), expected.data(), expected.size() * sizeof(float)), 0) << bucket;
    if (bucket == 1) EXPECT_GE(summed.before_the_end, 3u);
  }
}

TEST_P(GradientSumOf, IsNearWhenItIsSentInBf16) {
  const std::vector<float> expected = SumInOrder(GetParam());
  const Summed summed = SumTogether(GetParam(), Precision::kBf16, 600);
  double off = 0, length = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(std::bit_cast<uint32_t>(summed.gradients[i]) & 0xffff, 0u);
    off += std::pow(summed.gradients[i] - expected[i], 2);
    length += std::pow(expected[i], 2);
  }
  EXPECT_GT(off, 0);
  EXPECT_LT(std::sqrt(off / length), 0.004);  // half a unit in the last of 8 bits, twice
}

#define QKV_SMALL                                                                                          \
  R"("vocabulary": "models/tiny-f32", "model": {"d_model": 24, "encoder_layers": 2, "decoder_layers": 2,)" \
  R"("encoder_attention_heads": 3, "decoder_attention_heads": 3, "encoder_ffn_dim": 20, "decoder_ffn_dim": 20})"

INSTANTIATE_TEST_SUITE_P(
    Models, GradientSumOf,
    testing::Values(
        Kind{"transformer", R"("preset": "tiny", )" QKV_SMALL}, Kind{"ssru", R"("preset": "tiny-ssru", )" QKV_SMALL},
        Kind{"recurrent",
             R"("preset": "rnn-luong", "vocabulary": "models/tiny-f32", "model": {"d_model": 12, "d_embedding": 12})"}),
    [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace qkv
