// A decoder of SSRUs learns: each weight's gradient is tested against the loss, by a step up and a step down along each
// tensor's gradient.
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/tape.h"
#include "core/train/loss_pass.h"
#include "core/train/parameters.h"
#include "tests/core/goldens.h"

namespace qkv {
namespace {

struct Learner {
  Arena arena;
  ThreadPool pool{2};
  Tape tape;
  std::unique_ptr<TranslationModel> model;
  WeightSlots slots;
  Parameters parameters;
  Batch batch;

  explicit Learner(const std::string& folder)
      : model(std::move(*LoadFolder(folder))), slots(model->Slots()), parameters(slots) {
    parameters.Watch(tape);
    const std::vector<int32_t> sources[] = {{5, 9, 17, 33, 0}, {40, 8, 0}},
                               targets[] = {{7, 21, 21, 3, 50, 0}, {11, 0}};
    for (const int i : {0, 1}) batch.AddPair(sources[i], targets[i], model->config().start);
  }
  double Loss(Tape* with) {
    Context ctx{.arena = arena, .pool = pool, .tape = with};
    return LossPass(ctx, TrainableSequenceModel(model->model()), batch, 0.1f, 1).smoothed;
  }
};

TEST(SsruTraining, EveryGradientIsTheLossesSlope) {
  for (const char* folder : {"tests/goldens/marian/ssru-pre-norm", "tests/goldens/marian/ssru-f16"}) {
    Learner learner(folder);
    learner.Loss(&learner.tape);
    size_t recurrent = 0;
    for (LearntParameter& p : learner.parameters.all()) {
      const float* const gradient = p.gradient.data();
      double squares = 0;
      for (size_t i = 0; i < p.size; ++i) squares += static_cast<double>(gradient[i]) * gradient[i];
      recurrent += p.name.find("ssru") != std::string::npos ? 1 : 0;
      // Biases of keys have no gradient: they shift all logits of a query alike.
      if (p.name.ends_with("k_proj.bias")) continue;
      ASSERT_GT(squares, 1e-12) << p.name;
      const std::vector<float> before(p.value, p.value + p.size);
      const double step = 2e-3 / std::sqrt(squares);
      const auto loss_at = [&](double way) {
        for (size_t i = 0; i < p.size; ++i) p.value[i] = before[i] + static_cast<float>(way * step * gradient[i]);
        return learner.Loss(nullptr);
      };
      const double slope = (loss_at(1) - loss_at(-1)) / (2 * step);
      std::copy(before.begin(), before.end(), p.value);
      EXPECT_NEAR(slope, squares, 0.02 * squares + 2e-3 * std::sqrt(squares)) << folder << ", " << p.name;
    }
    EXPECT_EQ(recurrent, 3 * learner.model->config().decoder_layers);
  }
}

}  // namespace
}  // namespace qkv
