// The whole model's backward against PyTorch's autograd in float64, and its first training steps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/json.h"
#include "core/base/random.h"
#include "core/base/tape.h"
#include "core/io/feed_all.h"
#include "core/kernels/adam.h"
#include "core/train/loss_pass.h"
#include "core/train/parameters.h"
#include "core/translate/folder.h"
#include "tests/core/goldens.h"

namespace qkv {
namespace {

const std::string kFolder = "tests/goldens/models/", kGradients = "tests/goldens/gradients/";
constexpr const char* kSmall[] = {"tiny-f32", "tiny-f16", "tiny-bf16"};

// The weights of a model of that shape, or the golden gradients in its slots.
std::unique_ptr<Transformer> ReadWeights(const std::string& path, const TransformerConfig& config) {
  auto model = std::make_unique<Transformer>(config);
  const std::string file = ReadBytes(path);
  SafetensorsReader reader(model->Slots(), file.size());
  const Result<void> fed = FeedAll(reader, {reinterpret_cast<const uint8_t*>(file.data()), file.size()});
  EXPECT_TRUE(fed) << fed.error().ToString();
  return model;
}

// The loss under these kinds of dropout.
struct Spread {
  std::vector<std::string> of;
  float rate = 0;
  double draws = 0, mean = 0, deviation = 0;
};

struct Golden {
  Batch batch;
  double loss = 0, rate = 0;
  float smoothing = 0;
  std::vector<double> losses;
  std::vector<Spread> spreads;
};

Golden ReadGolden(const std::string& path, const SequenceConfig& config) {
  rapidjson::Document json;
  json.Parse(ReadBytes(path).c_str());
  Golden golden;
  for (const auto& pair : json["pairs"].GetArray()) {
    std::vector<int32_t> sides[2];
    for (const int side : {0, 1}) {
      for (const auto& id : pair[static_cast<unsigned>(side)].GetArray()) sides[side].push_back(id.GetInt());
    }
    golden.batch.AddPair(sides[0], sides[1], config.start);
  }
  golden.loss = json["loss"].GetDouble();
  golden.rate = json["rate"].GetDouble();
  golden.smoothing = json["smoothing"].GetFloat();
  for (const auto& loss : json["losses"].GetArray()) golden.losses.push_back(loss.GetDouble());
  for (const auto& entry : json["dropout"].GetArray()) {
    Spread& spread = golden.spreads.emplace_back();
    for (const auto& kind : entry["of"].GetArray()) spread.of.emplace_back(kind.GetString());
    spread.rate = entry["rate"].GetFloat();
    spread.draws = entry["draws"].GetDouble();
    spread.mean = entry["mean"].GetDouble();
    spread.deviation = entry["deviation"].GetDouble();
  }
  return golden;
}

TransformerConfig ConfigOf(const std::string& name) {
  const auto model = std::move(*LoadFolder(kFolder + name));
  return TransformerOf(*model).config();
}

TransformerConfig WithDropout(TransformerConfig config, const Spread& spread) {
  const auto rate_of = [&](const char* kind) {
    return std::count(spread.of.begin(), spread.of.end(), kind) != 0 ? spread.rate : 0;
  };
  config.dropout = rate_of("dropout");
  config.attention_dropout = rate_of("attention_dropout");
  config.activation_dropout = rate_of("activation_dropout");
  return config;
}

struct Learner {
  Arena arena;
  ThreadPool pool;
  Tape tape;
  std::unique_ptr<Transformer> model;
  WeightSlots slots;
  Parameters parameters;

  Learner(const std::string& name, size_t threads) : Learner(name, ConfigOf(name), threads) {}
  Learner(const std::string& name, const TransformerConfig& config, size_t threads)
      : pool(threads),
        model(ReadWeights(kFolder + name + "/model.safetensors", config)),
        slots(model->Slots()),
        parameters(slots) {
    parameters.Watch(tape);
  }
  // The loss. Its gradient is added to the existing one.
  double LossPass(const Golden& golden, Random* random = nullptr) {
    Context ctx{.arena = arena, .pool = pool, .tape = &tape, .random = random};
    const auto pieces = static_cast<float>(golden.batch.target_out.size());
    return qkv::LossPass(ctx, TrainableSequenceModel(*model), golden.batch, golden.smoothing, 1 / pieces).smoothed /
           pieces;
  }
};

double Norm(const std::vector<float>& x) {
  double sum = 0;
  for (const float v : x) sum += static_cast<double>(v) * v;
  return std::sqrt(sum);
}

std::vector<float> Rows(const LearntParameter& p, const float* packed) {
  std::vector<float> rows(p.outputs * p.inputs);
  Unpack(p, packed, rows.data());
  return rows;
}

// |g - g*| <= 1e-4 |g*| + 1e-6 |all g*|, tensor by tensor.
TEST(TransformerGradient, IsPyTorchs) {
  for (const char* name : kSmall) {
    for (const size_t threads : {1, 3}) {
      SCOPED_TRACE(name);
      Learner learner(name, threads);
      const Golden golden = ReadGolden(kGradients + name + ".json", learner.model->config());
      EXPECT_NEAR(learner.LossPass(golden), golden.loss, 1e-5 * golden.loss);
      const auto exact = ReadWeights(kGradients + name + ".safetensors", learner.model->config());
      WeightSlots exact_slots = exact->Slots();
      const Parameters expected(exact_slots);
      double all = 0;
      for (const LearntParameter& p : expected.all()) all += std::pow(Norm(Rows(p, p.value)), 2);
      for (size_t i = 0; i < expected.all().size(); ++i) {
        const LearntParameter& p = learner.parameters.all()[i];
        const std::vector<float> g = Rows(p, p.gradient.data()), e = Rows(p, expected.all()[i].value);
        std::vector<float> difference(g.size());
        for (size_t j = 0; j < g.size(); ++j) difference[j] = g[j] - e[j];
        EXPECT_LE(Norm(difference), 1e-4 * Norm(e) + 1e-6 * std::sqrt(all)) << p.name;
      }
    }
  }
}

TEST(TransformerGradient, FirstTenLossesOfAdamArePyTorchs) {
  for (const char* name : kSmall) {
    SCOPED_TRACE(name);
    Learner learner(name, 2);
    const Golden golden = ReadGolden(kGradients + name + ".json", learner.model->config());
    std::vector<std::vector<float>> m, v;
    for (const LearntParameter& p : learner.parameters.all()) {
      m.emplace_back(p.size);
      v.emplace_back(p.size);
    }
    AdamStep step{.rate = static_cast<float>(golden.rate), .beta2 = 0.98f, .epsilon = 1e-6f};
    for (size_t t = 0; t < golden.losses.size(); ++t) {
      learner.parameters.ClearGradients();
      const double loss = learner.LossPass(golden);
      EXPECT_NEAR(loss, golden.losses[t], (t == 0 ? 1e-5 : 1e-3) * golden.losses[t]) << t;
      step.unbias1 = 1 - std::pow(step.beta1, t + 1);
      step.unbias2 = 1 - std::pow(step.beta2, t + 1);
      for (size_t i = 0; i < m.size(); ++i) {
        LearntParameter& p = learner.parameters.all()[i];
        UpdateAdam(step, p.gradient.data(), m[i].data(), v[i].data(), p.value, p.size, learner.pool);
      }
    }
  }
}

TEST(TransformerGradient, IsTheSameOnAnyNumberOfThreadsAndOnASecondRun) {
  Learner one("tiny-bf16", 1), three("tiny-bf16", 3);
  const Golden golden = ReadGolden(kGradients + "tiny-bf16.json", one.model->config());
  for (int round = 0; round < 2; ++round) {
    one.parameters.ClearGradients();
    three.parameters.ClearGradients();
    Random random(7), again(7);
    EXPECT_EQ(one.LossPass(golden, &random), three.LossPass(golden, &again));
    for (size_t i = 0; i < one.parameters.all().size(); ++i) {
      const LearntParameter &a = one.parameters.all()[i], &b = three.parameters.all()[i];
      EXPECT_EQ(Rows(a, a.gradient.data()), Rows(b, b.gradient.data())) << a.name;
    }
  }
}

// PyTorch draws other numbers, but drops in the same places and scales by the same factor: over many draws the loss has
// the same mean and deviation.
TEST(TransformerGradient, LossUnderDropoutIsSpreadAsPyTorchs) {
  constexpr int kDraws = 1000;
  for (const char* name : kSmall) {
    const TransformerConfig config = ConfigOf(name);
    const Golden golden = ReadGolden(kGradients + name + ".json", config);
    ASSERT_EQ(golden.spreads.size(), 4u);
    for (const Spread& spread : golden.spreads) {
      SCOPED_TRACE(std::string(name) + ", " + spread.of.back() + " and " + std::to_string(spread.of.size() - 1));
      Learner learner(name, WithDropout(config, spread), 1);
      Random random(11);
      double sum = 0, squares = 0;
      for (int draw = 0; draw < kDraws; ++draw) {
        const double loss = learner.LossPass(golden, &random);
        sum += loss;
        squares += loss * loss;
      }
      const double mean = sum / kDraws, deviation = std::sqrt(squares / kDraws - mean * mean);
      EXPECT_NEAR(mean, spread.mean, 4 * spread.deviation * std::sqrt(1.0 / kDraws + 1 / spread.draws));
      EXPECT_NEAR(deviation, spread.deviation, 0.1 * spread.deviation);
    }
  }
}

// With dropout too: loss and gradient use the same draws, so (L(w + h d) - L(w - h d)) / 2h = g'd. The step is short
// because ReLU has many corners.
TEST(TransformerGradient, OfDropoutFollowsTheLoss) {
  constexpr float kStep = 3e-4f;
  const TransformerConfig config = ConfigOf("tiny-f32");
  const Golden golden = ReadGolden(kGradients + "tiny-f32.json", config);
  for (const Spread& spread : golden.spreads) {
    SCOPED_TRACE(spread.of.back() + " and " + std::to_string(spread.of.size() - 1));
    Learner learner("tiny-f32", WithDropout(config, spread), 2);
    Random draws(3), direction_draws(6);
    learner.LossPass(golden, &draws);
    double slope = 0;
    std::vector<std::vector<float>> directions;
    for (const LearntParameter& p : learner.parameters.all()) {
      std::vector<float>& d = directions.emplace_back(p.size);
      for (size_t i = 0; i < p.size; ++i) {
        if (p.gradient.data()[i] == 0) continue;  // padding of a panel stays zero
        d[i] = direction_draws.Uniform() - 0.5f;
        slope += static_cast<double>(d[i]) * p.gradient.data()[i];
      }
    }
    const auto loss_after = [&](float h) {
      for (size_t i = 0; i < directions.size(); ++i) {
        LearntParameter& p = learner.parameters.all()[i];
        for (size_t j = 0; j < p.size; ++j) p.value[j] += h * directions[i][j];
      }
      Random same(3);
      return learner.LossPass(golden, &same);
    };
    const double above = loss_after(kStep), below = loss_after(-2 * kStep);
    EXPECT_NEAR((above - below) / (2 * kStep), slope, 1e-2 * std::max(0.2, std::abs(slope)));
  }
}

}  // namespace
}  // namespace qkv
