// Sampled attention learns from rewards: tested against the exact gradient of the expected reward, which can be
// enumerated for six inputs.
#include "core/attention/reinforce.h"

#include "tests/core/attention_gradients.h"
#include "tests/core/attention_random.h"

namespace qkv {
namespace {

constexpr size_t kInputs = 6;

// One query of additive attention that draws one of six inputs, and the reward of each.
class Game {
 public:
  Game() : problem_(RandomProblem(*FindScore("additive"), kSizes, 3, 2)), call_(CallOf(*problem_)) {
    call_.selection.kind = SelectionKind::kSampled;
    call_.selection.temperature = 0.75f;
  }

  static constexpr ProblemSizes kSizes = {
      .queries = 1, .keys = kInputs, .query_dim = 4, .key_dim = 3, .value_dim = 2, .hidden = 5};
  static constexpr float kRewards[kInputs] = {5, 3.5f, 7, 4.25f, 6, 2};

  AttentionInputs In() const { return problem_->Inputs(); }
  const Attention& call() const { return call_; }

  std::vector<double> Probabilities() const {
    Attention soft = call_;
    soft.selection.kind = SelectionKind::kSoft;
    const AttentionOutcome out = Attended(soft, In());
    return {out.weights.read().data(), out.weights.read().data() + kInputs};
  }
  // The gradient of -E[reward] - entropy H. E[reward] is a product with the softmax's weights.
  std::map<std::string, std::vector<float>> Exact(float entropy) const {
    Attention soft = call_;
    soft.selection.kind = SelectionKind::kSoft;
    std::vector<float> of_weights;
    for (const float reward : kRewards) of_weights.push_back(-reward);
    AttentionLoss loss;
    loss.weights = of_weights.data();
    const float of_entropy = -entropy;
    loss.entropy = &of_entropy;
    return Gradients(soft, In(), loss);
  }
  // What one draw adds: of the key `chosen`, or of the draw of `seed` where it is kNoKey.
  std::map<std::string, std::vector<float>> Estimate(Reinforce& reinforce, int32_t chosen, uint64_t seed = 0) const {
    Attention call = call_;
    call.selection.seed = seed;
    if (chosen == kNoKey) chosen = Attended(call, In()).chosen[0];
    float gradient[2] = {};
    reinforce.AddGradient({&kRewards[chosen], 1}, Segments::One(1), 1, gradient);
    AttentionLoss loss;
    loss.chosen = &chosen;
    loss.log_likelihood = gradient;
    loss.entropy = gradient + 1;
    return Gradients(call, In(), loss);
  }

 private:
  std::unique_ptr<AttentionProblem> problem_;
  Attention call_;
};

double Norm(const std::vector<float>& x) {
  double sum = 0;
  for (const float v : x) sum += static_cast<double>(v) * v;
  return std::sqrt(sum);
}

// The expectation of the estimates is the gradient of the expectation, whatever the baseline.
TEST(Reinforce, ItsExpectationIsTheGradientOfTheExpectedReward) {
  const Game game;
  const std::vector<double> p = game.Probabilities();
  for (const double baseline : {0.0, 0.7, -5.0}) {
    for (const float entropy : {0.0f, 0.3f}) {
      std::map<std::string, std::vector<double>> mean;
      for (size_t key = 0; key < kInputs; ++key) {
        Reinforce reinforce({.entropy = entropy}, {baseline, 1});
        for (const auto& [name, values] : game.Estimate(reinforce, static_cast<int32_t>(key))) {
          mean[name].resize(values.size());
          for (size_t i = 0; i < values.size(); ++i) mean[name][i] += p[key] * static_cast<double>(values[i]);
        }
      }
      double all = 0;
      for (const auto& [name, exact] : game.Exact(entropy)) all = std::hypot(all, Norm(exact));
      for (const auto& [name, exact] : game.Exact(entropy)) {
        std::vector<float> error(exact.size());
        for (size_t i = 0; i < exact.size(); ++i) error[i] = static_cast<float>(mean[name][i]) - exact[i];
        // The terms that cancel are as large as the baseline.
        EXPECT_LE(Norm(error), 1e-4 * Norm(exact) + 1e-6 * (1 + std::abs(baseline)) * all) << name;
      }
    }
  }
}

struct Moments {
  std::vector<double> sum, squares;
};

std::map<std::string, Moments> Sampled(const Game& game, size_t draws, bool with_baseline) {
  std::map<std::string, Moments> moments;
  Reinforce reinforce({.decay = with_baseline ? 0.99f : 0.0f});
  for (size_t n = 0; n < draws; ++n) {
    Reinforce none({});
    for (const auto& [name, values] : game.Estimate(with_baseline ? reinforce : none, kNoKey, n)) {
      Moments& m = moments[name];
      m.sum.resize(values.size());
      m.squares.resize(values.size());
      for (size_t i = 0; i < values.size(); ++i) {
        m.sum[i] += static_cast<double>(values[i]);
        m.squares[i] += static_cast<double>(values[i]) * values[i];
      }
    }
  }
  return moments;
}

TEST(Reinforce, TheMeanOfManyDrawsIsWithinItsStandardError) {
  const Game game;
  constexpr size_t kDraws = 20'000;
  double variances[2] = {};
  const auto exact = game.Exact(0);
  for (const bool with_baseline : {false, true}) {
    size_t beyond = 0, numbers = 0;
    for (const auto& [name, m] : Sampled(game, kDraws, with_baseline)) {
      for (size_t i = 0; i < m.sum.size(); ++i) {
        const double mean = m.sum[i] / kDraws, variance = m.squares[i] / kDraws - mean * mean;
        const double error = std::abs(mean - exact.at(name)[i]), standard = std::sqrt(variance / kDraws);
        EXPECT_LE(error, 5 * standard + 1e-6) << name << " " << i;
        beyond += error > standard + 1e-6 ? 1 : 0;
        ++numbers;
        variances[with_baseline ? 1 : 0] += variance;
      }
    }
    // A third of independent draws would be; these are not independent.
    EXPECT_LE(beyond, numbers * 3 / 4);
  }
  EXPECT_LT(variances[1], 0.9 * variances[0]);
}

// Without `chosen` the backward repeats the draw of the forward.
TEST(Reinforce, TheBackwardDrawsWhatTheForwardDrew) {
  const Game game;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Attention call = game.call();
    call.selection.seed = seed;
    const int32_t chosen = Attended(call, game.In()).chosen[0];
    const float gradient = 1;
    AttentionLoss loss;
    loss.log_likelihood = &gradient;
    const auto drawn = Gradients(call, game.In(), loss);
    loss.chosen = &chosen;
    EXPECT_EQ(drawn, Gradients(call, game.In(), loss));
  }
}

TEST(Reinforce, ARewardIsForEveryDrawOfItsSegmentAndTheBaselineFollows) {
  Reinforce reinforce({.reward = 2, .entropy = 0.5f, .decay = 0.75f});
  Segments queries;
  queries.Add(2);
  queries.Add(1);
  const float rewards[] = {4, -2};
  float gradient[12] = {};
  reinforce.AddGradient(rewards, queries, 2, gradient);
  const float expected[] = {-8, -8, 4, -8, -8, 4, -0.5f, -0.5f, -0.5f, -0.5f, -0.5f, -0.5f};
  for (size_t i = 0; i < 12; ++i) EXPECT_EQ(gradient[i], expected[i]) << i;
  EXPECT_DOUBLE_EQ(reinforce.baseline(), 1);
  const float more[] = {5};
  reinforce.AddGradient(more, Segments::One(1), 1, gradient);
  EXPECT_FLOAT_EQ(gradient[0], -8 - 2 * 4);
  EXPECT_NEAR(reinforce.baseline(), (0.75 * 0.25 * 1 + 0.25 * 5) / (0.75 * 0.25 + 0.25), 1e-12);
  EXPECT_EQ(Reinforce({}, reinforce.state()).baseline(), reinforce.baseline());
}

}  // namespace
}  // namespace qkv
