// Questions that changes answer, beside the same changes one by one; rollout and flow beside their definitions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/explain/explain_job.h"
#include "tests/core/goldens.h"

namespace qkv {
namespace {

struct Engine {
  Arena arena;
  ThreadPool pool{2};
  Context ctx{arena, pool};

  template <class AJob>
  void Run(AJob& job) {
    while (!job.Step(ctx)) continue;
  }
};

constexpr const char kSource[] = "My brother lives in a big house.";

class Questions : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { ASSERT_NE(model_, nullptr); }

  std::unique_ptr<ExplainJob> Asked(Question question) {
    auto job = std::make_unique<ExplainJob>(*model_, question, kSource, std::nullopt, DecodeOptions{.beam = 1});
    engine_.Run(*job);
    EXPECT_TRUE(job->outcome()) << job->outcome().error().ToString();
    return job;
  }
  // log p of each target piece with one change.
  std::vector<float> Scored(const std::string& target, const std::string& changes) {
    DecodeOptions options;
    options.changes = *ParseChanges(changes, ChangeablePlaces::Of(model_->config()));
    ReplayJob job(*model_, kSource, target, ReplayKind::kScore, options);
    engine_.Run(job);
    return job.result().log_probs;
  }

  const TranslationModel* model_ = SharedModel(GetParam());
  Engine engine_;
};
INSTANTIATE_TEST_SUITE_P(Models, Questions, testing::Values("tests/goldens/en-fr", "web/models/compared/luong-local"),
                         [](const auto& info) { return std::string(info.index == 0 ? "Transformer" : "Recurrent"); });

TEST_P(Questions, AHeadMattersByWhatItsAbsenceCosts) {
  const std::unique_ptr<ExplainJob> job = Asked(Question::kHeads);
  const Explanation& result = job->result();
  const Replay& replay = job->replay();
  constexpr const char* kNames[] = {"encoder", "decoder", "cross"};
  size_t asked = 0;
  for (size_t k = 0; k < 3; ++k) {
    const Explanation::Heads& heads = result.heads[k];
    ASSERT_EQ(heads.falls.size(), heads.layers * heads.heads);
    for (size_t i = 0; i < heads.falls.size(); i += 3) {
      const std::string change = std::string(R"([{"kind":"off","attention":")") + kNames[k] + R"(","layer":)" +
                                 std::to_string(i / heads.heads) + R"(,"head":)" + std::to_string(i % heads.heads) +
                                 "}]";
      float sum = 0;
      for (const float log_prob : Scored(replay.target.text, change)) sum += log_prob;
      EXPECT_NEAR(heads.falls[i], replay.log_prob - sum, 1e-3) << change;
      ++asked;
    }
  }
  EXPECT_GT(asked, 0u);
}

TEST_P(Questions, AWordNeedsWhatHidingCosts) {
  const std::unique_ptr<ExplainJob> job = Asked(Question::kWords);
  const Replay& replay = job->replay();
  const AttentionMap& needed = job->result().matrix;
  ASSERT_EQ(needed.targets, replay.alignment.targets);
  ASSERT_EQ(needed.sources, replay.alignment.sources);
  for (size_t s = 0; s < needed.sources; ++s) {
    const std::vector<float> without =
        Scored(replay.target.text, R"([{"kind":"hide","attention":"cross","keys":[)" + std::to_string(s) + "]}]");
    for (size_t t = 0; t < needed.targets; ++t) {
      EXPECT_NEAR(needed.Row(0, 0, t)[s], replay.log_probs[t] - without[t], 1e-3);
    }
  }
}

TEST(Explain, AModelWithoutTheAttentionIsRefused) {
  const TranslationModel* model = SharedModel("web/models/compared/plain");
  ASSERT_NE(model, nullptr);
  Engine engine;
  for (const Question question : {Question::kHeads, Question::kWords, Question::kRollout, Question::kFlow}) {
    ExplainJob job(*model, question, kSource, std::nullopt, {});
    engine.Run(job);
    ASSERT_FALSE(job.outcome());
    EXPECT_EQ(job.outcome().error().code, ErrorCode::kUnsupported);
  }
}

// Two layers of two heads over three pieces.
AttentionMap Small() {
  AttentionMap map{2, 2, 3, 3, {}, 0, {}, {}, {}};
  for (size_t row = 0; row < 12; ++row) {
    const float a = 0.1f + 0.07f * static_cast<float>(row % 5), b = 0.05f * static_cast<float>(row % 7);
    for (const float weight : {a, b, 1 - a - b}) map.weights.push_back(weight);
  }
  return map;
}

double Pipe(const AttentionMap& map, size_t layer, size_t i, size_t j) {
  const double mean = (static_cast<double>(map.Row(layer, 0, i)[j]) + static_cast<double>(map.Row(layer, 1, i)[j])) / 2;
  return 0.5 * mean + (i == j ? 0.5 : 0);
}

TEST(Explain, RolloutIsTheProductOfTheLayers) {
  const AttentionMap map = Small(), rollout = Rollout(map);
  for (size_t i = 0; i < 3; ++i) {
    for (size_t j = 0; j < 3; ++j) {
      double sum = 0;
      for (size_t k = 0; k < 3; ++k) sum += Pipe(map, 1, i, k) * Pipe(map, 0, k, j);
      EXPECT_NEAR(rollout.Row(0, 0, i)[j], sum, 1e-6);
    }
  }
}

// By the theorem of Ford and Fulkerson (1956) the largest flow is the smallest cut, and here all cuts can be tried.
TEST(Explain, FlowIsTheSmallestCut) {
  const AttentionMap map = Small();
  AttentionFlow flow(map);
  for (size_t to = 0; to < 3; ++to) {
    for (size_t from = 0; from < 3; ++from) {
      double smallest = 100;
      for (unsigned side = 0; side < 512; ++side) {  // bit 3 layer + row: on the side of the last layer's row
        const auto above = [&](size_t layer, size_t row) { return (side >> (3 * layer + row) & 1) != 0; };
        if (!above(2, to) || above(0, from)) continue;
        double cut = 0;
        for (size_t layer = 0; layer < 2; ++layer) {
          for (size_t i = 0; i < 3; ++i) {
            for (size_t j = 0; j < 3; ++j) {
              if (above(layer + 1, i) && !above(layer, j)) cut += Pipe(map, layer, i, j);
            }
          }
        }
        smallest = std::min(smallest, cut);
      }
      EXPECT_NEAR(flow.Between(to, from), smallest, 1e-6);
    }
  }
}

}  // namespace
}  // namespace qkv
