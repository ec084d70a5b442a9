// Encoder-only and decoder-only models against PyTorch in float64: every hidden number, logit and attention weight is
// within twice the error of PyTorch's own float32, and continuations are the same. Also other file formats: PyTorch's
// own, shards, int8.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "core/encode/encode_job.h"
#include "core/encode/predictions.h"
#include "core/generate/generate_job.h"
#include "core/load/folder.h"
#include "tests/core/goldens.h"

namespace qkv {
namespace {

const std::string kFolder = "tests/goldens/one-sided/";
constexpr const char* kEncoders[] = {"bert-masked",    "bert-sequence",       "bert-tokens",
                                     "bert-answer",    "distilbert-masked",   "distilbert-sequence",
                                     "roberta-masked", "roberta-masked-relu", "roberta-sequence"};
constexpr const char* kGenerators[] = {"gpt2", "gpt2-untied"};

template <class Model>
std::unique_ptr<Model> Load(const std::string& name, ArriveAs arrive = ArriveAs::kStored) {
  Result<LoadedFolder> loaded = LoadAnyFolder(kFolder + name, arrive);
  if (!loaded) {
    ADD_FAILURE() << loaded.error().ToString();
    std::abort();
  }
  return std::move(std::get<std::unique_ptr<Model>>(loaded->model));
}

void ExpectNear(const float* ours, const Json& golden, const std::string& what) {
  const auto& data = golden["data"];
  const double bound = 2 * golden["float32_error"].GetDouble() + 1e-6;
  for (rapidjson::SizeType i = 0; i < data.Size(); ++i) {
    ASSERT_NEAR(ours[i], data[i].GetDouble(), bound) << what << " " << i;
  }
}

std::vector<EncodeInput> Inputs(const JsonObject& goldens) {
  std::vector<EncodeInput> inputs;
  for (const Json& golden : goldens.root()["goldens"].GetArray()) {
    const Json& text = golden["text"];
    inputs.push_back({text[0].GetString()});
    if (text.Size() > 1) inputs.back().second = text[1].GetString();
  }
  return inputs;
}

std::vector<Encoded> Encode(const EncoderModel& model, const std::vector<EncodeInput>& inputs, EncodeOptions options,
                            size_t threads = 1) {
  Arena arena;
  ThreadPool pool(threads);
  Context ctx{arena, pool};
  EncodeJob job(model, inputs, options);
  while (!job.Step(ctx)) continue;
  return job.results();
}

std::string TestName(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  std::erase(name, '-');
  return name;
}

class EncoderGolden : public testing::TestWithParam<const char*> {
 protected:
  const std::unique_ptr<EncoderModel> model_ = Load<EncoderModel>(GetParam());
  const JsonObject goldens_ = ReadGoldens(kFolder + GetParam() + "/goldens.json");
  const Json& Goldens() const { return goldens_.root()["goldens"]; }
};
INSTANTIATE_TEST_SUITE_P(Layouts, EncoderGolden, testing::ValuesIn(kEncoders), TestName);

TEST_P(EncoderGolden, EveryNumberIsPyTorchs) {
  const std::vector<EncodeInput> inputs = Inputs(goldens_);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Json& golden = Goldens()[static_cast<rapidjson::SizeType>(i)];
    const Encoded result = Encode(*model_, {inputs[i]}, {.hidden = true, .head = true, .trace = true}).front();
    ASSERT_EQ(result.encoding.ids, Ids(golden["ids"]));
    ASSERT_EQ(static_cast<size_t>(result.hidden.size()), golden["hidden"]["data"].Size());
    ASSERT_EQ(static_cast<size_t>(result.logits.size()), golden["logits"]["data"].Size());
    ASSERT_EQ(result.attention.weights.size(), golden["attention"]["data"].Size());
    ExpectNear(result.hidden.data(), golden["hidden"], "hidden");
    ExpectNear(result.logits.data(), golden["logits"], "logits");
    ExpectNear(result.attention.weights.data(), golden["attention"], "attention");
  }
}

TEST_P(EncoderGolden, AloneInABatchAndOnTwoThreadsAreEqual) {
  const std::vector<EncodeInput> inputs = Inputs(goldens_);
  const std::vector<Encoded> batch = Encode(*model_, inputs, {.hidden = true, .head = true}, 2);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Encoded alone = Encode(*model_, {inputs[i]}, {.hidden = true, .head = true}).front();
    EXPECT_EQ(alone.hidden, batch[i].hidden);  // bit for bit
    EXPECT_EQ(alone.logits, batch[i].logits);
  }
}

TEST_P(EncoderGolden, EmptyAndEndlessTextsAreEncoded) {
  const std::string endless(20000, 'x');
  for (const EncodeInput& input :
       {EncodeInput{""}, EncodeInput{endless}, EncodeInput{"a b c", endless + " " + endless}}) {
    const Encoded result = Encode(*model_, {input}, {.hidden = true, .head = true}).front();
    EXPECT_LE(result.encoding.size(), model_->config().longest());
    EXPECT_EQ(static_cast<size_t>(result.hidden.rows()), result.encoding.size());
    EXPECT_TRUE(result.hidden.allFinite());
  }
}

// Without this check rows behind the table of positions were read from the memory that follows it.
TEST(Encoders, APostProcessorOfMorePiecesThanPositionsIsRefused) {
  const std::string folder = kFolder + std::string("bert-masked/");
  SmallFiles files = {{"config.json", ReadBytes(folder + "config.json")},
                      {"tokenizer.json", ReadBytes(folder + "tokenizer.json")}};
  ASSERT_TRUE(EncoderModel::Create(files));
  std::string& tokenizer = files[1].second;
  const std::string ids = "\"ids\":[2]";
  ASSERT_NE(tokenizer.find(ids), std::string::npos);
  std::string many = "\"ids\":[2";
  for (size_t i = 0; i < 40; ++i) many += ",2";  // the model has 40 positions
  tokenizer.replace(tokenizer.find(ids), ids.size(), many + "]");
  const auto model = EncoderModel::Create(files);
  ASSERT_FALSE(model);
  EXPECT_EQ(model.error().where, "tokenizer.json, post_processor") << model.error().ToString();
}

TEST(Readings, SayWhatLogitsMean) {
  const float logits[] = {1, 3, 2};
  const std::vector<Guess> guesses = Guesses(logits, 3, 2);
  ASSERT_EQ(guesses.size(), 2u);
  EXPECT_EQ(guesses[0].id, 1);
  EXPECT_NEAR(guesses[0].log_prob, 3 - std::log(std::exp(1.0) + std::exp(3.0) + std::exp(2.0)), 1e-6);
  EXPECT_NEAR(LabelScores(logits, 3, EncoderConfig::Choice::kSeveral)[0], 1 / (1 + std::exp(-1.0)), 1e-6);
  EXPECT_EQ(LabelScores(logits, 3, EncoderConfig::Choice::kNumber)[1], 3);
  const std::vector<float> one = LabelScores(logits, 3, EncoderConfig::Choice::kOne);
  EXPECT_NEAR(one[0] + one[1] + one[2], 1, 1e-6);
}

TEST(Readings, AnswersAreTheLikeliestSpansThatDoNotOverlap) {
  Encoded encoded;
  encoded.encoding.ids = {1, 5, 2, 6, 7, 8, 2};
  encoded.encoding.text = {-1, 0, -1, 1, 1, 1, -1};
  encoded.logits = Matrix::Zero(7, 2);
  encoded.logits(1, 0) = 100;  // answers are not searched for in the question
  encoded.logits(4, 0) = 5;
  encoded.logits(5, 1) = 5;
  const std::vector<Answer> answers = FindAnswers(encoded, 3, 10);
  ASSERT_GE(answers.size(), 2u);
  EXPECT_EQ(answers[0].first, 4u);
  EXPECT_EQ(answers[0].last, 5u);
  EXPECT_EQ(answers[1].first, 3u);
  EXPECT_EQ(answers[1].last, 3u);
  EXPECT_EQ(FindAnswers(encoded, 1, 1)[0].first, FindAnswers(encoded, 1, 1)[0].last);
}

class GeneratorGolden : public testing::TestWithParam<const char*> {
 protected:
  std::vector<int32_t> Written(const std::string& prompt, GenerateOptions options, size_t threads = 1) {
    Arena arena;
    ThreadPool pool(threads);
    Context ctx{arena, pool};
    GenerateJob job(*model_, prompt, std::move(options));
    while (!job.Step(ctx)) continue;
    text_ = job.text();
    end_ = job.end();
    std::vector<int32_t> ids;
    log_probs_.clear();
    for (const WrittenPiece& piece : job.pieces()) {
      ids.push_back(piece.id);
      log_probs_.push_back(piece.log_prob);
    }
    return ids;
  }

  const std::unique_ptr<GeneratorModel> model_ = Load<GeneratorModel>(GetParam());
  const JsonObject goldens_ = ReadGoldens(kFolder + GetParam() + "/goldens.json");
  const Json& Goldens() const { return goldens_.root()["goldens"]; }
  std::string text_;
  GenerateJob::End end_ = GenerateJob::End::kNone;
  std::vector<float> log_probs_;
};
INSTANTIATE_TEST_SUITE_P(Layouts, GeneratorGolden, testing::ValuesIn(kGenerators), TestName);

TEST_P(GeneratorGolden, EveryNumberIsPyTorchs) {
  Arena arena;
  ThreadPool pool(1);
  Context ctx{arena, pool};
  for (const Json& golden : Goldens().GetArray()) {
    const std::vector<int32_t> ids = Ids(golden["ids"]);
    AttentionTrace trace;
    const Gpt2Config& config = model_->config();
    trace.Reserve(AttentionKind::kDecoderSelf, config.layers, config.heads, ids.size(), ids.size());
    Context traced = ctx;
    traced.trace = &trace;
    Gpt2State state(config, 1);
    Matrix x = model_->decoder().Embed(ctx, ids, state);
    for (size_t layer = 0; layer < config.layers; ++layer) {
      const Matrix next = model_->decoder().LayerStep(traced, layer, View(x), state);
      x = next;
    }
    const MatrixView logits = model_->decoder().Logits(ctx, {x.data() + (x.rows() - 1) * x.cols(), 1, x.cols()});
    ASSERT_EQ(static_cast<size_t>(logits.size()), golden["logits"]["data"].Size());
    ExpectNear(logits.data(), golden["logits"], "logits");
    const AttentionMap map = trace.Take(AttentionKind::kDecoderSelf);
    ASSERT_EQ(map.weights.size(), golden["attention"]["data"].Size());
    ExpectNear(map.weights.data(), golden["attention"], "attention");
  }
}

TEST_P(GeneratorGolden, ContinuationsArePyTorchs) {
  for (const Json& golden : Goldens().GetArray()) {
    const std::string prompt = golden["text"][0].GetString();
    for (const auto& [key, penalty] : {std::pair("greedy", 1.0f), std::pair("penalised", 1.3f)}) {
      std::vector<int32_t> ids = Ids(golden["ids"]);
      const std::vector<int32_t> written = Written(
          prompt, {.sampling = {.repetition_penalty = penalty}, .max_length = Ids(golden[key]).size() - ids.size()});
      ids.insert(ids.end(), written.begin(), written.end());
      EXPECT_EQ(ids, Ids(golden[key])) << prompt;
    }
  }
}

TEST_P(GeneratorGolden, ASeedDrawsTheSameAndAnotherAnother) {
  const auto draw = [&](uint64_t seed, size_t threads = 1) {
    return Written("The cat", {.sampling = {.temperature = 1.5f, .seed = seed}, .max_length = 20}, threads);
  };
  EXPECT_EQ(draw(7), draw(7));
  EXPECT_EQ(draw(7), draw(7, 2));
  EXPECT_NE(draw(7), draw(8));
}

TEST_P(GeneratorGolden, EndsWhereItIsTold) {
  EXPECT_EQ(Written("The cat", {.max_length = 0}).size(), 0u);
  Written("The cat", {.max_length = 12});
  const std::string whole = text_;
  EXPECT_EQ(end_, GenerateJob::End::kLength);
  ASSERT_GT(whole.size(), 4u);
  const std::string stop = whole.substr(3, 2);
  Written("The cat", {.max_length = 12, .stops = {"never there", stop}});
  EXPECT_EQ(end_, GenerateJob::End::kStop);
  EXPECT_EQ(text_, whole.substr(0, whole.find(stop)));
}

TEST_P(GeneratorGolden, PromptsMayBeEmptyOrEndless) {
  EXPECT_EQ(Written("", {.max_length = 3}).size(), 3u);
  EXPECT_EQ(Written(std::string(5000, 'x'), {.max_length = 5}).size(), 5u);
  EXPECT_LE(Written("a", {.max_length = 100000}).size(), model_->config().positions);
}

TEST_P(GeneratorGolden, APromptIsKeptHoweverLongTheTextMayBecome) {
  const std::string prompt = "Where is the kitchen?";
  const size_t positions = model_->config().positions, read = model_->tokenizer().Pieces(prompt).size();
  const std::vector<int32_t> few = Written(prompt, {.max_length = 8});
  for (const size_t most : {positions - 1, positions, size_t{100000}}) {
    std::vector<int32_t> many = Written(prompt, {.max_length = most});
    EXPECT_LE(many.size(), positions - read + 1);
    ASSERT_GE(many.size(), few.size());
    many.resize(few.size());
    EXPECT_EQ(many, few) << most;
  }
  EXPECT_GT(Written(std::string(5000, 'x'), {.max_length = 100000}).size(), 1u);
}

TEST_P(GeneratorGolden, TheTraceIsWhatIsDecodedPieceByPiece) {
  Arena arena;
  ThreadPool pool(1);
  Context ctx{arena, pool};
  GenerationTraceJob job(*model_, "The cat sleeps on the chair.", 3);
  while (!job.Step(ctx)) continue;
  const std::vector<int32_t>& ids = job.encoding().ids;
  ASSERT_EQ(job.log_probs().size() + 1, ids.size());
  ASSERT_EQ(job.alternatives().size(), 3 * ids.size());
  Gpt2State state(model_->config(), 1);
  for (size_t t = 0; t < ids.size(); ++t) {
    const MatrixView x = model_->decoder().Step(ctx, {&ids[t], 1}, state);
    const MatrixView logits = model_->decoder().Logits(ctx, View(x));
    const std::vector<Guess> all =
        Guesses(logits.data(), static_cast<size_t>(logits.cols()), model_->config().vocabulary);
    EXPECT_EQ(job.alternatives()[3 * t].id, all[0].id);
    for (const Guess& guess : all) {
      if (t + 1 < ids.size() && guess.id == ids[t + 1]) EXPECT_EQ(job.log_probs()[t], guess.log_prob);
    }
  }
  const AttentionMap& map = job.attention();
  for (size_t t = 0; t < map.targets; ++t) EXPECT_EQ(map.Row(0, 0, t)[map.sources - 1] != 0, t + 1 == map.targets);
}

// Statistics: draws follow the distribution after the cuts and the temperature that are asked for.
TEST(Sampling, DrawsFromTheDistributionThatIsAsked) {
  const std::vector<float> logits = {2, 1, 0, -1, -1};
  const auto frequencies = [&](SamplingOptions options) {
    std::vector<double> counts(logits.size());
    Sampler sampler(options);
    constexpr int kDraws = 20000;
    for (int i = 0; i < kDraws; ++i) {
      std::vector<float> row = logits;
      counts[static_cast<size_t>(sampler.Choose(row, {}))] += 1.0 / kDraws;
    }
    return counts;
  };
  const auto softmax = [&](double temperature, size_t kept) {
    std::vector<double> p(logits.size());
    double sum = 0;
    for (size_t i = 0; i < kept; ++i) sum += p[i] = std::exp(logits[i] / temperature);
    for (double& each : p) each /= sum;
    return p;
  };
  const auto expect = [&](SamplingOptions options, const std::vector<double>& p) {
    const std::vector<double> found = frequencies(options);
    for (size_t i = 0; i < p.size(); ++i) {
      EXPECT_NEAR(found[i], p[i], 4.5 * std::sqrt(p[i] * (1 - p[i]) / 20000) + 1e-9)
          << i;  // four and a half standard deviations
    }
  };
  expect({.temperature = 1}, softmax(1, 5));
  expect({.temperature = 0.5f}, softmax(0.5, 5));
  expect({.temperature = 2, .top_k = 2}, softmax(2, 2));
  expect({.temperature = 1, .top_k = 4}, softmax(1, 5));  // the fifth is as probable as the fourth
  expect({.temperature = 1, .top_p = 0.7f}, softmax(1, 2));
  expect({.temperature = 1, .top_p = 1e-6f}, softmax(1, 1));
  expect({.temperature = 0}, softmax(1, 1));
}

TEST(Sampling, WhatIsNoNumberIsNeverDrawn) {
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (const float temperature : {0.0f, 1.0f}) {
    Sampler sampler({.temperature = temperature});
    std::vector<float> some = {nan, -infinity, 1, nan}, none = {nan, -infinity};
    EXPECT_EQ(sampler.Choose(some, {}), 2);
    EXPECT_EQ(sampler.Choose(none, {}), -1);
  }
}

TEST(Arriving, AsInt8IsNearTheFloats) {
  const auto floats = Load<EncoderModel>("bert-masked"), int8 = Load<EncoderModel>("bert-masked", ArriveAs::kInt8);
  const std::vector<EncodeInput> inputs = {{"The cat sleeps on the [MASK]."}};
  const Encoded a = Encode(*floats, inputs, {.hidden = true}).front(),
                b = Encode(*int8, inputs, {.hidden = true}).front();
  EXPECT_NE(a.hidden, b.hidden);
  EXPECT_LT((a.hidden - b.hidden).norm(), 0.05 * a.hidden.norm());
  const auto gpt2 = Load<GeneratorModel>("gpt2", ArriveAs::kInt8);  // whose matrices are transposed
  EXPECT_EQ(gpt2->tokenizer().size(), gpt2->config().vocabulary);
}

}  // namespace
}  // namespace qkv
