// Damaged model folders: each is refused at once, in little memory, with a sentence that names the file and the place.
// A good folder loads afterwards.
#include "core/translate/folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "core/translate/translation.h"
#include "tests/core/goldens.h"

namespace qkv {
namespace {

namespace fs = std::filesystem;

constexpr const char* kGood = "tests/goldens/models/tiny-f16";  // a folder with all six files
constexpr const char* kFiles[] = {"config.json", "generation_config.json", "vocab.json", "source.spm",
                                  "target.spm",  "model.safetensors"};

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define QKV_SANITIZED 1
#endif
#endif

#ifdef QKV_SANITIZED  // Sanitizers are slower and keep freed memory for a while.
constexpr double kMostSeconds = 20;
constexpr size_t kMostKilobytes = 4000000;
#else
constexpr double kMostSeconds = 1;
constexpr size_t kMostKilobytes = 100000;
#endif

// The largest resident size since the last call of ForgetPeak; 0 where the system does not report it.
size_t PeakKilobytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return std::stoul(line.substr(6));
  }
  return 0;
}

void ForgetPeak() { std::ofstream("/proc/self/clear_refs") << "5"; }

// A copy of a good model folder whose files can be damaged and restored.
class ModelFolder {
 public:
  explicit ModelFolder(const std::string& from)
      : path_(fs::path(testing::TempDir()) / ("qkv-folder-" + std::to_string(getpid()))) {
    fs::create_directories(path_);
    for (const char* name : kFiles) {
      if (!fs::exists(fs::path(from) / name)) continue;
      good_[name] = ReadBytes(from + "/" + name);
      Write(name, good_[name]);
    }
  }
  ~ModelFolder() { fs::remove_all(path_); }
  ModelFolder(const ModelFolder&) = delete;

  std::string path() const { return path_.string(); }
  const std::string& Good(const std::string& name) const { return good_.at(name); }
  void Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
  }
  void Mend(const std::string& name) const { Write(name, Good(name)); }
  void Remove(const std::string& name) const { fs::remove(path_ / name); }

 private:
  fs::path path_;
  std::map<std::string, std::string> good_;
};

std::string Translate(const TranslationModel& model) {
  Arena arena;
  ThreadPool pool(1);
  Context ctx{arena, pool};
  TranslationJob job(model, {"Where is the kitchen?"}, {.beam = 1});
  while (!job.Step(ctx)) {
  }
  return job.results()[0].text;
}

class DamagedFolder : public testing::Test {
 protected:
  void SetUp() override {
    const JsonObject goldens = ReadGoldens(std::string(kGood) + "/translations.json");
    for (const Json& golden : goldens.root()["translations"].GetArray()) {
      if (std::strcmp(golden["source"].GetString(), "Where is the kitchen?") == 0)
        expected_ = golden["greedy"]["text"].GetString();
    }
    ASSERT_FALSE(expected_.empty());
    ExpectGoodLoads();
  }

  void ExpectGoodLoads() const {
    auto model = LoadFolder(kGood);
    ASSERT_TRUE(model) << model.error().ToString();
    EXPECT_EQ(Translate(**model), expected_);
  }

  // Loads a folder that must be refused; returns its error as a sentence.
  std::string Refusal(const ModelFolder& folder, const std::string& file) const {
    ForgetPeak();
    const size_t before = PeakKilobytes();
    const std::clock_t start = std::clock();  // processor time: other programs may take the processor
    auto model = LoadFolder(folder.path());
    EXPECT_LE(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, kMostSeconds);
    EXPECT_LE(PeakKilobytes(), before + kMostKilobytes);
    if (model) {
      ADD_FAILURE() << "it was loaded";
      return "";
    }
    const Error& error = model.error();
    EXPECT_NE(error.where.find(file), std::string::npos) << error.ToString();
    EXPECT_FALSE(error.message.empty());
    return error.ToString();
  }

  std::string expected_;
};

// The last byte of a text file is a line end, which may be missing. The last two bytes of a .spm file are an empty
// message.
bool StillWhole(const std::string& name, const std::string& bytes, size_t length) {
  if (name.ends_with(".json")) return length + 1 == bytes.size() && bytes.back() == '\n';
  if (name.ends_with(".spm")) return length + 2 == bytes.size() && bytes.ends_with(std::string("\x2A\0", 2));
  return false;
}

TEST_F(DamagedFolder, EachFileCutAtFiftyPlaces) {
  const ModelFolder folder(kGood);
  for (const std::string name : kFiles) {
    const std::string& bytes = folder.Good(name);
    for (size_t i = 0; i < 50; ++i) {
      const size_t length = i < 48 ? bytes.size() * i / 48 : bytes.size() - (50 - i);  // the last two places as well
      SCOPED_TRACE(name + " cut to " + std::to_string(length) + " of " + std::to_string(bytes.size()));
      folder.Write(name, bytes.substr(0, length));
      if (StillWhole(name, bytes, length)) {
        auto model = LoadFolder(folder.path());
        ASSERT_TRUE(model) << model.error().ToString();
        EXPECT_EQ(Translate(**model), expected_);
      } else {
        EXPECT_TRUE(Refusal(folder, name).starts_with("INVALID_FILE: ")) << Refusal(folder, name);
      }
    }
    folder.Mend(name);
    ExpectGoodLoads();
  }
}

TEST_F(DamagedFolder, TheDefaultModelsWeightsCut) {
  const ModelFolder folder(kDefaultModel);
  const std::string& bytes = folder.Good("model.safetensors");
  for (size_t i = 0; i < 10; ++i) {
    SCOPED_TRACE(i);
    folder.Write("model.safetensors", bytes.substr(0, bytes.size() / 10 * i + i));
    Refusal(folder, "model.safetensors");
  }
  ExpectGoodLoads();
}

TEST_F(DamagedFolder, FilesMissing) {
  const ModelFolder folder(kGood);
  for (const std::string name : {"config.json", "vocab.json", "source.spm", "model.safetensors"}) {
    folder.Remove(name);
    EXPECT_TRUE(Refusal(folder, name).starts_with("MISSING_FILE: ")) << name;
    folder.Mend(name);
  }
  ExpectGoodLoads();
}

// The default model's rows are the pieces of its source.spm, and <pad>. tiny-f16 has another order and another
// target.spm.
TEST_F(DamagedFolder, VocabularyLeftOut) {
  const ModelFolder folder(kDefaultModel);
  auto whole = LoadFolder(folder.path());
  ASSERT_TRUE(whole) << whole.error().ToString();
  folder.Remove("vocab.json");
  auto without = LoadFolder(folder.path());
  ASSERT_TRUE(without) << without.error().ToString();
  EXPECT_EQ(Translate(**without), Translate(**whole));
  EXPECT_EQ((*without)->Unknown(Side::kSource), (*whole)->Unknown(Side::kSource));
  for (int32_t row = 0; row < static_cast<int32_t>((*whole)->config().vocabulary); ++row) {
    ASSERT_EQ((*without)->PieceText(row), (*whole)->PieceText(row));
  }
  // With another number of rows, or another row for <pad> or </s>, vocab.json is needed.
  for (const auto& [from, to] : {std::pair{"\"vocab_size\": 8000", "\"vocab_size\": 8001"},
                                 {"\"pad_token_id\": 7999", "\"pad_token_id\": 7998"},
                                 {"\"eos_token_id\": 0", "\"eos_token_id\": 1"}}) {
    const std::string& config = folder.Good("config.json");
    folder.Write("config.json", std::string(config).replace(config.find(from), std::strlen(from), to));
    EXPECT_TRUE(Refusal(folder, "vocab.json").starts_with("MISSING_FILE: ")) << to;
  }
}

// `text` with the first `from` replaced.
std::string Replace(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// A safetensors file with an edited header and, if given, another value in the header's length.
std::string WithHeader(const std::string& file, const std::string& from, const std::string& to) {
  uint64_t length;
  std::memcpy(&length, file.data(), sizeof length);
  const std::string header = Replace(file.substr(8, length), from, to), data = file.substr(8 + length);
  length = header.size();
  std::string edited(sizeof length, '\0');
  std::memcpy(edited.data(), &length, sizeof length);
  return edited + header + data;
}

std::string WithLength(std::string file, uint64_t length) {
  std::memcpy(file.data(), &length, sizeof length);
  return file;
}

// A safetensors file whose number at `offset` of the data is replaced by these two bytes.
std::string WithNumber(std::string file, size_t offset, uint16_t number) {
  uint64_t length;
  std::memcpy(&length, file.data(), sizeof length);
  std::memcpy(file.data() + 8 + length + offset, &number, sizeof number);
  return file;
}

struct Defect {
  const char* what;
  const char* file;
  std::string bytes;
  const char* code;
  const char* says;              // a part of the sentence
  const char* blames = nullptr;  // the file that the error names, where it is another
};

std::string Nested(size_t levels) { return "{\"a\":" + std::string(levels, '[') + std::string(levels, ']') + "}"; }

std::vector<Defect> WeightDefects(const std::string& good) {
  const char* file = "model.safetensors";
  const std::string bias = R"("final_logits_bias":{"dtype":"F16","shape":[1,86],"data_offsets":[0,172]})";
  const std::string key = "model.decoder.layers.0.encoder_attn.k_proj.";
  const std::string key_bias = "\"" + key + R"(bias":{"dtype":"F16","shape":[36],"data_offsets":[172,244]})";
  const std::string weight = "\"" + key + R"(weight":{"dtype":"F16","shape":[36,36],"data_offsets":[244,2836]})";
  const auto edit = [&](const std::string& of, const std::string& from, const std::string& to) {
    return WithHeader(good, of, Replace(of, from, to));
  };
  return {
      {"a header of 2^60 bytes", file, WithLength(good, uint64_t{1} << 60), "INVALID_FILE",
       "claims 1152921504606846976"},
      {"a header of 2^64 - 1 bytes", file, WithLength(good, UINT64_MAX), "INVALID_FILE", "claims"},
      {"a header of no bytes", file, WithLength(good, 0), "INVALID_FILE", "header is empty"},
      {"a header 10,000 levels deep", file, WithLength(std::string(8, ' ') + Nested(10000), 20006), "INVALID_FILE",
       "a: "},
      {"a wrong shape", file, edit(weight, "[36,36]", "[18,72]"), "INVALID_FILE",
       "k_proj.weight: its shape is [18, 72]"},
      {"a shape of 2^62", file, edit(weight, "[36,36]", "[4611686018427387904,36]"), "INVALID_FILE", "k_proj.weight"},
      {"a shape that is not its bytes'", file, edit(weight, "F16", "F32"), "INVALID_FILE", "need 5184"},
      {"a wrong dtype", file, edit(weight, "F16", "I64"), "UNSUPPORTED", "k_proj.weight: dtype I64"},
      {"no dtype", file, edit(weight, "\"dtype\":\"F16\",", ""), "INVALID_FILE", "k_proj.weight: dtype"},
      {"a missing tensor", file, WithHeader(good, key_bias + ",", ""), "INVALID_FILE",
       "k_proj.bias: this tensor is missing"},
      {"a doubled tensor", file, WithHeader(good, key_bias, key_bias + "," + Replace(key_bias, "[172,244]", "[0,0]")),
       "INVALID_FILE", "k_proj.bias: the header names it twice"},
      {"an unknown tensor", file,
       WithHeader(good, bias, bias + R"(,"x":{"dtype":"F16","shape":[0],"data_offsets":[0,0]})"), "UNSUPPORTED",
       "model.safetensors, x"},
      {"overlapping offsets", file, edit(weight, "[244,2836]", "[242,2834]"), "INVALID_FILE", "overlap"},
      {"offsets outside", file, edit(weight, "[244,2836]", "[99999244,100001836]"), "INVALID_FILE", "outside"},
      {"offsets backwards", file, edit(weight, "[244,2836]", "[2836,244]"), "INVALID_FILE", "outside"},
      {"offsets of 2^63", file, edit(weight, "[244,2836]", "[244,9223372036854775808]"), "INVALID_FILE", "outside"},
      {"offsets that are no numbers", file, edit(weight, "[244,2836]", "[\"a\",{}]"), "INVALID_FILE", "data_offsets"},
      {"a NaN", file, WithNumber(good, 250, 0x7E00), "INVALID_FILE",
       "k_proj.weight: it holds a number that is not finite"},
      {"an infinity", file, WithNumber(good, 174, 0xFC00), "INVALID_FILE", "k_proj.bias: it holds a number"},
  };
}

std::vector<Defect> TextDefects(const ModelFolder& folder) {
  const std::string config = folder.Good("config.json"), vocabulary = folder.Good("vocab.json"),
                    generation = folder.Good("generation_config.json");
  // A normalizer_spec and two pieces: "<unk>" of type 2, and "other".
  const std::string other = std::string("\x1A\0", 2) + "\x0A\x09\x0A\x05<unk>\x18\x02" + "\x0A\x07\x0A\x05other";
  return {
      {"10,000 levels", "config.json", Nested(10000), "INVALID_FILE", "d_model: is missing"},
      {"10,000 levels, unclosed", "config.json", std::string(10000, '{'), "INVALID_FILE", "not valid JSON"},
      {"10,000 levels", "generation_config.json",
       Replace(generation, "[[85]]", std::string(10000, '[') + std::string(10000, ']')), "INVALID_FILE",
       "bad_words_ids"},
      {"10,000 levels", "vocab.json", Nested(10000), "INVALID_FILE", "vocab.json, a"},
      {"2 MiB of lists", "config.json", "[" + std::string(size_t{2} << 20, '[') + "]", "LIMIT_EXCEEDED", "1 MiB"},
      {"another size", "config.json", Replace(config, "\"d_model\": 36", "\"d_model\": 40"), "INVALID_FILE",
       "asks for [86, 40]", "model.safetensors"},
      {"a table of positions of 2 GiB", "config.json",
       Replace(Replace(config, "\"d_model\": 36", "\"d_model\": 32768"), "\"max_position_embeddings\": 64",
               "\"max_position_embeddings\": 16384"),
       "LIMIT_EXCEEDED", "max_position_embeddings"},
      {"the most layers, of the largest width", "config.json",
       Replace(Replace(config, "\"encoder_layers\": 1", "\"encoder_layers\": 256"), "\"encoder_ffn_dim\": 33",
               "\"encoder_ffn_dim\": 32768"),
       "INVALID_FILE", "asks for [32768, 36]", "model.safetensors"},
      {"a position for </s> alone", "config.json",
       Replace(config, "\"max_position_embeddings\": 64", "\"max_position_embeddings\": 1"), "INVALID_FILE",
       "max_position_embeddings: must be an integer from 2"},
      {"a vocabulary of four million", "config.json", Replace(config, "\"vocab_size\": 86", "\"vocab_size\": 4194304"),
       "INVALID_FILE", "shape", "model.safetensors"},
      {"a vocabulary too small", "config.json", Replace(config, "\"vocab_size\": 86", "\"vocab_size\": 80"),
       "INVALID_FILE", "pad_token_id"},
      {"not text", "config.json", "\xFF\xFE{\0}", "INVALID_FILE", "not valid JSON"},
      {"an empty vocabulary", "vocab.json", "{}", "INVALID_FILE", "<unk>"},
      {"one id twice", "vocab.json", Replace(vocabulary, "\"<pad>\": 85", "\"<pad>\": 84"), "INVALID_FILE",
       "already belongs"},
      {"an id outside", "vocab.json", Replace(vocabulary, "\"<pad>\": 85", "\"<pad>\": 86"), "INVALID_FILE",
       "below the number of rows, 86"},
      {"vocabularies of two sizes", "config.json",
       Replace(config, "\"share_encoder_decoder_embeddings\": true",
               "\"decoder_vocab_size\": 87, \"share_encoder_decoder_embeddings\": false"),
       "MISSING_FILE", "a vocabulary of its own", "target_vocab.json"},
      {"an end that is none", "vocab.json", Replace(vocabulary, "\"</s>\"", "\"</S>\""), "INVALID_FILE",
       "eos_token_id"},
      {"pieces of another model", "vocab.json", R"({"</s>": 0, "<unk>": 1, "of": 2, "another": 3})", "INVALID_FILE",
       "different models", "source.spm"},
      {"pieces of another model", "source.spm", other, "INVALID_FILE", "different models"},
      {"pieces of another model", "target.spm", other, "INVALID_FILE", "different models"},
      {"no pieces", "source.spm", std::string("\x1A\0", 2), "INVALID_FILE", "vocabulary is empty"},
      {"no pieces", "target.spm", std::string("\x1A\0", 2), "INVALID_FILE", "vocabulary is empty"},
      {"40 MB of nothing", "source.spm", std::string(40000000, '\0'), "LIMIT_EXCEEDED", "32 MiB"},
      {"JSON", "source.spm", "{\"model\": {}}", "INVALID_FILE", "malformed"},
      {"a beam of a thousand", "generation_config.json", Replace(generation, "\"num_beams\": 2", "\"num_beams\": 1000"),
       "INVALID_FILE", "num_beams"},
  };
}

TEST_F(DamagedFolder, EachDefectIsNamed) {
  const ModelFolder folder(kGood);
  std::vector<Defect> defects = WeightDefects(folder.Good("model.safetensors"));
  for (Defect& defect : TextDefects(folder)) defects.push_back(std::move(defect));
  for (const Defect& defect : defects) {
    SCOPED_TRACE(std::string(defect.file) + ": " + defect.what);
    folder.Write(defect.file, defect.bytes);
    const std::string error = Refusal(folder, defect.blames != nullptr ? defect.blames : defect.file);
    EXPECT_TRUE(error.starts_with(defect.code)) << error;
    EXPECT_NE(error.find(defect.says), std::string::npos) << error;
    folder.Mend(defect.file);
    ExpectGoodLoads();
  }
}

}  // namespace
}  // namespace qkv
