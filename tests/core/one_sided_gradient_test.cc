// The backward of encoder-only and decoder-only models against PyTorch's autograd in float64.
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/random.h"
#include "core/base/tape.h"
#include "core/io/feed_all.h"
#include "core/io/safetensors.h"
#include "core/io/safetensors_writer.h"
#include "core/load/folder.h"
#include "core/train/initialise.h"
#include "core/train/loss_pass.h"
#include "core/train/parameters.h"
#include "core/train/trainable_one_sided.h"
#include "tests/core/goldens.h"

namespace qkv {
namespace {

const std::string kFolder = "tests/goldens/one-sided/";
constexpr const char* kModels[] = {"bert-masked",      "bert-sequence", "bert-tokens", "distilbert-masked",
                                   "roberta-sequence", "gpt2",          "gpt2-untied"};

struct Learner {
  Arena arena;
  ThreadPool pool;
  Tape tape;
  AnyModel model;
  std::unique_ptr<TrainableModel> trainable;
  WeightSlots slots;
  std::unique_ptr<Parameters> parameters;

  Learner(const std::string& name, size_t threads) : pool(threads) {
    Result<LoadedFolder> loaded = LoadAnyFolder(kFolder + name);
    if (!loaded) {
      ADD_FAILURE() << loaded.error().ToString();
      std::abort();
    }
    model = std::move(loaded->model);
    if (const auto* encoder = std::get_if<std::unique_ptr<EncoderModel>>(&model)) {
      trainable = std::make_unique<TrainableEncoder>((*encoder)->encoder());
    } else {
      trainable = std::make_unique<TrainableGenerator>(std::get<std::unique_ptr<GeneratorModel>>(model)->decoder());
    }
    slots = std::visit([](const auto& any) { return any->Slots(); }, model);
    parameters = std::make_unique<Parameters>(slots);
    parameters->Watch(tape);
  }
};

struct Golden {
  Batch batch;
  float smoothing = 0;
  double loss = 0;

  explicit Golden(const std::string& name) {
    const JsonObject json = ReadGoldens(kFolder + name + "/gradients.json");
    for (const Json& text : json.root()["texts"].GetArray()) {
      const std::vector<int32_t> ids = Ids(text["ids"]), answers = Ids(text["answers"]);
      if (text.HasMember("start")) {
        batch.AddText(answers, text["start"].GetInt());
      } else {
        batch.AddTokenLabels(ids, answers);
      }
    }
    smoothing = json.root()["smoothing"].GetFloat();
    loss = json.root()["loss"].GetDouble();
  }
  double Pieces() const { return static_cast<double>(batch.target_out.size()); }
};

std::vector<float> Rows(const LearntParameter& p, const float* packed) {
  std::vector<float> rows(p.outputs * p.inputs);
  Unpack(p, packed, rows.data());
  return rows;
}

double Norm(const std::vector<float>& x) {
  double sum = 0;
  for (const float v : x) sum += static_cast<double>(v) * v;
  return std::sqrt(sum);
}

// The golden gradients, read into the slots of the same model: the file has them under the weights' names.
void ReadGradients(const std::string& name, Learner& into) {
  const std::string file = ReadBytes(kFolder + name + "/gradients.safetensors");
  SafetensorsReader reader(into.slots, file.size());
  const Result<void> fed = FeedAll(reader, {reinterpret_cast<const uint8_t*>(file.data()), file.size()});
  ASSERT_TRUE(fed) << fed.error().ToString();
  into.parameters = std::make_unique<Parameters>(into.slots, /*gradients=*/false);
}

class OneSidedGradient : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Layouts, OneSidedGradient, testing::ValuesIn(kModels),
                         [](const testing::TestParamInfo<const char*>& info) {
                           std::string name = info.param;
                           std::erase(name, '-');
                           return name;
                         });

// |g - g*| <= 1e-4 |g*| + 1e-6 |all g*|, tensor by tensor.
TEST_P(OneSidedGradient, IsPyTorchs) {
  const Golden golden(GetParam());
  Learner exact(GetParam(), 1);
  ASSERT_NO_FATAL_FAILURE(ReadGradients(GetParam(), exact));
  double all = 0;
  for (const LearntParameter& p : exact.parameters->all()) all += std::pow(Norm(Rows(p, p.value)), 2);
  for (const size_t threads : {1, 3}) {
    Learner learner(GetParam(), threads);
    Context ctx{.arena = learner.arena, .pool = learner.pool, .tape = &learner.tape};
    const Loss loss =
        LossPass(ctx, *learner.trainable, golden.batch, golden.smoothing, static_cast<float>(1 / golden.Pieces()));
    EXPECT_NEAR(loss.smoothed / golden.Pieces(), golden.loss, 1e-5 * golden.loss);
    for (size_t i = 0; i < learner.parameters->all().size(); ++i) {
      const LearntParameter& p = learner.parameters->all()[i];
      const LearntParameter& expected = exact.parameters->all()[i];
      const std::vector<float> g = Rows(p, p.gradient.data()), e = Rows(expected, expected.value);
      std::vector<float> difference(g.size());
      for (size_t j = 0; j < g.size(); ++j) difference[j] = g[j] - e[j];
      EXPECT_LE(Norm(difference), 1e-4 * Norm(e) + 1e-6 * std::sqrt(all)) << p.name << " " << p.part;
    }
  }
}

// WriteSafetensors writes what the loader reads, transposed and joined tensors included.
TEST_P(OneSidedGradient, WeightsAreWrittenAsTheyWereRead) {
  Learner learner(GetParam(), 1), again(GetParam(), 1);
  std::string file;
  WriteSafetensors(learner.slots, FloatsAs::kF32, [&](std::string_view bytes) { file += bytes; });
  for (LearntParameter& p : again.parameters->all()) std::fill_n(p.value, p.size, 0.0f);
  SafetensorsReader reader(again.slots, file.size());
  const Result<void> fed = FeedAll(reader, {reinterpret_cast<const uint8_t*>(file.data()), file.size()});
  ASSERT_TRUE(fed) << fed.error().ToString();
  const Parameters read(again.slots, /*gradients=*/false);
  for (size_t i = 0; i < read.all().size(); ++i) {
    const LearntParameter &was = learner.parameters->all()[i], &is = read.all()[i];
    EXPECT_EQ(Rows(was, was.value), Rows(is, is.value)) << was.name << " " << was.part;
  }
}

// The rows of a loss pass. The dropout rates follow a config's other fields.
Matrix TaughtUnder(const std::string& rates) {
  const Result<Gpt2Config> config =
      ParseGpt2Config(R"({"n_embd": 8, "n_layer": 1, "n_head": 2, "vocab_size": 16, "n_positions": 8)" + rates + "}");
  Gpt2 model(config.value());
  WeightSlots slots = model.Slots();
  ReserveFloats(slots);
  Parameters parameters(slots, /*gradients=*/false);
  Initialise(parameters, 1);
  Arena arena;
  ThreadPool pool(1);
  Random random(1);
  Context ctx{arena, pool};
  ctx.random = &random;
  const std::vector<int32_t> ids = {1, 2, 3, 4};
  return model.ForwardForTraining(ctx, ids, Segments::One(ids.size()));
}

TEST(OneSidedDropout, EachRateOfGpt2IsItsOwn) {
  const Matrix plain = TaughtUnder("");
  EXPECT_EQ(TaughtUnder(R"(, "embd_pdrop": 0)"), plain);
  const Matrix embeddings = TaughtUnder(R"(, "embd_pdrop": 0.5)"), blocks = TaughtUnder(R"(, "resid_pdrop": 0.5)");
  EXPECT_NE(embeddings, plain);
  EXPECT_NE(blocks, plain);
  EXPECT_NE(blocks, TaughtUnder(R"(, "resid_pdrop": 0.5, "embd_pdrop": 0.5)"));
  EXPECT_FALSE(ParseGpt2Config(R"({"n_embd": 8, "n_layer": 1, "n_head": 2, "vocab_size": 16, "n_positions": 8,
                                   "embd_pdrop": 1})"));
}

}  // namespace
}  // namespace qkv
