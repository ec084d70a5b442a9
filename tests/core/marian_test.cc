// Marian's own files (core/io/marian_file.h) against NumPy: tests/oracle/marian.py wrote the models and computed with
// them in float64.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/io/marian_model.h"
#include "core/io/marian_options.h"
#include "core/kernels/softmax.h"
#include "core/translate/marian_folder.h"
#include "core/translate/marian_loader.h"
#include "core/translate/translation.h"
#include "tests/core/goldens.h"

namespace qkv {
namespace {

const std::string kFolder = "tests/goldens/marian/";
// How far logits may be from float64's: of floats by rounding; of int8 by the seven bits of our activations.
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
                                         "self-attention-f32"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// Each tensor is in the seat of its name, the right way round, its int8 as the whole numbers that they are.
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
                                                             {"cross", AttentionKind::kCross}};
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

// A step at a time is the whole sequence, to the bit, also where hypotheses were reordered on the way.
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
    // Hypothesis 1 is the target's; the others read something else, and become it again.
    const std::vector<int32_t> tokens = {read[t] / 2, read[t], 3};
    const MatrixView rows = transformer().Step(ctx, tokens, *state);
    const MatrixView logits = transformer().Logits(ctx, View(rows));
    const size_t bytes = static_cast<size_t>(logits.cols()) * sizeof(float);
    EXPECT_EQ(std::memcmp(logits.row(1).data(), pass.logits.row(static_cast<Eigen::Index>(t)).data(), bytes), 0) << t;
    const std::vector<int32_t> kept = {1, 1, 0};
    transformer().Gather(kept, *state);
  }
}

// ---- files that are not what they promise ----

struct Item {
  std::string name;
  uint64_t type;
  std::vector<int32_t> shape;
  std::string data;
};

void Append(std::string& to, uint64_t word) { to.append(reinterpret_cast<const char*>(&word), sizeof word); }

std::string File(const std::vector<Item>& items) {
  std::string file, names, shapes;
  Append(file, 1);
  Append(file, items.size());
  for (const Item& item : items) {
    for (const uint64_t word :
         {uint64_t{item.name.size() + 1}, item.type, uint64_t{item.shape.size()}, uint64_t{item.data.size()}}) {
      Append(file, word);
    }
    names += item.name + '\0';
    shapes.append(reinterpret_cast<const char*>(item.shape.data()), item.shape.size() * sizeof(int32_t));
  }
  file += names + shapes;
  const uint64_t padding = 256 - (file.size() + 8) % 256;
  Append(file, padding);
  file.append(padding, '\0');
  for (const Item& item : items) file += item.data;
  return file;
}

Result<void> ReadDirectory(const std::string& file, std::vector<TensorEntry>* entries = nullptr, bool sized = true) {
  MarianDirectory directory("model.bin", sized ? file.size() : 0);
  for (ByteRange range = directory.Next(); range.length != 0; range = directory.Next()) {
    const size_t begin = std::min<size_t>(range.offset, file.size());
    const size_t length = std::min<size_t>(range.length, file.size() - begin);
    QKV_CHECK(directory.Feed({reinterpret_cast<const uint8_t*>(file.data()) + begin, length}));
  }
  if (entries != nullptr) *entries = directory.Take();
  return {};
}

Item Floats(std::string name, std::vector<int32_t> shape) {
  size_t count = 1;
  for (const int32_t size : shape) count *= static_cast<size_t>(size);
  return {std::move(name), 0x404, std::move(shape), std::string(count * sizeof(float), '\0')};
}

std::string With(std::string file, size_t at, uint64_t word) {
  std::memcpy(file.data() + at, &word, sizeof word);
  return file;
}

TEST(MarianFile, ReadsTypesAndTurnsShapesOfInt8) {
  const Item int8 = {"a_W", 0x4101, {2, 3}, std::string(256, '\0')};
  const Item table = {"Wemb", 0x4101, {5, 4}, std::string(256, '\0')};
  std::vector<TensorEntry> entries;
  ASSERT_TRUE(ReadDirectory(File({int8, table, Floats("b", {1, 3}), {"x_QuantMultA", 0x4101, {1}, ""}}), &entries));
  ASSERT_EQ(entries.size(), 5U);
  EXPECT_EQ(entries[1].name, "a_W");
  EXPECT_EQ(entries[1].shape, (std::vector<uint64_t>{3, 2}));
  EXPECT_EQ(entries[0].name, "a_W_scale");
  EXPECT_EQ(entries[0].range.offset, entries[1].range.offset + 6);
  EXPECT_EQ(entries[3].shape, (std::vector<uint64_t>{5, 4}));
}

TEST(MarianFile, RefusesDamagedHeaders) {
  const std::string good = File({Floats("first", {2, 3}), Floats("second", {1, 4})});
  ASSERT_TRUE(ReadDirectory(good));
  const auto where = [](const std::string& file) {
    const Result<void> read = ReadDirectory(file);
    return read ? std::string("read") : std::string(Name(read.error().code)) + ": " + read.error().where;
  };
  constexpr uint64_t kHuge = uint64_t{1} << 60;
  EXPECT_EQ(where(With(good, 0, 2)), "INVALID_FILE: model.bin");
  EXPECT_EQ(where(With(good, 8, kHuge)), "LIMIT_EXCEEDED: model.bin");
  EXPECT_EQ(where(With(good, 8, 0)), "LIMIT_EXCEEDED: model.bin");
  EXPECT_EQ(where(With(good, 16, kHuge)), "INVALID_FILE: model.bin, tensor 0");              // length of the name
  EXPECT_EQ(where(With(With(good, 16, 5), 48, 8)), "INVALID_FILE: model.bin, tensor 0");     // which leaves its NUL out
  EXPECT_EQ(where(With(good, 48 + 16, ~uint64_t{0})), "INVALID_FILE: model.bin, tensor 1");  // dimensions
  EXPECT_EQ(where(With(good, 48 + 24, ~uint64_t{0})), "INVALID_FILE: model.bin, tensor 1");  // bytes
  EXPECT_EQ(where(With(good, 48 + 24, 1 << 20)), "INVALID_FILE: model.bin, second");
  EXPECT_EQ(where(With(good, 48 + 24, 15)), "INVALID_FILE: model.bin, second");
  EXPECT_EQ(where(With(good, 24, 0x101)), "UNSUPPORTED: model.bin, first");
  EXPECT_EQ(where(With(good, 80 + 6 + 7, uint64_t{0x7fffffff} << 32 | 0x7fffffff)), "INVALID_FILE: model.bin, first");
  EXPECT_EQ(where(With(good, 80 + 6 + 7, 0)), "INVALID_FILE: model.bin, first");
  for (size_t size = 0; size < 80 + 13 + 16 + 8; ++size) {
    EXPECT_FALSE(ReadDirectory(good.substr(0, size))) << size;
    EXPECT_FALSE(ReadDirectory(good.substr(0, size), nullptr, false)) << size;
  }
}

// A whole model, changed on its way; the folder's own small files.
Result<std::unique_ptr<TranslationModel>> Load(const std::string& weights) {
  const std::string folder = kFolder + "ssru-f16/";
  const std::string vocabulary = ReadBytes(folder + "vocab.xxyy.spm");
  MarianFiles files;
  files.source_vocabulary = {{reinterpret_cast<const uint8_t*>(vocabulary.data()), vocabulary.size()}, "vocab.spm"};
  QKV_TRY(const auto loader, MarianLoader::Create(files, "model.bin", weights.size()));
  for (ByteRange range = loader->Next(); range.length != 0; range = loader->Next()) {
    const size_t begin = std::min<size_t>(range.offset, weights.size());
    const size_t length = std::min<size_t>(range.length, weights.size() - begin);
    QKV_CHECK(loader->Feed({reinterpret_cast<const uint8_t*>(weights.data()) + begin, length}));
  }
  return loader->Finish();
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(MarianFile, RefusesWhatDoesNotFitTogether) {
  const std::string good = ReadBytes(kFolder + "ssru-f16/model.xxyy.bin");
  ASSERT_TRUE(Load(good));
  const auto error = [](const std::string& file) {
    const auto loaded = Load(file);
    return loaded ? std::string("loaded") : loaded.error().ToString();
  };
  const auto expect = [&](const std::string& file, const std::string& part) {
    EXPECT_NE(error(file).find(part), std::string::npos) << error(file);
  };
  expect(Replaced(good, "special:model.yml", "special:model.txt"), "special:model.txt");
  expect(Replaced(good, "decoder_l1_rnn_bf", "decoder_l1_rnn_bx"), "decoder_l1_rnn_b");
  expect(Replaced(good, "transformer-heads: 3", "transformer-heads: 5"), "transformer-heads");
  expect(Replaced(good, "dim-emb: 12", "dim-emb: 13"), "special:model.yml, dim-emb");
  expect(Replaced(good, "dec-cell: ssru", "dec-cell: lstm"), "special:model.yml, dec-cell");
  expect(Replaced(good, "right-left: false", "right-left: true "),
         "UNSUPPORTED: model.bin, special:model.yml, right-left");
  expect(Replaced(good, "type: transformer", "type: transfxrmer"), "special:model.yml, type");
  expect(Replaced(good, "ulr-dim-emb: 0", "ulr-xxx-emb: 1"), "special:model.yml, ulr-xxx-emb");
  expect(Replaced(good, "skip: false", "skip: &f a*b"), "special:model.yml, line");
  for (size_t size = 0; size < good.size(); size += 97) EXPECT_FALSE(Load(good.substr(0, size))) << size;
}

TEST(MarianFile, RefusesMultipliersThatAreNone) {
  for (const float multiplier : {0.0f, -1.0f, std::nanf(""), INFINITY, 1e-45f}) {
    std::string data(256, '\1');
    std::memcpy(data.data() + 6, &multiplier, sizeof multiplier);
    const std::string file = File({{"a_W", 0x4101, {2, 3}, data}});
    auto directory = std::make_unique<MarianDirectory>("model.bin", file.size());
    for (ByteRange range = directory->Next(); range.length != 0; range = directory->Next()) {
      ASSERT_TRUE(directory->Feed({reinterpret_cast<const uint8_t*>(file.data()) + range.offset, range.length}));
    }
    Weight weight;
    WeightSlots slots;
    slots.Add("a_W", weight, 3, 2);
    auto loader = WeightLoader::Create(std::move(slots), "model.bin", std::move(directory), PTRDIFF_MAX);
    ASSERT_TRUE(loader);
    Result<void> fed;
    for (ByteRange range = (*loader)->Next(); fed && range.length != 0; range = (*loader)->Next()) {
      fed = (*loader)->Feed({reinterpret_cast<const uint8_t*>(file.data()) + range.offset, range.length});
    }
    ASSERT_FALSE(fed) << multiplier;
    EXPECT_EQ(fed.error().where, "model.bin, a_W_scale");
  }
}

TEST(MarianOptions, ReadsTheSubsetOfYamlThatMarianWrites) {
  const auto options =
      MarianOptions::Parse("a: 1\nb:\n  - 2\n  - x y\nc: []\nd:\n  []\ne: \"\"\n# f\n\ng: 'h: i'\n", "f");
  ASSERT_TRUE(options) << options.error().ToString();
  EXPECT_EQ(options.value().Get("a", ""), "1");
  EXPECT_EQ(options.value().Get("b", ""), "x y");
  EXPECT_EQ(options.value().Get("c", "?"), "");
  EXPECT_EQ(options.value().Get("d", "?"), "");
  EXPECT_EQ(options.value().Get("e", "?"), "");
  EXPECT_EQ(options.value().Get("g", "?"), "h: i");
  EXPECT_EQ(options.value().Get("z", "?"), "?");
  for (const char* bad :
       {"a: &x 1\n", "a: *x\n", "a: {b: 1}\n", "a: [*x, *x]\n", "- 1\n", "a\n", "a:\n  b: 1\n", "a: |\n"}) {
    const auto refused = MarianOptions::Parse(bad, "f");
    ASSERT_FALSE(refused) << bad;
    EXPECT_NE(refused.error().where.find("line"), std::string::npos);
  }
}

TEST(MarianFolder, TakesOneFileOfEachKind) {
  EXPECT_TRUE(IsMarianFolder(kFolder + "ssru-int8"));
  EXPECT_FALSE(IsMarianFolder("tests/goldens/en-fr"));
  EXPECT_FALSE(IsMarianFolder("tests/goldens/nowhere"));
  EXPECT_TRUE(SharedModel(kFolder + "ssru-int8")->has_shortlist());
  EXPECT_FALSE((*LoadMarianFolder(kFolder + "ssru-int8", false))->has_shortlist());
}

}  // namespace
}  // namespace qkv
