// Marian's own files (core/io/marian_file.h) against NumPy: tests/oracle/marian.py wrote the models and computed with
// them in float64.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/io/marian_model.h"
#include "core/kernels/softmax.h"
#include "core/translate/marian_folder.h"
#include "core/translate/translation.h"
#include "tests/core/goldens.h"

namespace qkv {
namespace {

const std::string kFolder = "tests/goldens/marian/";
// How far logits may be from float64's: for floats by rounding, for int8 by the seven bits of the activations.
constexpr double kFloatMargin = 1e-4, kInt8Margin = 0.25;

class Marian : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    model_ = SharedModel(kFolder + GetParam());
    ASSERT_NE(model_, nullptr);
  }
  const Json& Goldens() const { return index_.root()["goldens"]; }
  const Transformer& transformer() const { return TransformerOf(*model_); }
  bool is_int8() const { return std::string_view(GetParam()).find("int8") != std::string_view::npos; }
  double margin() const { return is_int8() ? kInt8Margin : kFloatMargin; }
  const double* Numbers(const Json& kept) const { return exact_.data() + kept["offset"].GetUint(); }
  static size_t Count(const Json& kept) {
    size_t count = 1;
    for (const Json& size : kept["shape"].GetArray()) count *= size.GetUint();
    return count;
  }

  const TranslationModel* model_ = nullptr;
  JsonObject index_ = ReadGoldens(kFolder + GetParam() + "/goldens.json");
  std::vector<double> exact_ = ReadDoubles(kFolder + GetParam() + "/goldens.bin");
};

INSTANTIATE_TEST_SUITE_P(Models, Marian,
                         testing::Values("ssru-int8", "ssru-int8-two", "ssru-f16", "ssru-pre-norm",
                                         "self-attention-f32", "trained-positions"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Each tensor is in the slot of its name and in the right orientation, and its int8 numbers are unchanged.
TEST_P(Marian, TensorsAreThoseOfTheFile) {
  const Json& tensors = index_.root()["tensors"];
  WeightSlots slots = const_cast<TranslationModel*>(model_)->Slots();
  EXPECT_EQ(slots.slots.size(), tensors.MemberCount());
  for (const WeightSlot& slot : slots.slots) {
    const std::string name = MarianName(slot.names.front(), transformer().config());
    ASSERT_TRUE(tensors.HasMember(name.c_str())) << name;
    const Json& kept = tensors[name.c_str()];
    const size_t count = Count(kept), width = kept["shape"][1].GetUint();
    std::vector<float> row(width);
    for (size_t at = 0; at < count; ++at) {
      const Vector* const* vector = std::get_if<Vector*>(&slot.to);
      if (vector == nullptr && at % width == 0) std::get<Weight*>(slot.to)->GetRow(at / width, row.data());
      const float ours = vector != nullptr ? (**vector)[static_cast<Eigen::Index>(at)] : row[at % width];
      const double theirs = Numbers(kept)[at];
      ASSERT_LE(std::abs(ours - theirs), 1e-6 * std::abs(theirs)) << name << " at " << at;
    }
  }
}

TEST_P(Marian, PiecesAndCandidatesAreMarians) {
  for (const Json& golden : Goldens().GetArray()) {
    const Tokens tokens = model_->Encode(golden["text"].GetString(), Side::kSource);
    EXPECT_EQ(tokens.ids, Ids(golden["source_ids"]));
    EXPECT_EQ(model_->Candidates(tokens, {}), Ids(golden["candidates"]));
  }
}

TEST_P(Marian, TranslationsAreNumPysWhereNoTwoPiecesTie) {
  Arena arena;
  ThreadPool pool(1);
  Context ctx{arena, pool};
  size_t equal = 0;
  for (const Json& golden : Goldens().GetArray()) {
    for (const bool shortlist : {false, true}) {
      const Json& expected = golden[shortlist ? "shortlist" : "whole"];
      TranslationJob job(*model_, {golden["text"].GetString()}, {.shortlist = shortlist, .copy = false});
      while (!job.Step(ctx)) {
      }
      std::vector<int32_t> ids = job.results().front().ids;
      ids.pop_back();
      const bool same = ids == Ids(expected["ids"]) && job.results().front().text == expected["text"].GetString();
      EXPECT_TRUE(same || expected["gap"].GetDouble() < margin()) << golden["text"].GetString();
      equal += same ? 1 : 0;
    }
  }
  RecordProperty("equal_of_8", std::to_string(equal));
  EXPECT_GE(equal, is_int8() ? 3U : 8U);
}

struct Pass {
  Matrix logits;
  AttentionTrace trace;
};

Pass Forced(const Transformer& model, const std::vector<int32_t>& source, const std::vector<int32_t>& target) {
  Arena arena;
  ThreadPool pool(1);
  Pass pass;
  Context ctx{arena, pool, &pass.trace};
  const TransformerConfig& config = model.config();
  const auto reserve = [&](AttentionKind kind, AttentionShape shape, size_t rows, size_t columns) {
    pass.trace.Reserve(kind, shape.layers, shape.heads, rows, columns);
  };
  reserve(AttentionKind::kEncoderSelf, config.encoder_self, source.size(), source.size());
  reserve(AttentionKind::kDecoderSelf, config.decoder_self, target.size(), target.size());
  reserve(AttentionKind::kCross, config.cross, target.size(), source.size());
  if (config.gates != 0) reserve(AttentionKind::kGates, {config.decoder_layers, 1}, target.size(), config.gates);
  const auto encoder = model.Encode(source, Segments::One(source.size()));
  while (!encoder->Step(ctx)) {
  }
  std::vector<int32_t> read = {config.start};
  read.insert(read.end(), target.begin(), target.end() - 1);
  const auto decoder = model.Force(encoder->Start(ctx, {0}), read);
  while (!decoder->Step(ctx)) {
  }
  pass.logits = model.Logits(ctx, decoder->rows());
  return pass;
}

TEST_P(Marian, LogProbabilitiesAndTraceAreNumPys) {
  constexpr std::pair<const char*, AttentionKind> kMaps[] = {{"encoder_self", AttentionKind::kEncoderSelf},
                                                             {"decoder_self", AttentionKind::kDecoderSelf},
                                                             {"cross", AttentionKind::kCross},
                                                             {"gates", AttentionKind::kGates}};
  double largest = 0;
  for (const Json& golden : Goldens().GetArray()) {
    const std::vector<int32_t> target = Ids(golden["target_ids"]);
    Pass pass = Forced(transformer(), Ids(golden["source_ids"]), target);
    for (const int32_t banned : model_->generation().banned) pass.logits.col(banned).setConstant(-INFINITY);
    LogSoftmax({pass.logits.data(), pass.logits.rows(), pass.logits.cols()});
    for (size_t t = 0; t < target.size(); ++t) {
      const double ours = pass.logits(static_cast<Eigen::Index>(t), target[t]);
      const double theirs = Numbers(golden["log_probs"])[t];
      if (std::isfinite(theirs)) largest = std::max(largest, std::abs(ours - theirs));
    }
    for (const auto& [name, kind] : kMaps) {
      if (!golden.HasMember(name)) continue;
      const std::vector<float>& ours = pass.trace.Map(kind).weights;
      ASSERT_EQ(ours.size(), Count(golden[name])) << name;
      const double* theirs = Numbers(golden[name]);
      for (size_t i = 0; i < ours.size(); ++i) ASSERT_NEAR(ours[i], theirs[i], is_int8() ? 0.08 : 1e-5) << name;
    }
  }
  RecordProperty("largest", std::to_string(largest));
  EXPECT_LE(largest, margin());
}

// Decoding step by step equals the whole sequence to the bit, also where hypotheses were reordered.
TEST_P(Marian, StepsAreTheSequence) {
  const Json& golden = Goldens()[0];
  const std::vector<int32_t> source = Ids(golden["source_ids"]), target = Ids(golden["target_ids"]);
  const Pass pass = Forced(transformer(), source, target);
  Arena arena;
  ThreadPool pool(1);
  Context ctx{arena, pool};
  const auto encoder = transformer().Encode(source, Segments::One(source.size()));
  while (!encoder->Step(ctx)) {
  }
  const auto state = encoder->Start(ctx, {0, 0, 0});
  std::vector<int32_t> read = {transformer().config().start};
  read.insert(read.end(), target.begin(), target.end() - 1);
  for (size_t t = 0; t < read.size(); ++t) {
    // Hypothesis 1 is the target's. The others read other pieces, and are replaced by the reordering.
    const std::vector<int32_t> tokens = {read[t] / 2, read[t], 3};
    const MatrixView rows = transformer().Step(ctx, tokens, *state);
    const MatrixView logits = transformer().Logits(ctx, View(rows));
    const size_t bytes = static_cast<size_t>(logits.cols()) * sizeof(float);
    EXPECT_EQ(std::memcmp(logits.row(1).data(), pass.logits.row(static_cast<Eigen::Index>(t)).data(), bytes), 0) << t;
    const std::vector<int32_t> kept = {1, 1, 0};
    transformer().Gather(kept, *state);
  }
}

TEST(MarianFolder, TakesOneFileOfEachKind) {
  EXPECT_TRUE(IsMarianFolder(kFolder + "ssru-int8"));
  EXPECT_FALSE(IsMarianFolder("tests/goldens/en-fr"));
  EXPECT_FALSE(IsMarianFolder("tests/goldens/nowhere"));
  EXPECT_TRUE(SharedModel(kFolder + "ssru-int8")->has_shortlist());
  EXPECT_FALSE((*LoadMarianFolder(kFolder + "ssru-int8", false))->has_shortlist());
}

// A shortlist takes rows of the tables. Without one all rows are multiplied, for which panels are faster.
TEST(MarianFolder, TablesLieInRowsForAShortlistAndElseInPanels) {
  for (const bool shortlist : {true, false}) {
    auto model = LoadMarianFolder(kFolder + "ssru-int8", shortlist);
    ASSERT_TRUE(model) << model.error().ToString();
    size_t tables = 0;
    for (const WeightSlot& slot : (*model)->Slots().slots) {
      if (slot.start != Start::kEmbedding) continue;
      ++tables;
      EXPECT_EQ(std::get<Weight*>(slot.to)->int8().layout(), shortlist ? Int8Layout::kRows : Int8Layout::kPanels);
    }
    EXPECT_GT(tables, 0u);
  }
}

}  // namespace
}  // namespace qkv
