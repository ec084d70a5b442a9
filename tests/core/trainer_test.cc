// Training as a whole: configs, schedules, interrupted runs.
#include "core/train/trainer.h"

#include <gtest/gtest.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "core/base/json.h"
#include "core/io/safetensors_writer.h"
#include "core/train/checkpoint.h"
#include "core/train/initialise.h"
#include "core/train/int4_weights.h"
#include "core/train/read_run_config.h"
#include "core/train/run.h"
#include "core/translate/folder.h"

namespace qkv {
namespace {

namespace fs = std::filesystem;

class TrainingRun : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("qkv-train-" + std::to_string(::getpid()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    // Words of the small model's vocabulary and their reverse.
    std::ofstream pairs(folder_ / "pairs.tsv");
    for (int i = 0; i < 64; ++i) {
      const std::string a(1, static_cast<char>('a' + i % 7)), b(1, static_cast<char>('h' + i % 5));
      pairs << a << " " << b << " " << a << "\t" << b << " " << a << "\n";
    }
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Config(const std::string& out, const std::string& more = "", int width = 24) const {
    const std::string heads = std::to_string(width / 8), size = std::to_string(width);
    return R"({"out": ")" + out + R"(", "vocabulary": ")" + fs::absolute("tests/goldens/models/tiny-f32").string() +
           R"(", "corpora": [{"path": "pairs.tsv"}], "dev": "pairs.tsv", "preset": "tiny", "steps": 12,
           "model": {"d_model": )" +
           size + R"(, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": )" + heads +
           R"(, "decoder_attention_heads": )" + heads + R"(, "encoder_ffn_dim": )" + size + R"(, "decoder_ffn_dim": )" +
           size + R"(},
           "batch": {"tokens": 120, "longest": 64}, "schedule": {"peak": 0.01, "warmup": 4},
           "average": {"from": 0.3, "every": 2}, "measure": {"every": 5}, "checkpoint": {"every": 4},
           "log": {"every": 1})" +
           more + "}";
  }
  Result<RunEnd> Train(const std::string& text, const RunOptions& options = {}) const {
    const Result<RunConfig> config = ParseRunConfig(text, "run.json");
    if (!config) return config.error();
    return qkv::Run(config.value(), text, folder_.string(), options);
  }
  std::string Bytes(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  fs::path folder_;
};

TEST_F(TrainingRun, EndsInAModelThatLoads) {
  const Result<RunEnd> end = Train(Config("run"));
  ASSERT_TRUE(end) << end.error().ToString();
  EXPECT_EQ(end.value().kind, RunEnd::Kind::kDone);
  EXPECT_EQ(end.value().step, 12u);
  auto model = LoadFolder((folder_ / "run/model").string());
  ASSERT_TRUE(model) << model.error().ToString();
  EXPECT_NE(Bytes("run/curves.html").find("<svg"), std::string::npos);
  EXPECT_EQ(Bytes("run/run.json"), Config("run"));
  // The row of the start piece is still zero.
  WeightSlots slots = (*model)->Slots();
  std::vector<float> row((*model)->config().d_model);
  std::get<Weight*>(slots.slots[0].to)->GetRow(static_cast<size_t>((*model)->config().start), row.data());
  EXPECT_EQ(std::count(row.begin(), row.end(), 0.0f), static_cast<std::ptrdiff_t>(row.size()));
}

TEST_F(TrainingRun, ContinuesFromAnyStopBitForBit) {
  ASSERT_TRUE(Train(Config("whole")));
  for (const uint64_t at : {1, 4, 7, 10}) {
    const std::string out = "stopped" + std::to_string(at);
    std::atomic<bool> stop = false;
    RunOptions options;
    options.stop = &stop;
    options.news = [&](const RunNews& news) {
      if (!news.measured && news.step == at) stop = true;
    };
    const Result<RunEnd> stopped = Train(Config(out), options);
    ASSERT_TRUE(stopped);
    EXPECT_EQ(stopped.value().kind, RunEnd::Kind::kStopped);
    RunOptions resume;
    resume.resume = true;
    resume.threads = 3;  // the number of threads changes nothing
    const Result<RunEnd> end = Train(Config(out), resume);
    ASSERT_TRUE(end) << end.error().ToString();
    EXPECT_EQ(end.value().kind, RunEnd::Kind::kDone);
    EXPECT_TRUE(Bytes(out + "/model/model.safetensors") == Bytes("whole/model/model.safetensors")) << at;
    EXPECT_TRUE(Bytes(out + "/checkpoint-12/state.safetensors") == Bytes("whole/checkpoint-12/state.safetensors"))
        << at;
  }
}

std::vector<float> TableRow(TranslationModel& model, size_t row) {
  WeightSlots slots = model.Slots();
  std::vector<float> floats(model.config().d_model);
  std::get<Weight*>(slots.slots[0].to)->GetRow(row, floats.data());
  return floats;
}

// Two pieces exchange their places and a third has another name. The first two keep what they have learnt; the third
// starts anew.
TEST_F(TrainingRun, BeginsFromAModelOfAnotherVocabulary) {
  ASSERT_TRUE(Train(Config("first")));
  const fs::path turned = folder_ / "turned";
  fs::copy(folder_ / "first/model", turned);
  rapidjson::Document vocabulary;
  const std::string text = Bytes("turned/vocab.json");
  vocabulary.Parse(text.c_str());
  const auto piece = vocabulary.MemberBegin() + 8;
  const size_t a = piece[0].value.GetUint(), b = piece[1].value.GetUint(), c = piece[2].value.GetUint();
  std::swap(piece[0].value, piece[1].value);
  piece[2].name.SetString("never seen");
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  vocabulary.Accept(writer);
  std::ofstream(turned / "vocab.json") << buffer.GetString();

  std::string config = Config("second", R"(, "from": "first/model")");
  config.replace(config.find(fs::absolute("tests/goldens/models/tiny-f32").string()),
                 fs::absolute("tests/goldens/models/tiny-f32").string().size(), "turned");
  config.replace(config.find("\"peak\": 0.01"), 12, "\"peak\": 0");
  ASSERT_TRUE(Train(config));  // whose rate is 0: the result equals the start
  auto first = LoadFolder((folder_ / "first/model").string()), second = LoadFolder((folder_ / "second/model").string());
  ASSERT_TRUE(first && second);
  EXPECT_EQ(TableRow(**second, a), TableRow(**first, b));
  EXPECT_EQ(TableRow(**second, b), TableRow(**first, a));
  EXPECT_NE(TableRow(**second, c), TableRow(**first, c));
  WeightSlots theirs = (*first)->Slots(), ours = (*second)->Slots();
  for (size_t i = 2; i < theirs.slots.size(); ++i) {  // behind the table and its bias
    const auto* matrix = std::get_if<Weight*>(&theirs.slots[i].to);
    if (matrix == nullptr) continue;
    std::vector<float> x(theirs.slots[i].inputs), y(x.size());
    (*matrix)->GetRow(0, x.data());
    std::get<Weight*>(ours.slots[i].to)->GetRow(0, y.data());
    EXPECT_EQ(x, y) << theirs.slots[i].names[0];
  }
}

// A run whose rate is 0 measures what it begins with. With int4 weights that is the loss of the model in 4 bits.
TEST_F(TrainingRun, ComputesWithWeightsInFourBits) {
  const auto wide = [&](const std::string& out, const std::string& more) { return Config(out, more, 32); };
  const auto still = [](std::string config) {
    return config.replace(config.find("\"peak\": 0.01"), 12, "\"peak\": 0");
  };
  const auto measured = [&](const std::string& out) {
    const std::string log = Bytes(out + "/log.jsonl");
    const size_t at = log.find("\"measure\"");
    return log.substr(at, log.find('}', at) - at);
  };
  ASSERT_TRUE(Train(wide("first", "")));
  ASSERT_TRUE(Train(still(wide("floats", R"(, "from": "first/model")"))));
  ASSERT_TRUE(Train(still(wide("rounded", R"(, "from": "first/model", "weights": "int4")"))));

  // The model with rounded weights, as floats, is read by a run that knows nothing of int4.
  fs::copy(folder_ / "first/model", folder_ / "int4");
  auto model = LoadFolder((folder_ / "first/model").string());
  ASSERT_TRUE(model);
  Int4Weights((*model)->Slots(), 1).Set();
  std::ofstream file(folder_ / "int4/model.safetensors", std::ios::binary);
  WriteSafetensors((*model)->Slots(), FloatsAs::kF32, [&](std::string_view bytes) { file << bytes; });
  file.close();
  ASSERT_TRUE(Train(still(wide("written", R"(, "from": "int4")"))));
  EXPECT_EQ(measured("rounded"), measured("written"));
  EXPECT_NE(measured("rounded"), measured("floats"));

  // What it learns does not depend on the threads, and is another model than without rounding.
  RunOptions threads;
  threads.threads = 3;
  ASSERT_TRUE(Train(wide("learnt", R"(, "weights": "int4")")));
  ASSERT_TRUE(Train(wide("again", R"(, "weights": "int4")"), threads));
  EXPECT_TRUE(Bytes("learnt/model/model.safetensors") == Bytes("again/model/model.safetensors"));
  EXPECT_FALSE(Bytes("learnt/model/model.safetensors") == Bytes("first/model/model.safetensors"));
}

TEST_F(TrainingRun, RefusesToBeginWhereARunStands) {
  ASSERT_TRUE(Train(Config("run")));
  const Result<RunEnd> again = Train(Config("run"));
  ASSERT_FALSE(again);
  EXPECT_NE(again.error().message.find("resume"), std::string::npos);
}

TEST_F(TrainingRun, StopsWhereTheLossIsNoNumberAnyMore) {
  std::string wild = Config("wild");
  wild.replace(wild.find("\"peak\": 0.01"), 12, "\"peak\": 10.0");
  wild.replace(wild.find("\"steps\": 12"), 11, "\"steps\": 4000");
  wild.insert(wild.size() - 1, R"(, "optimiser": {"clip": 0, "decay": 1, "beta1": 0, "beta2": 0.0})");
  const Result<RunEnd> diverged = Train(wild);
  ASSERT_TRUE(diverged);
  ASSERT_EQ(diverged.value().kind, RunEnd::Kind::kDiverged);
  EXPECT_NE(Bytes("wild/log.jsonl").find("\"diverged\""), std::string::npos);
}

TEST_F(TrainingRun, RefusesAConfigByTheFieldsName) {
  const std::pair<std::string, std::string> bad[] = {
      {R"(, "stepz": 3)", "stepz"},
      {R"(, "schedule": {"kind": "linear"})", "schedule.kind"},
      {R"(, "optimiser": {"beta1": 2})", "optimiser.beta1"},
      {R"(, "batch": {"joined": []})", "batch.joined"},
      {R"(, "batch": {"tokens": 1.5})", "batch.tokens"},
      {R"(, "preset": "huge")", "preset"},
      {R"(, "corpora": [{"path": "a", "target": "b"}])", "corpora"},
      {R"(, "measure": "often")", "measure"},
  };
  for (const auto& [more, where] : bad) {
    const std::string text = R"({"out": "x", "vocabulary": "y", "corpora": [{"path": "z"}])" + more + "}";
    const Result<RunConfig> config = ParseRunConfig(text, "run.json");
    ASSERT_FALSE(config) << more;
    EXPECT_NE(config.error().where.find(where), std::string::npos) << config.error().ToString();
  }
  EXPECT_FALSE(ParseRunConfig("{}", "run.json"));
  EXPECT_FALSE(ParseRunConfig("", "run.json"));
  EXPECT_FALSE(Train(R"({"out": "x", "vocabulary": "none", "corpora": [{"path": "pairs.tsv"}]})"));
}

TEST(Schedule, RisesToItsPeakAndFallsAsItsKindSays) {
  Schedule s{.kind = ScheduleKind::kInverseSqrt, .peak = 2, .warmup = 100, .steps = 1000, .floor = 0.1};
  EXPECT_DOUBLE_EQ(RateAt(s, 1), 0.02);
  EXPECT_DOUBLE_EQ(RateAt(s, 50), 1);
  EXPECT_DOUBLE_EQ(RateAt(s, 100), 2);
  EXPECT_DOUBLE_EQ(RateAt(s, 400), 1);
  s.kind = ScheduleKind::kCosine;
  EXPECT_DOUBLE_EQ(RateAt(s, 100), 2);
  EXPECT_NEAR(RateAt(s, 550), 2 * 0.55, 1e-12);
  EXPECT_NEAR(RateAt(s, 1000), 0.2, 1e-12);
  EXPECT_NEAR(RateAt(s, 5000), 0.2, 1e-12);
  s.kind = ScheduleKind::kConstant;
  EXPECT_DOUBLE_EQ(RateAt(s, 9999), 2);
}

TEST(Initialise, HasTheVariancesOfThePapersAndRepeats) {
  Weight matrix, table;
  Vector gain, bias;
  WeightSlots slots;
  slots.Add("matrix", matrix, 300, 100);
  slots.slots.push_back({{"table"}, 500, 64, &table, false, Start::kEmbedding});
  slots.Add("gain", gain, 7, Start::kOnes);
  slots.Add("bias", bias, 7);
  ReserveFloats(slots);
  Parameters parameters(slots);
  Initialise(parameters, 5);
  const auto rows = [&](size_t i) {
    const LearntParameter& p = parameters.all()[i];
    std::vector<float> out(p.outputs * p.inputs);
    Unpack(p, p.value, out.data());
    return out;
  };
  const auto variance = [](const std::vector<float>& x) {
    double sum = 0;
    for (const float v : x) sum += static_cast<double>(v) * v;
    return sum / static_cast<double>(x.size());
  };
  // Five standard deviations of the mean of squares. For a uniform variable one is sqrt(4/5) of it, for a normal one
  // sqrt(2).
  EXPECT_NEAR(variance(rows(0)), 2.0 / 400, 5 * std::sqrt(0.8 / 30000) * 2 / 400);
  EXPECT_NEAR(variance(rows(1)), 1.0 / 64, 5 * std::sqrt(2.0 / 32000) / 64);
  EXPECT_EQ(gain.sum(), 7);
  EXPECT_EQ(bias.squaredNorm(), 0);
  const std::vector<float> first = rows(0);
  Initialise(parameters, 5);
  EXPECT_EQ(rows(0), first);
  Initialise(parameters, 6);
  EXPECT_NE(rows(0), first);
}

}  // namespace
}  // namespace qkv
