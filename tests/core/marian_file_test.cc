// Marian's own files, read and written: files that do not hold what they claim, and options that this engine does not
// run.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/io/marian_model.h"
#include "core/io/marian_options.h"
#include "core/io/marian_writer.h"
#include "core/translate/marian_folder.h"
#include "core/translate/marian_loader.h"
#include "tests/core/goldens.h"

namespace qkv {
namespace {

const std::string kFolder = "tests/goldens/marian/";

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
  EXPECT_EQ(where(With(With(good, 16, 5), 48, 8)), "INVALID_FILE: model.bin, tensor 0");     // without room for its NUL
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

// A whole model that is changed before it is read, with the folder's own small files.
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

// Options that change the computation and that this engine does not run. Each is refused by name.
TEST(MarianFile, RefusesOptionsByTheirNames) {
  const std::string good = ReadBytes(kFolder + "ssru-f16/model.xxyy.bin");
  constexpr std::pair<const char*, const char*> kChanges[] = {
      {"transformer-train-position-embeddings: false", "transformer-train-position-embeddings: true "},
      {"transformer-ffn-activation: relu", "transformer-ffn-activation: selu"},
      {"transformer-postprocess: dan", "transformer-postprocess: da "},  // the tensors are of a model with norms
      {"transformer-postprocess: dan", "transformer-postprocess: dhn"},  // a highway connection
      {"transformer-preprocess: \"\"", "transformer-preprocess: n "},
      {"transformer-preprocess: \"\"", "transformer-preprocess: h "},
      {"transformer-postprocess-emb: d", "transformer-postprocess-emb: n"},
      {"transformer-postprocess-top: \"\"", "transformer-postprocess-top: n "},
      {"transformer-decoder-autoreg: rnn", "transformer-decoder-autoreg: aan"},
      {"transformer-no-projection: false", "transformer-no-projection: true "},
      {"transformer-ffn-depth: 2", "transformer-ffn-depth: 3"},
      {"transformer-pool: false", "transformer-pool: true "},
      {"output-omit-bias: false", "output-omit-bias: true "},
      {"lemma-dim-emb: 0", "lemma-dim-emb: 1"},
      {"factors-dim-emb: 0", "factors-dim-emb: 8"},
      {"layer-normalization: false", "layer-normalization: true "},
  };
  for (const auto& [from, to] : kChanges) {
    const auto loaded = Load(Replaced(good, from, to));
    const std::string key = std::string(to).substr(0, std::string(to).find(':'));
    ASSERT_FALSE(loaded) << to;
    EXPECT_NE(loaded.error().where.find(key), std::string::npos) << to << ": " << loaded.error().ToString();
  }
  // The same computation written in other options: dropout is for training only.
  for (const char* const to : {"transformer-postprocess: an ", "transformer-postprocess: dan"}) {
    EXPECT_TRUE(Load(Replaced(good, "transformer-postprocess: dan", to))) << to;
  }
}

// What the writer writes is read back with the same bits.
TEST(MarianWriter, WritesWhatIsReadAgain) {
  const auto written = [](const std::string& name) {
    TranslationModel& model = *const_cast<TranslationModel*>(SharedModel(kFolder + name));
    const TransformerConfig& config = TransformerOf(model).config();
    EXPECT_TRUE(CheckForMarian(config, false));
    std::string file;
    const size_t pieces = config.vocabulary - 1;
    WriteMarian(model.Slots(), config, {pieces, pieces}, [&](std::string_view bytes) { file += bytes; });
    return file;
  };
  const std::string file = written("ssru-f16");
  auto again = Load(file);
  ASSERT_TRUE(again) << again.error().ToString();
  WeightSlots ours = const_cast<TranslationModel*>(SharedModel(kFolder + "ssru-f16"))->Slots(),
              theirs = (*again)->Slots();
  ASSERT_EQ(ours.slots.size(), theirs.slots.size());
  for (size_t i = 0; i < ours.slots.size(); ++i) {
    const WeightSlot &a = ours.slots[i], &b = theirs.slots[i];
    ASSERT_EQ(a.names.front(), b.names.front());
    if (Vector* const* vector = std::get_if<Vector*>(&a.to)) {
      EXPECT_EQ(**vector, *std::get<Vector*>(b.to)) << a.names.front();
      continue;
    }
    std::vector<float> x(a.inputs), y(b.inputs);
    for (size_t o = 0; o < a.outputs; ++o) {
      std::get<Weight*>(a.to)->GetRow(o, x.data());
      std::get<Weight*>(b.to)->GetRow(o, y.data());
      ASSERT_EQ(x, y) << a.names.front() << ", " << o;
    }
  }
  // Other formats are files that can be read, with all options that this engine runs.
  for (const char* const name : {"ssru-pre-norm", "self-attention-f32"}) {
    std::vector<TensorEntry> entries;
    EXPECT_TRUE(ReadDirectory(written(name), &entries)) << name;
    EXPECT_TRUE(ReadMarianShape(entries, name)) << name;
  }
}

// int8: each number is rounded to the nearest of 255 steps of its tensor, and there is a multiplier for the
// activations.
TEST(MarianWriter, RoundsToInt8) {
  TranslationModel& model = *const_cast<TranslationModel*>(SharedModel(kFolder + "ssru-f16"));
  const TransformerConfig& config = TransformerOf(model).config();
  EXPECT_FALSE(CheckForMarian(config, true));  // a width of 12, which is not a multiple of 64
  std::map<const float*, float> largest;
  WeightSlots slots = model.Slots();
  for (const WeightSlot& slot : slots.slots) {
    if (Weight* const* matrix = std::get_if<Weight*>(&slot.to)) largest[(*matrix)->floats().data()] = 2;
  }
  std::string file;
  const MarianTarget target = {config.vocabulary - 1, config.vocabulary - 1, &largest};
  WriteMarian(slots, config, target, [&](std::string_view bytes) { file += bytes; });
  auto again = Load(file);
  ASSERT_TRUE(again) << again.error().ToString();
  const WeightSlots theirs = (*again)->Slots();
  for (size_t i = 0; i < slots.slots.size(); ++i) {
    Weight* const* matrix = std::get_if<Weight*>(&slots.slots[i].to);
    if (matrix == nullptr) continue;
    const Weight& rounded = *std::get<Weight*>(theirs.slots[i].to);
    ASSERT_TRUE(rounded.quantized());
    const float step = rounded.int8().scales()[0];
    std::vector<float> x(rounded.inputs()), y(rounded.inputs());
    for (size_t o = 0; o < rounded.outputs(); ++o) {
      (*matrix)->GetRow(o, x.data());
      rounded.GetRow(o, y.data());
      for (size_t k = 0; k < x.size(); ++k) ASSERT_LE(std::abs(x[k] - y[k]), step * 0.5001f);
    }
  }
  const float alpha = 127 / 2.0f;
  const std::string bytes(reinterpret_cast<const char*>(&alpha), sizeof alpha);
  EXPECT_NE(file.find("none_QuantMultA"), std::string::npos);
  EXPECT_NE(file.find(bytes), std::string::npos);
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

}  // namespace
}  // namespace qkv
