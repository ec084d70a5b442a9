// The Transformer against PyTorch: logits, every attention, translations. And results that must be equal bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/kernels/softmax.h"
#include "core/translate/replay.h"
#include "core/translate/translation.h"
#include "tests/core/goldens.h"
#include "tests/core/kernel_testing.h"

namespace qkv {
namespace {

constexpr const char* kKinds[] = {"logits", "encoder_self", "decoder_self", "cross"};

// One forced pass over ids by the model's own functions, without the tokenizer.
struct Pass {
  Matrix logits;  // [T, V]
  AttentionMap encoder_self, decoder_self, cross;

  const float* Values(const std::string& kind) const {
    if (kind == "logits") return logits.data();
    return (kind == "encoder_self" ? encoder_self : kind == "decoder_self" ? decoder_self : cross).weights.data();
  }
};

std::vector<int32_t> DecoderInput(const SequenceConfig& config, const std::vector<int32_t>& target) {
  std::vector<int32_t> input = {config.start};
  input.insert(input.end(), target.begin(), target.end() - 1);
  return input;
}

std::unique_ptr<DecoderState> EncodedState(Context& ctx, const Transformer& model, const std::vector<int32_t>& source) {
  const auto encoder = model.Encode(source, Segments::One(source.size()));
  while (!encoder->Step(ctx)) {
  }
  return encoder->Start(ctx, {0});
}

Pass Forced(const Transformer& model, const std::vector<int32_t>& source, const std::vector<int32_t>& target,
            size_t threads = 1) {
  Arena arena;
  ThreadPool pool(threads);
  AttentionTrace trace;
  Context ctx{arena, pool, &trace};
  const TransformerConfig& config = model.config();
  trace.Reserve(AttentionKind::kEncoderSelf, config.encoder_layers, config.encoder_heads, source.size(), source.size());
  trace.Reserve(AttentionKind::kDecoderSelf, config.decoder_layers, config.decoder_heads, target.size(), target.size());
  trace.Reserve(AttentionKind::kCross, config.decoder_layers, config.decoder_heads, target.size(), source.size());
  const auto decoder = model.Force(EncodedState(ctx, model, source), DecoderInput(config, target));
  while (!decoder->Step(ctx)) {
  }
  return {model.Logits(ctx, decoder->rows()), trace.Take(AttentionKind::kEncoderSelf),
          trace.Take(AttentionKind::kDecoderSelf), trace.Take(AttentionKind::kCross)};
}

// The largest distance from the values that the golden keeps of a tensor.
double LargestError(const float* ours, const Json& kept, const std::vector<double>& exact) {
  const Json& shape = kept["shape"];
  const size_t width = shape[shape.Size() - 1].GetUint();
  size_t height = 1;
  for (rapidjson::SizeType i = 0; i + 1 < shape.Size(); ++i) height *= shape[i].GetUint();
  size_t at = kept["offset"].GetUint();
  double largest = 0;
  for (const int32_t row : IdsOrAll(kept["rows"], height)) {
    for (const int32_t column : IdsOrAll(kept["columns"], width)) {
      const double value = ours[static_cast<size_t>(row) * width + static_cast<size_t>(column)];
      const double error = std::abs(value - exact[at++]);
      largest = error <= largest ? largest : error;  // a NaN is kept
    }
  }
  return largest;
}

// The same for each step's largest logits.
double LargestErrorAtTop(const Matrix& logits, const Json& top, const std::vector<double>& exact) {
  size_t at = top["offset"].GetUint();
  double largest = 0;
  for (rapidjson::SizeType row = 0; row < top["columns"].Size(); ++row) {
    for (const int32_t column : Ids(top["columns"][row])) {
      largest = std::max(largest, std::abs(static_cast<double>(logits(row, column)) - exact[at++]));
    }
  }
  return largest;
}

bool SameBits(const float* a, const float* b, size_t count) { return std::memcmp(a, b, count * sizeof(float)) == 0; }

std::string ModelName(const testing::TestParamInfo<const char*>& info) {
  std::string name = info.param;
  name = name.substr(name.rfind('/') + 1);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

class TransformerGolden : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    model_ = SharedModel(GetParam());
    ASSERT_NE(model_, nullptr);
    exact_ = ReadDoubles(GetParam() + std::string("/transformer.bin"));
  }
  const Json& Goldens() const { return index_.root()["goldens"]; }
  const Transformer& transformer() const { return TransformerOf(*model_); }
  Pass Forced(const Json& golden) const {
    return qkv::Forced(transformer(), Ids(golden["source_ids"]), Ids(golden["target_ids"]));
  }

  const TranslationModel* model_ = nullptr;
  JsonObject index_ = ReadGoldens(GetParam() + std::string("/transformer.json"));
  std::vector<double> exact_;
};

INSTANTIATE_TEST_SUITE_P(Models, TransformerGolden, testing::ValuesIn(kModels), ModelName);

TEST_P(TransformerGolden, CutsTextIntoTheSameIds) {
  for (const Json& golden : Goldens().GetArray()) {
    EXPECT_EQ(model_->Encode(golden["source"].GetString(), Side::kSource).ids, Ids(golden["source_ids"]))
        << golden["name"].GetString();
    if (golden["target"].IsNull()) continue;
    EXPECT_EQ(model_->Encode(golden["target"].GetString(), Side::kTarget).ids, Ids(golden["target_ids"]))
        << golden["name"].GetString();
  }
}

// The distance from float64 is at most twice that of PyTorch's float32, plus 1e-6, on every target of this machine.
TEST_P(TransformerGolden, LogitsAndAttentionsAreAsExactAsPyTorchs) {
  const Json& theirs = index_.root()["float32_error"];
  double largest[std::size(kKinds)] = {};
  ForEachTarget([&] {
    for (const Json& golden : Goldens().GetArray()) {
      const Pass pass = Forced(golden);
      for (size_t k = 0; k < std::size(kKinds); ++k) {
        double error = LargestError(pass.Values(kKinds[k]), golden[kKinds[k]], exact_);
        if (k == 0 && golden.HasMember("top")) {
          error = std::max(error, LargestErrorAtTop(pass.logits, golden["top"], exact_));
        }
        EXPECT_LE(error, 2 * theirs[kKinds[k]].GetDouble() + 1e-6) << golden["name"].GetString() << ", " << kKinds[k];
        largest[k] = std::max(largest[k], error);
      }
    }
  });
  for (size_t k = 0; k < std::size(kKinds); ++k) {
    RecordProperty(kKinds[k], std::to_string(largest[k] / theirs[kKinds[k]].GetDouble()) + " of PyTorch float32's");
  }
}

TEST_P(TransformerGolden, RowsOfWeightsSumToOne) {
  for (const Json& golden : Goldens().GetArray()) {
    const Pass pass = Forced(golden);
    for (const AttentionMap* map : {&pass.encoder_self, &pass.decoder_self, &pass.cross}) {
      const ConstMatrixView rows(map->weights.data(),
                                 static_cast<Eigen::Index>(map->layers * map->heads * map->targets),
                                 static_cast<Eigen::Index>(map->sources));
      ASSERT_GT(rows.rows(), 0);
      EXPECT_GE(rows.minCoeff(), 0);
      for (Eigen::Index i = 0; i < rows.rows(); ++i) {
        EXPECT_NEAR(rows.row(i).cast<double>().sum(), 1, 1e-5) << golden["name"].GetString();
      }
    }
  }
}

// Changing target piece k changes no bit of the steps that produce pieces 0..k.
TEST_P(TransformerGolden, LaterPiecesChangeNothingBefore) {
  for (const Json& golden : Goldens().GetArray()) {
    const std::vector<int32_t> source = Ids(golden["source_ids"]), target = Ids(golden["target_ids"]);
    if (target.size() < 2) continue;
    const Pass before = qkv::Forced(transformer(), source, target);
    for (const size_t k : {size_t{0}, (target.size() - 1) / 2, target.size() - 2}) {
      std::vector<int32_t> changed = target;
      changed[k] = changed[k] == 2 ? 3 : 2;
      const Pass after = qkv::Forced(transformer(), source, changed);
      const size_t width = model_->config().vocabulary;
      EXPECT_TRUE(SameBits(before.logits.data(), after.logits.data(), (k + 1) * width)) << golden["name"].GetString();
      EXPECT_FALSE(SameBits(before.logits.data() + (k + 1) * width, after.logits.data() + (k + 1) * width, width));
      for (size_t layer = 0; layer < before.cross.layers; ++layer) {
        for (size_t head = 0; head < before.cross.heads; ++head) {
          for (const auto map : {&Pass::cross, &Pass::decoder_self}) {
            const AttentionMap &a = before.*map, &b = after.*map;
            EXPECT_TRUE(SameBits(a.Row(layer, head, 0), b.Row(layer, head, 0), (k + 1) * a.sources));
          }
        }
      }
    }
  }
}

TEST_P(TransformerGolden, PieceByPieceIsTheWholeAtOnce) {
  for (const Json& golden : Goldens().GetArray()) {
    const Pass whole = Forced(golden);
    Arena arena;
    ThreadPool pool(1);
    Context ctx{arena, pool};
    const auto state = EncodedState(ctx, transformer(), Ids(golden["source_ids"]));
    const std::vector<int32_t> input = DecoderInput(model_->config(), Ids(golden["target_ids"]));
    for (size_t t = 0; t < input.size(); ++t) {
      const ArenaScope scope(arena);
      const MatrixView row = transformer().Step(ctx, {&input[t], 1}, *state);
      const MatrixView logits = transformer().Logits(ctx, View(row));
      ASSERT_TRUE(SameBits(logits.data(), whole.logits.row(static_cast<Eigen::Index>(t)).data(),
                           static_cast<size_t>(logits.cols())))
          << golden["name"].GetString() << ", step " << t;
    }
  }
}

TEST_P(TransformerGolden, ReplayIsTheForcedPass) {
  for (const Json& golden : Goldens().GetArray()) {
    if (golden["target"].IsNull()) continue;
    const Pass pass = Forced(golden);
    Arena arena;
    ThreadPool pool(2);
    Context ctx{arena, pool};
    ReplayJob job(*model_, golden["source"].GetString(), golden["target"].GetString(), ReplayKind::kTrace,
                  {.copy = false});
    while (!job.Step(ctx)) {
    }
    const Replay& replay = job.result();
    EXPECT_EQ(replay.encoder_self.weights, pass.encoder_self.weights);
    EXPECT_EQ(replay.decoder_self.weights, pass.decoder_self.weights);
    EXPECT_EQ(replay.cross.weights, pass.cross.weights);

    const double logit_error = 2 * index_.root()["float32_error"]["logits"].GetDouble() + 1e-6;
    const size_t offset = golden["log_probabilities"]["offset"].GetUint();
    ASSERT_EQ(replay.log_probs.size(), Ids(golden["target_ids"]).size());
    for (size_t t = 0; t < replay.log_probs.size(); ++t) {
      const double exact = exact_[offset + t];
      // The error of the logit and of the normaliser, and the rounding of the result itself.
      EXPECT_NEAR(replay.log_probs[t], exact, 2 * logit_error + 4 * kUnit * std::abs(exact));
    }
  }
}

// softmax(q k / sqrt(d)) of a trace's vectors are its weights.
TEST_P(TransformerGolden, ATraceOnRequestHasTheVectorsBehindItsWeights) {
  const Json& golden = Goldens()[0];
  Arena arena;
  ThreadPool pool(1);
  Context ctx{arena, pool};
  ReplayJob job(*model_, golden["source"].GetString(), "Un essai.", ReplayKind::kVectors, {.copy = false});
  while (!job.Step(ctx)) {
  }
  const Replay& replay = job.result();
  for (const AttentionMap* map : {&replay.encoder_self, &replay.decoder_self, &replay.cross}) {
    ASSERT_GT(map->dim, 0u);
    ASSERT_EQ(map->values.size(), map->keys.size());
    for (size_t layer = 0; layer < map->layers; ++layer) {
      for (size_t head = 0; head < map->heads; ++head) {
        for (size_t t = 0; t < map->targets; ++t) {
          const size_t seen = map == &replay.decoder_self ? t + 1 : map->sources;
          const size_t at = layer * map->heads + head;
          std::vector<double> powers(seen);
          double sum = 0;
          for (size_t s = 0; s < seen; ++s) {
            const float* q = map->queries.data() + (at * map->targets + t) * map->dim;
            const float* k = map->keys.data() + (at * map->sources + s) * map->dim;
            double product = 0;
            for (size_t i = 0; i < map->dim; ++i) product += static_cast<double>(q[i]) * k[i];
            sum += powers[s] = std::exp(product / std::sqrt(static_cast<double>(map->dim)));
          }
          for (size_t s = 0; s < seen; ++s) EXPECT_NEAR(map->Row(layer, head, t)[s], powers[s] / sum, 1e-5);
        }
      }
    }
  }
}

// Translations.

std::vector<Translation> Translate(const TranslationModel& model, const std::vector<std::string>& texts, size_t beam,
                                   size_t threads) {
  Arena arena;
  ThreadPool pool(threads);
  Context ctx{arena, pool};
  TranslationJob job(model, texts, {.beam = beam, .copy = false});
  while (!job.Step(ctx)) {
  }
  return job.results();
}

constexpr const char* kInt8Goldens = "tests/goldens/en-fr-int8";
constexpr const char* kTranslated[] = {kModels[0], kModels[1], kModels[2], kModels[3], kModels[4], kInt8Goldens};

class TransformerTranslation : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    model_ = SharedModel(translations_.root()["model"].GetString());
    ASSERT_NE(model_, nullptr);
  }

  const TranslationModel* model_ = nullptr;
  JsonObject translations_ = ReadGoldens(GetParam() + std::string("/translations.json"));
  const Json& Theirs() const { return translations_.root()["translations"]; }
  size_t Beams() const { return translations_.root()["beams"].GetUint(); }
  // Below this margin another decision is no error.
  double NearTie() const { return translations_.root()["near_tie"].GetDouble(); }
  std::vector<std::string> Sources() const {
    std::vector<std::string> sources;
    for (const Json& translation : Theirs().GetArray()) sources.push_back(translation["source"].GetString());
    return sources;
  }

  // How many may differ where rounding decides; any other difference fails. Whatever the near ties, most scores are as
  // near as those of floats: where no activation is rounded differently, int8 is equally exact.
  size_t Differing(const std::vector<Translation>& ours, const char* search) const {
    size_t differing = 0, near = 0;
    for (size_t i = 0; i < ours.size(); ++i) {
      const Json& theirs = Theirs()[static_cast<rapidjson::SizeType>(i)][search];
      const std::vector<int32_t> ids = Ids(theirs["ids"]);
      if (ours[i].ids == ids) {
        EXPECT_EQ(ours[i].text, theirs["text"].GetString());
        const double score = theirs["score"].GetDouble(), unit = std::max(1.0, std::abs(score));
        EXPECT_NEAR(ours[i].score, score, NearTie() * unit);
        near += std::abs(ours[i].score - score) <= 1e-5 * unit ? 1 : 0;
        continue;
      }
      ++differing;
      EXPECT_LT(ClosestDecision(theirs["margins"], ours[i].ids, ids, search), NearTie())
          << search << ": " << Sources()[i] << "\n  ours    " << ours[i].text << "\n  PyTorch "
          << theirs["text"].GetString();
    }
    EXPECT_GE(4 * near, 3 * (ours.size() - differing)) << search << ": " << near;
    return differing;
  }

  // For greedy search the margin where the two differ first. A beam may differ before it shows: its smallest margin.
  static double ClosestDecision(const Json& margins, const std::vector<int32_t>& ours,
                                const std::vector<int32_t>& theirs, const char* search) {
    if (std::strcmp(search, "greedy") == 0) {
      const auto step = std::mismatch(theirs.begin(), theirs.end(), ours.begin(), ours.end()).first - theirs.begin();
      return step < margins.Size() ? margins[static_cast<rapidjson::SizeType>(step)].GetDouble() : 1;
    }
    double smallest = 1;
    for (const Json& margin : margins.GetArray()) smallest = std::min(smallest, margin.GetDouble());
    return smallest;
  }
};

INSTANTIATE_TEST_SUITE_P(Models, TransformerTranslation, testing::ValuesIn(kTranslated), ModelName);

TEST_P(TransformerTranslation, GreedyIsPyTorchs) {
  EXPECT_LE(Differing(Translate(*model_, Sources(), 1, 1), "greedy"), 3u);
}

TEST_P(TransformerTranslation, BeamIsPyTorchs) {
  EXPECT_LE(Differing(Translate(*model_, Sources(), Beams(), 1), "beam"), 3u);
}

TEST_P(TransformerTranslation, AloneInABatchAndOnTwoThreadsAreEqual) {
  for (const size_t beam : {size_t{1}, Beams()}) {
    const std::vector<Translation> batch = Translate(*model_, Sources(), beam, 1);
    const std::vector<Translation> threaded = Translate(*model_, Sources(), beam, 2);
    for (size_t i = 0; i < batch.size(); ++i) {
      const Translation alone = Translate(*model_, {Sources()[i]}, beam, 1).front();
      for (const Translation* other : {&threaded[i], &alone}) {
        EXPECT_EQ(batch[i].ids, other->ids);
        EXPECT_EQ(batch[i].score, other->score);  // bit for bit
      }
    }
  }
}

// Sums of integers are the same everywhere, and the float operations beside them are written to be the same too.
TEST(Int8Translation, IsTheSameToTheBitOnEveryTarget) {
  const JsonObject goldens = ReadGoldens(kInt8Goldens + std::string("/translations.json"));
  const TranslationModel* const model = SharedModel(goldens.root()["model"].GetString());
  ASSERT_NE(model, nullptr);
  std::vector<std::string> sources;
  for (const Json& each : goldens.root()["translations"].GetArray()) sources.push_back(each["source"].GetString());
  const std::vector<Translation> chosen = Translate(*model, sources, 4, 1);
  ForEachTarget([&] {
    const std::vector<Translation> ours = Translate(*model, sources, 4, 1);
    for (size_t i = 0; i < ours.size(); ++i) {
      EXPECT_EQ(ours[i].ids, chosen[i].ids);
      EXPECT_EQ(ours[i].score, chosen[i].score);
    }
  });
}

// The replay reports what the search reports of its result.
TEST_P(TransformerTranslation, ScoreIsTheReplays) {
  Arena arena;
  ThreadPool pool(1);
  Context ctx{arena, pool};
  const std::vector<std::string> sources = Sources();
  for (size_t i = 0; i < std::min<size_t>(sources.size(), 10); ++i) {
    ReplayJob job(*model_, sources[i], std::nullopt, ReplayKind::kScore, {.beam = 1, .copy = false});
    while (!job.Step(ctx)) {
    }
    const Translation translation = Translate(*model_, {sources[i]}, 1, 1).front();
    const Replay& replay = job.result();
    EXPECT_EQ(replay.target.tokens.ids, translation.ids);
    const auto length = static_cast<float>(translation.ids.size());
    // An </s> that the limit forces costs the search nothing.
    const bool forced = translation.ids.size() == LongestTranslation(*model_, replay.source.tokens.ids.size(), {});
    const float sum = replay.log_prob - (forced ? replay.log_probs.back() : 0);
    EXPECT_NEAR(translation.score, sum / std::pow(length, model_->generation().length_penalty), 1e-5);
  }
}

}  // namespace
}  // namespace qkv
