// Changes to a forward pass: against PyTorch with hooks, in every kind of model; and the errors of descriptions.
#include <gtest/gtest.h>

#include <cmath>

#include "core/encode/encode_job.h"
#include "core/explain/change_list.h"
#include "core/generate/generate_job.h"
#include "core/kernels/softmax.h"
#include "core/load/folder.h"
#include "core/translate/replay.h"
#include "core/translate/translation.h"
#include "tests/core/rnn_goldens.h"

namespace qkv {
namespace {

using Changing = std::shared_ptr<const ChangeList>;

Changing Parsed(const std::string& text, const ChangeablePlaces& places) {
  Result<Changing> parsed = ParseChanges(text, places);
  if (parsed) return *parsed;
  ADD_FAILURE() << text << ": " << parsed.error().ToString();
  return nullptr;
}

// What the goldens keep of a row of weights.
double Projected(const float* weights, size_t keys) {
  double sum = 0;
  for (size_t j = 0; j < keys; ++j) sum += static_cast<double>(weights[j]) * std::cos(static_cast<double>(j + 1));
  return sum;
}

void ExpectNear(double ours, const Json& golden, double bound) {
  EXPECT_NEAR(ours, golden.GetDouble(), bound + 1e-6 * std::abs(golden.GetDouble()));
}

constexpr double kLogProbBound = 2e-5, kRowBound = 3e-6;

// One layer of a map, [heads, targets].
void ExpectRows(const AttentionMap& map, size_t layer, const Json& golden) {
  ASSERT_EQ(golden.Size(), map.heads * map.targets);
  for (size_t h = 0; h < map.heads; ++h) {
    for (size_t t = 0; t < map.targets; ++t) {
      ExpectNear(Projected(map.Row(layer, h, t), map.sources),
                 golden[static_cast<rapidjson::SizeType>(h * map.targets + t)], kRowBound);
    }
  }
}

// A forced pass with changes: log-probabilities and every map.
struct Pass {
  std::vector<float> log_probs;
  AttentionMap encoder_self, decoder_self, cross;
};

Pass Forced(const SequenceModel& model, const std::vector<int32_t>& source, const std::vector<int32_t>& target,
            const PassChanges& changes, const std::vector<int32_t>& banned) {
  Arena arena;
  ThreadPool pool(2);
  AttentionTrace trace;
  const Interventions interventions(changes);
  Context ctx{.arena = arena, .pool = pool, .trace = &trace, .interventions = &interventions};
  const SequenceConfig& config = model.config();
  const auto reserve = [&](AttentionKind kind, const AttentionShape& shape, size_t targets, size_t sources) {
    trace.Reserve(kind, shape.layers, shape.heads, targets, sources);
  };
  reserve(AttentionKind::kEncoderSelf, config.encoder_self, source.size(), source.size());
  reserve(AttentionKind::kDecoderSelf, config.decoder_self, target.size(), target.size());
  reserve(AttentionKind::kCross, config.cross, target.size(), source.size());
  const auto encoder = model.Encode(source, Segments::One(source.size()));
  while (!encoder->Step(ctx)) continue;
  const auto decoder = model.Force(encoder->Start(ctx, {0}), DecoderInput(target, config.start));
  while (!decoder->Step(ctx)) continue;
  MatrixView logits = model.Logits(ctx, decoder->rows());
  for (const int32_t piece : banned) logits.col(piece).setConstant(-std::numeric_limits<float>::infinity());
  LogSoftmax(logits);
  Pass pass{{},
            trace.Take(AttentionKind::kEncoderSelf),
            trace.Take(AttentionKind::kDecoderSelf),
            trace.Take(AttentionKind::kCross)};
  for (size_t t = 0; t < target.size(); ++t) pass.log_probs.push_back(logits(static_cast<Eigen::Index>(t), target[t]));
  return pass;
}

void ExpectLogProbs(const std::vector<float>& ours, const Json& golden) {
  ASSERT_EQ(ours.size(), golden.Size());
  for (size_t t = 0; t < ours.size(); ++t) {
    ExpectNear(static_cast<double>(ours[t]), golden[static_cast<rapidjson::SizeType>(t)], kLogProbBound);
  }
}

const JsonObject& Goldens() {
  static const auto& goldens = *new JsonObject(ReadGoldens("tests/goldens/interventions.json"));
  return goldens;
}

// Calls test(golden, changes as text) for each case that has this field with this beginning. Returns how many.
template <class Test>
size_t ForEachGolden(const char* field, std::string_view begins, const Test& test) {
  size_t count = 0;
  for (const Json& golden : Goldens().root()["cases"].GetArray()) {
    if (!golden.HasMember(field) || !std::string_view(golden[field].GetString()).starts_with(begins)) continue;
    const std::string changes = Text(golden["changes"]);
    SCOPED_TRACE(std::string(golden[field].GetString()) + " " + changes);
    test(golden, changes);
    ++count;
  }
  return count;
}

// The log-probabilities of the same target for several sources, one batch: [sources, target].
std::vector<float> ForcedTogether(const SequenceModel& model, const std::vector<std::vector<int32_t>>& sources,
                                  const std::vector<int32_t>& target, const Interventions* interventions) {
  Arena arena;
  ThreadPool pool(2);
  Context ctx{.arena = arena, .pool = pool, .interventions = interventions};
  std::vector<int32_t> ids, segment, read;
  Segments segments;
  for (const std::vector<int32_t>& source : sources) {
    segment.push_back(static_cast<int32_t>(segment.size()));
    segments.Add(source.size());
    ids.insert(ids.end(), source.begin(), source.end());
    const std::vector<int32_t> input = DecoderInput(target, model.config().start);
    read.insert(read.end(), input.begin(), input.end());
  }
  const auto encoder = model.Encode(ids, segments);
  while (!encoder->Step(ctx)) continue;
  const auto decoder = model.Force(encoder->Start(ctx, segment), read);
  while (!decoder->Step(ctx)) continue;
  MatrixView logits = model.Logits(ctx, decoder->rows());
  LogSoftmax(logits);
  std::vector<float> log_probs;
  for (Eigen::Index row = 0; row < logits.rows(); ++row) {
    log_probs.push_back(logits(row, target[static_cast<size_t>(row) % target.size()]));
  }
  return log_probs;
}

// A list of changes, each for this sentence alone.
std::string ForSentence(std::string changes, size_t sentence) {
  const std::string field = "{\"sentence\":" + std::to_string(sentence) + ",";
  for (size_t at = 0; (at = changes.find('{', at)) != std::string::npos; at += field.size()) {
    changes.replace(at, 1, field);
  }
  return changes;
}

// Of three sentences in a batch the second one has the changes: it has the bits that it has alone with them, and the
// others have the bits that they have alone without any.
void ExpectOneIsChanged(const SequenceModel& model, const std::vector<int32_t>& source,
                        const std::vector<int32_t>& target, const std::string& changes) {
  const ChangeablePlaces places = ChangeablePlaces::Of(model.config());
  const Changing list = Parsed(changes, places), of_one = Parsed(ForSentence(changes, 1), places);
  const Interventions all(*list), one(*of_one);
  std::vector<int32_t> longer(source.begin(), source.end() - 1);  // another length, so that rows do not stand alike
  longer.insert(longer.end(), source.begin(), source.end());
  std::vector<float> wanted = ForcedTogether(model, {longer}, target, nullptr);
  for (const Interventions* interventions : {&all, static_cast<const Interventions*>(nullptr)}) {
    const std::vector<float> alone = ForcedTogether(model, {source}, target, interventions);
    wanted.insert(wanted.end(), alone.begin(), alone.end());
  }
  EXPECT_EQ(ForcedTogether(model, {longer, source, source}, target, &one), wanted);
}

// Every golden of translation models in folders that begin so. Returns how many.
size_t ExpectTranslationGoldens(std::string_view folders) {
  return ForEachGolden("folder", folders, [](const Json& golden, const std::string& changes) {
    const TranslationModel* model = SharedModel(std::string("tests/goldens/") + golden["folder"].GetString());
    ASSERT_NE(model, nullptr);
    const Changing list = Parsed(changes, ChangeablePlaces::Of(model->config()));
    ASSERT_NE(list, nullptr);
    const std::vector<int32_t> source = Ids(golden["source"]), target = Ids(golden["target"]);
    const Pass pass = Forced(model->model(), source, target, *list, model->generation().banned);
    ExpectLogProbs(pass.log_probs, golden["log_probs"]);
    // Rows of the encoder's layers, then of each layer of the decoder: its self-attention, if it has one, and cross.
    const bool attends = model->config().gates == 0;
    const size_t encoder = pass.encoder_self.layers, decoder = pass.cross.layers;
    ASSERT_EQ(golden["rows"].Size(), encoder + (attends ? 2 : 1) * decoder);
    rapidjson::SizeType at = 0;
    for (size_t i = 0; i < encoder; ++i) ExpectRows(pass.encoder_self, i, golden["rows"][at++]);
    for (size_t i = 0; i < decoder; ++i) {
      if (attends) ExpectRows(pass.decoder_self, i, golden["rows"][at++]);
      ExpectRows(pass.cross, i, golden["rows"][at++]);
    }
    ExpectOneIsChanged(model->model(), source, target, changes);
  });
}

TEST(Interventions, TransformersComputeWhatPyTorchDoes) { EXPECT_GT(ExpectTranslationGoldens("models/"), 100u); }

// Firefox's models: an SSRU in the place of the decoder's self-attention.
TEST(Interventions, DecodersWithSsrusComputeWhatNumPyDoes) { EXPECT_GT(ExpectTranslationGoldens("marian/"), 80u); }

// Every golden of recurrent models with soft attention, or with hard attention. Returns how many.
size_t ExpectRecurrentGoldens(bool hard) {
  size_t count = 0;
  ForEachRnnCase(
      [&](RnnCase& recurrent) {
        ForEachGolden("name", recurrent.name(), [&](const Json& golden, const std::string& changes) {
          if (recurrent.name() != golden["name"].GetString()) return;  // a longer name
          if (golden.HasMember("hard") != hard) return;
          const Changing list = Parsed(changes, ChangeablePlaces::Of(recurrent.model->config()));
          ASSERT_NE(list, nullptr);
          const std::span<const int32_t> source = recurrent.source(0), target = recurrent.target(0);
          const Pass pass =
              Forced(*recurrent.model, {source.begin(), source.end()}, {target.begin(), target.end()}, *list, {});
          ExpectLogProbs(pass.log_probs, golden["log_probs"]);
          if (golden["rows"].Size() == 2) ExpectRows(pass.encoder_self, 0, golden["rows"][0]);
          ExpectRows(pass.cross, 0, golden["rows"][golden["rows"].Size() - 1]);
          ExpectOneIsChanged(*recurrent.model, {source.begin(), source.end()}, {target.begin(), target.end()}, changes);
          ++count;
        });
      },
      hard);
  return count;
}

TEST(Interventions, RecurrentModelsComputeWhatPyTorchDoes) { EXPECT_GT(ExpectRecurrentGoldens(false), 220u); }

// One place is read: the one of the largest weight after the changes.
TEST(Interventions, HardAttentionComputesWhatPyTorchDoes) { EXPECT_GT(ExpectRecurrentGoldens(true), 40u); }

TEST(Interventions, EncodersComputeWhatPyTorchDoes) {
  auto loaded = LoadAnyFolder("tests/goldens/one-sided/bert-masked", ArriveAs::kStored);
  ASSERT_TRUE(loaded);
  const auto& model = *std::get<std::unique_ptr<EncoderModel>>(loaded->model);
  const EncoderConfig& config = model.config();
  const size_t count = ForEachGolden("folder", "one-sided/bert", [&](const Json& golden, const std::string& changes) {
    const Changing list = Parsed(changes, ChangeablePlaces::OfEncoder(config.layers, config.heads));
    Arena arena;
    ThreadPool pool(1);
    Context ctx{arena, pool};
    EncodeJob job(model, {{golden["text"].GetString()}}, {.head = true, .trace = true, .changes = list});
    while (!job.Step(ctx)) continue;
    const Encoded& result = job.results().front();
    for (rapidjson::SizeType i = 0; i < golden["logits"].Size(); ++i) {
      ExpectNear(static_cast<double>(result.logits(0, static_cast<Eigen::Index>(i))), golden["logits"][i],
                 kLogProbBound);
    }
    for (rapidjson::SizeType i = 0; i < golden["rows"].Size(); ++i) ExpectRows(result.attention, i, golden["rows"][i]);
    // In a batch the second text alone is changed.
    const std::string text = golden["text"].GetString(), other = "Where is " + text;
    const auto encoded = [&](const std::vector<EncodeInput>& inputs, const Changing& changing) {
      EncodeJob batch(model, inputs, {.head = true, .changes = changing});
      while (!batch.Step(ctx)) continue;
      std::vector<Matrix> logits;
      for (const Encoded& each : batch.results()) logits.push_back(each.logits);
      return logits;
    };
    const Changing one = Parsed(ForSentence(changes, 1), ChangeablePlaces::OfEncoder(config.layers, config.heads));
    const std::vector<Matrix> together = encoded({{other}, {text}, {text}}, one);
    EXPECT_EQ(together[0], encoded({{other}}, nullptr)[0]);
    EXPECT_EQ(together[1], result.logits);
    EXPECT_EQ(together[2], encoded({{text}}, nullptr)[0]);
  });
  EXPECT_GT(count, 15u);
}

TEST(Interventions, GeneratorsComputeWhatPyTorchDoes) {
  auto loaded = LoadAnyFolder("tests/goldens/one-sided/gpt2", ArriveAs::kStored);
  ASSERT_TRUE(loaded);
  const auto& model = *std::get<std::unique_ptr<GeneratorModel>>(loaded->model);
  const Gpt2Config& config = model.config();
  size_t compared = 0;  // pieces
  const size_t count = ForEachGolden("folder", "one-sided/gpt2", [&](const Json& golden, const std::string& changes) {
    const Changing list = Parsed(changes, ChangeablePlaces::OfDecoder(config.layers, config.heads));
    Arena arena;
    ThreadPool pool(1);
    Context ctx{arena, pool};
    GenerationTraceJob job(model, golden["text"].GetString(), 1, list);
    while (!job.Step(ctx)) continue;
    ExpectLogProbs(job.log_probs(), golden["log_probs"]);
    for (rapidjson::SizeType i = 0; i < golden["rows"].Size(); ++i) ExpectRows(job.attention(), i, golden["rows"][i]);
    // A step reads one piece with the keys of the earlier ones, and computes what the whole pass does.
    GenerateJob generate(model, golden["text"].GetString(), {.max_length = 3, .changes = list});
    while (!generate.Step(ctx)) continue;
    GenerationTraceJob again(model, golden["text"].GetString() + generate.text(), 1, list);
    while (!again.Step(ctx)) continue;
    const size_t read = job.encoding().size();
    if (again.encoding().size() < read + generate.pieces().size()) return;  // it reads the text in other pieces
    for (size_t i = 0; i < generate.pieces().size(); ++i) {
      if (again.encoding().ids[read + i] != generate.pieces()[i].id) break;
      ++compared;
      EXPECT_NEAR(again.log_probs()[read + i - 1], generate.pieces()[i].log_prob, 1e-5);
    }
  });
  EXPECT_GT(count, 15u);
  EXPECT_GT(compared, 20u);
}

const char* const kTexts[] = {"I love you.", "Where is the station?", "My brother lives in a big white house."};

std::vector<Translation> Translated(const TranslationModel& model, const std::vector<std::string>& texts,
                                    const std::string& changes, size_t threads = 1, size_t first = 0) {
  Arena arena;
  ThreadPool pool(threads);
  Context ctx{arena, pool};
  DecodeOptions options{.beam = 3, .n_best = 2, .align = true, .first_sentence = first};
  if (!changes.empty()) options.changes = Parsed(changes, ChangeablePlaces::Of(model.config()));
  TranslationJob job(model, texts, options);
  while (!job.Step(ctx)) continue;
  return job.results();
}

void ExpectSame(const Translation& a, const Translation& b) {
  EXPECT_EQ(a.text, b.text);
  EXPECT_EQ(a.ids, b.ids);
  EXPECT_EQ(a.log_prob, b.log_prob);  // bit for bit
  EXPECT_EQ(a.alignment.weights, b.alignment.weights);
  ASSERT_EQ(a.n_best.size(), b.n_best.size());
  for (size_t i = 0; i < a.n_best.size(); ++i) EXPECT_EQ(a.n_best[i].log_prob, b.n_best[i].log_prob);
}

class InABatch : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Models, InABatch, testing::Values("web/models/en-fr", "web/models/compared/luong-local"),
                         [](const auto& info) { return std::string(info.index == 0 ? "Transformer" : "Recurrent"); });

TEST_P(InABatch, OneSentenceIsChangedAndTheOthersKeepEveryBit) {
  const TranslationModel* model = SharedModel(GetParam());
  ASSERT_NE(model, nullptr);
  const std::vector<std::string> texts(std::begin(kTexts), std::end(kTexts));
  const std::string blocks =
      model->config().feed_forward ? R"(,{"kind":"off","block":"layer","layer":1,"sentence":1})" : "";
  const std::string one = R"([{"kind":"hide","attention":"cross","keys":[1,2],"sentence":1})" + blocks + "]";
  const std::vector<Translation> plain = Translated(*model, texts, ""), changed = Translated(*model, texts, one);
  const std::vector<Translation> threads = Translated(*model, texts, one, 3);
  ExpectSame(plain[0], changed[0]);
  ExpectSame(plain[2], changed[2]);
  EXPECT_NE(plain[1].log_prob, changed[1].log_prob);
  ExpectSame(Translated(*model, {texts[1]}, one, 1, 1)[0], changed[1]);
  for (size_t i = 0; i < texts.size(); ++i) ExpectSame(changed[i], threads[i]);
  // A change that changes nothing gives the same bits as none.
  const std::vector<Translation> same = Translated(*model, texts, R"([{"kind":"add","value":0,"attention":"cross"}])");
  for (size_t i = 0; i < texts.size(); ++i) ExpectSame(plain[i], same[i]);
}

TEST_P(InABatch, AReplayGivesTheSearchsLogProbability) {
  const TranslationModel* model = SharedModel(GetParam());
  ASSERT_NE(model, nullptr);
  Arena arena;
  ThreadPool pool(1);
  Context ctx{arena, pool};
  DecodeOptions options{.beam = 2, .shortlist = false};
  options.changes = Parsed(R"([{"kind":"set","attention":"cross","queries":[0,1],"keys":[0],"weights":[1]},
                               {"kind":"temperature","value":1.5}])",
                           ChangeablePlaces::Of(model->config()));
  ReplayJob job(*model, kTexts[2], std::nullopt, ReplayKind::kTrace, options);
  while (!job.Step(ctx)) continue;
  TranslationJob search(*model, {kTexts[2]}, options);
  while (!search.Step(ctx)) continue;
  EXPECT_EQ(job.result().changes, options.changes);  // a trace says what was in force
  EXPECT_EQ(job.result().target.text, search.results()[0].text);
  EXPECT_NEAR(job.result().log_prob, search.results()[0].log_prob, 1e-4);
}

// Local-p multiplies weights by a Gaussian, but not those that are given.
TEST(Interventions, GivenWeightsAreNotShapedByAWindow) {
  const TranslationModel* model = SharedModel("web/models/compared/luong-local");
  ASSERT_NE(model, nullptr);
  Arena arena;
  ThreadPool pool(1);
  Context ctx{arena, pool};
  DecodeOptions options{.beam = 1};
  options.changes = Parsed(R"([{"kind":"set","queries":[0],"keys":[0,1],"weights":[0.25,0.75]}])",
                           ChangeablePlaces::Of(model->config()));
  ReplayJob job(*model, kTexts[2], std::nullopt, ReplayKind::kTrace, options);
  while (!job.Step(ctx)) continue;
  const float* row = job.result().cross.Row(0, 0, 0);
  double sum = 0;
  for (size_t j = 0; j < job.result().cross.sources; ++j) sum += static_cast<double>(row[j]);
  EXPECT_NEAR(sum, 1, 1e-6);
}

struct Refusal {
  const char *changes, *code, *where, *says;
};
constexpr Refusal kRefusals[] = {
    {"{}", "INVALID_ARGUMENT", "interventions", "must be a list"},
    {"[", "INVALID_ARGUMENT", "interventions", "not valid JSON"},
    {"[1]", "INVALID_ARGUMENT", "interventions[0]", "must be an object"},
    {"[{}]", "INVALID_ARGUMENT", "interventions[0].kind", "must be 'off', 'uniform'"},
    {R"([{"kind":"of"}])", "INVALID_ARGUMENT", "interventions[0].kind", "must be"},
    {R"([{"kind":"off","layr":1}])", "INVALID_ARGUMENT", "interventions[0].layr", "no such field"},
    {R"([{"kind":"off"},{"kind":"off","layer":7}])", "INVALID_ARGUMENT", "interventions[1].layer", "the last one is 3"},
    {R"([{"kind":"off","attention":"cross","layer":2}])", "INVALID_ARGUMENT", "interventions[0].layer", "there is no"},
    {R"([{"kind":"off","head":8}])", "INVALID_ARGUMENT", "interventions[0].head", "the last one is 7"},
    {R"([{"kind":"off","head":-1}])", "INVALID_ARGUMENT", "interventions[0].head", "whole number"},
    {R"([{"kind":"off","head":0.5}])", "INVALID_ARGUMENT", "interventions[0].head", "whole number"},
    {R"([{"kind":"off","attention":"self"}])", "INVALID_ARGUMENT", "interventions[0].attention", "must be 'encoder'"},
    {R"([{"kind":"off","queries":[]}])", "INVALID_ARGUMENT", "interventions[0].queries", "list of places"},
    {R"([{"kind":"off","keys":[1,1e9]}])", "INVALID_ARGUMENT", "interventions[0].keys", "list of places"},
    {R"([{"kind":"hide"}])", "INVALID_ARGUMENT", "interventions[0].keys", "must name"},
    {R"([{"kind":"off","value":1}])", "INVALID_ARGUMENT", "interventions[0].value", "another kind"},
    {R"([{"kind":"add"}])", "INVALID_ARGUMENT", "interventions[0].value", "missing"},
    {R"([{"kind":"add","value":"1"}])", "INVALID_ARGUMENT", "interventions[0].value", "must be a number"},
    {R"([{"kind":"add","value":[[1],[1,2]]}])", "INVALID_ARGUMENT", "interventions[0].value", "must be a number"},
    {R"([{"kind":"add","keys":[1],"value":[1,2]}])", "INVALID_ARGUMENT", "interventions[0].value",
     "for each of the keys"},
    {R"([{"kind":"add","queries":[1],"value":[[1],[2]]}])", "INVALID_ARGUMENT", "interventions[0].value",
     "one row for"},
    {R"([{"kind":"add","value":1e300}])", "INVALID_ARGUMENT", "interventions[0].value", "at most 1e9"},
    {R"([{"kind":"temperature","value":0}])", "INVALID_ARGUMENT", "interventions[0].value", "above"},
    {R"([{"kind":"temperature","value":[1]}])", "INVALID_ARGUMENT", "interventions[0].value", "must be a number"},
    {R"([{"kind":"set","weights":0.5}])", "INVALID_ARGUMENT", "interventions[0].weights", "must be a list"},
    {R"([{"kind":"set","weights":[0.5,0.4]}])", "INVALID_ARGUMENT", "interventions[0].weights", "row 0 does not"},
    {R"([{"kind":"set","weights":[[1],[0.5]]}])", "INVALID_ARGUMENT", "interventions[0].weights", "row 1 does not"},
    {R"([{"kind":"set","weights":[1.5,-0.5]}])", "INVALID_ARGUMENT", "interventions[0].weights", "below 0"},
    {R"([{"kind":"uniform","block":"layer"}])", "INVALID_ARGUMENT", "interventions[0].kind", "must be 'off'"},
    {R"([{"kind":"off","block":"layer","head":1}])", "INVALID_ARGUMENT", "interventions[0].head", "is for attention"},
    {R"([{"kind":"off","block":"layer","side":"decoder","layer":2}])", "INVALID_ARGUMENT", "interventions[0].layer",
     "no"},
    {R"([{"kind":"off","side":"encoder"}])", "INVALID_ARGUMENT", "interventions[0].side", "is for the blocks"},
};

TEST(Interventions, WhatIsWrongIsRefusedByName) {
  const TranslationModel* model = SharedModel("web/models/en-fr");
  ASSERT_NE(model, nullptr);
  const ChangeablePlaces places = ChangeablePlaces::Of(model->config());
  for (const Refusal& refusal : kRefusals) {
    const Result<Changing> parsed = ParseChanges(refusal.changes, places);
    ASSERT_FALSE(parsed) << refusal.changes;
    EXPECT_EQ(Name(parsed.error().code), refusal.code) << refusal.changes;
    EXPECT_EQ(parsed.error().where, refusal.where) << refusal.changes;
    EXPECT_NE(parsed.error().message.find(refusal.says), std::string::npos) << parsed.error().message;
  }
  std::string many = "[";
  for (size_t i = 0; i <= kMostChanges; ++i) many += std::string(i == 0 ? "" : ",") + R"({"kind":"off"})";
  EXPECT_EQ(ParseChanges(many + "]", places).error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(ParseChanges(std::string(kLargestConfig + 1, ' '), places).error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(ParseChanges(std::string(200'000, '['), places).error().code, ErrorCode::kInvalidArgument);
}

// A beginning of a description is no description.
TEST(Interventions, EachTruncationIsRefused) {
  const ChangeablePlaces places = {{2, 2}, {2, 2}, {2, 2}, 2, 2};
  const std::string whole = R"([{"kind":"set","attention":"cross","layer":1,"queries":[0,1],"keys":[0,2],)"
                            R"("weights":[[0.5,0.5],[1,0]],"sentence":1},{"kind":"off","block":"layer"}])";
  ASSERT_TRUE(ParseChanges(whole, places));
  for (size_t size = 0; size < whole.size(); ++size) {
    const Result<Changing> parsed = ParseChanges(whole.substr(0, size), places);
    ASSERT_FALSE(parsed) << whole.substr(0, size);
    EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument);
    EXPECT_EQ(parsed.error().where, "interventions");
  }
}

TEST(Interventions, WhatIsNotOneListIsRefused) {
  const ChangeablePlaces places = {{2, 2}, {2, 2}, {2, 2}, 2, 2};
  for (const std::string& text :
       {std::string("null"), std::string("[],\"list\":[]"), std::string("[]}"), std::string("[]} {"),
        std::string("[]\0", 3), std::string("\xEF\xBB\xBF[]"), std::string("[] []"),
        std::string("[{\"kind\":\"o\xFF\"}]"), std::string(R"([{"kind":"off","layer":1e400}])"),
        std::string(R"([{"kind":"add","value":NaN}])"), std::string(R"([{"kind":"add","value":-Infinity}])"),
        std::string(R"([{"kind":"off","layer":01}])"), std::string(R"([{"kind":"off","layer":18446744073709551616}])"),
        std::string(R"([{"\uD800":1}])")}) {
    const Result<Changing> parsed = ParseChanges(text, places);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, ErrorCode::kInvalidArgument) << text;
    EXPECT_TRUE(parsed.error().where.starts_with("interventions")) << parsed.error().where;
  }
}

// Logits that a division or a sum takes beyond the largest float are no infinities, of which the softmax would be NaN.
TEST(Interventions, WeightsStayNumbersHoweverLargeLogitsBecome) {
  const ChangeablePlaces places = {{1, 1}, {}, {}, 1, 0};
  std::string text = R"([{"kind":"add","value":[1e9,1e9,-1e9]})";
  for (int i = 0; i < 6; ++i) text += R"(,{"kind":"temperature","value":1e-9})";
  const Changing changes = Parsed(text + "]", places);
  std::vector<float> row = {1, 1, 2, -std::numeric_limits<float>::infinity()};
  changes->ChangedSoftmax(0, {{AttentionKind::kEncoderSelf, 0}, 0, 0, 0, row});
  EXPECT_EQ(row, (std::vector<float>{0.5f, 0.5f, 0, 0}));
}

// As many places as a description may have, in a batch of rows as a long text has them: a search of each list in order
// would take minutes.
TEST(Interventions, LongListsOfPlacesCostNoMoreThanShortOnes) {
  const ChangeablePlaces places = {{1, 1}, {}, {}, 1, 0};
  std::string text = R"([{"kind":"hide","keys":[999999)";
  for (size_t i = 0; i < 140'000; ++i) text += "," + std::to_string(800'000 - i);
  const Changing changes = Parsed(text + "]}]", places);
  std::vector<float> row(512);
  for (size_t query = 0; query < 512; ++query) {
    changes->ChangedSoftmax(0, {{AttentionKind::kEncoderSelf, 0}, 0, query, 799'900, row});
    for (size_t j = 0; j < row.size(); ++j) ASSERT_EQ(row[j] == 0, j <= 100) << j;
    std::fill(row.begin(), row.end(), 0.0f);
  }
}

TEST(Interventions, WhatAModelDoesNotHaveIsUnsupported) {
  const ChangeablePlaces plain = {}, recurrent = {.encoder = {}, .decoder = {}, .cross = {1, 1}};
  for (const char* changes : {R"([{"kind":"off"}])", R"([{"kind":"off","block":"feedForward"}])"}) {
    EXPECT_EQ(ParseChanges(changes, plain).error().code, ErrorCode::kUnsupported) << changes;
  }
  EXPECT_TRUE(ParseChanges(R"([{"kind":"off","attention":"cross"}])", recurrent));
  EXPECT_EQ(ParseChanges(R"([{"kind":"off","attention":"decoder"}])", recurrent).error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(ParseChanges(R"([{"kind":"off","block":"layer"}])", recurrent).error().code, ErrorCode::kUnsupported);
  // An SSRU reads the decoder's past without attention.
  SequenceConfig ssru;
  ssru.decoder_self = {2, 1, 0};
  ssru.cross = {2, 8, 32};
  ssru.gates = 256;
  EXPECT_EQ(ParseChanges(R"([{"kind":"off","attention":"decoder"}])", ChangeablePlaces::Of(ssru)).error().code,
            ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace qkv
