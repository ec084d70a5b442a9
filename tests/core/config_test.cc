#include <gtest/gtest.h>

#include <string>

#include "core/models/transformer_config.h"
#include "core/translate/generation_config.h"
#include "core/translate/piece_rows.h"

namespace qkv {
namespace {

// A small config.json, with one field replaced or added.
std::string ConfigWith(const std::string& field = "", const std::string& value = "") {
  std::vector<std::pair<std::string, std::string>> fields = {
      {"model_type", "\"marian\""},      {"d_model", "8"},          {"encoder_layers", "1"},
      {"decoder_layers", "2"},           {"vocab_size", "20"},      {"encoder_attention_heads", "2"},
      {"decoder_attention_heads", "4"},  {"encoder_ffn_dim", "16"}, {"decoder_ffn_dim", "16"},
      {"max_position_embeddings", "64"}, {"eos_token_id", "0"},     {"pad_token_id", "19"}};
  bool replaced = field.empty();
  std::string json = "{";
  for (const auto& [name, usual] : fields) {
    const bool here = name == field;
    replaced |= here;
    if (here && value.empty()) continue;
    json += "\"" + name + "\":" + (here ? value : usual) + ",";
  }
  if (!replaced) json += "\"" + field + "\":" + value + ",";
  json.back() = '}';
  return json;
}

TEST(TransformerConfig, ReadsWhatAModelSays) {
  const Result<TransformerConfig> config = ParseTransformerConfig(ConfigWith("activation_function", "\"swish\""));
  ASSERT_TRUE(config) << config.error().ToString();
  EXPECT_EQ(config.value().d_model, 8u);
  EXPECT_EQ(config.value().decoder_layers, 2u);
  EXPECT_EQ(config.value().activation, Activation::kSilu);
  EXPECT_EQ(config.value().start, 19);  // the row of pad, with which Marian starts decoding
}

struct Refused {
  std::string field, value;
  ErrorCode code;
};

TEST(TransformerConfig, RefusesWhatItCannotRunAndNamesTheField) {
  const ErrorCode invalid = ErrorCode::kInvalidFile, unsupported = ErrorCode::kUnsupported;
  const Refused cases[] = {
      {"d_model", "", invalid},
      {"d_model", "0", invalid},
      {"max_position_embeddings", "1", invalid},  // a text has no piece besides </s>
      {"d_model", "-8", invalid},
      {"d_model", "8.5", invalid},
      {"d_model", "\"8\"", invalid},
      {"d_model", "1099511627776", invalid},
      {"vocab_size", "1099511627776", invalid},
      {"encoder_attention_heads", "3", invalid},
      {"eos_token_id", "20", invalid},
      {"decoder_start_token_id", "-1", invalid},
      {"dropout", "1", invalid},
      {"scale_embedding", "1", invalid},
      {"model_type", "\"t5\"", unsupported},
      {"activation_function", "\"gelu_fast\"", unsupported},
      {"normalize_before", "1", invalid},
      {"add_final_layer_norm", "\"true\"", invalid},
      {"static_position_embeddings", "false", unsupported},
      {"decoder_vocab_size", "21", invalid},
  };
  for (const Refused& refused : cases) {
    const Result<TransformerConfig> config = ParseTransformerConfig(ConfigWith(refused.field, refused.value));
    ASSERT_FALSE(config) << refused.field << " " << refused.value;
    EXPECT_EQ(config.error().code, refused.code) << config.error().ToString();
    EXPECT_EQ(config.error().where, "config.json, " + refused.field);
  }
}

// JavaScript reads the same file this way too. RapidJSON alone takes a NUL for the end.
TEST(TransformerConfig, RefusesANul) {
  const Result<TransformerConfig> config = ParseTransformerConfig(ConfigWith() + std::string(3, '\0'));
  ASSERT_FALSE(config);
  EXPECT_NE(config.error().message.find("NUL"), std::string::npos) << config.error().ToString();
}

TEST(TransformerConfig, RefusesATableOfPositionsThatNobodyNeeds) {
  std::string json = ConfigWith("max_position_embeddings", "16384");
  json.replace(json.find("\"d_model\":8"), 11, "\"d_model\":32768");
  const Result<TransformerConfig> config = ParseTransformerConfig(json);
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(config.error().where, "config.json, max_position_embeddings");
}

TEST(TransformerConfig, RefusesWhatIsNoConfig) {
  for (const std::string& text : {std::string(), std::string("[]"), std::string("{"), std::string("\xff"),
                                  "{\"a\":" + std::string(10000, '[') + std::string(10000, ']') + ",}"}) {
    const Result<TransformerConfig> config = ParseTransformerConfig(text);
    ASSERT_FALSE(config);
    EXPECT_EQ(config.error().code, ErrorCode::kInvalidFile);
  }
}

class GenerationConfigTest : public testing::Test {
 protected:
  TransformerConfig model_ = ParseTransformerConfig(ConfigWith()).value();
};

TEST_F(GenerationConfigTest, IsGreedyWithoutAFileAndNeverWritesThePad) {
  const Result<GenerationConfig> config = ParseGenerationConfig("", model_);
  ASSERT_TRUE(config);
  EXPECT_EQ(config.value().beam, 1u);
  EXPECT_EQ(config.value().max_length, 64u);
  EXPECT_EQ(config.value().banned, std::vector<int32_t>{19});
}

TEST_F(GenerationConfigTest, ReadsBeamsAndAlignmentHeads) {
  const Result<GenerationConfig> config = ParseGenerationConfig(
      R"({"num_beams": 6, "max_length": 512, "length_penalty": 0.6, "alignment_heads": [[1, 3], [0, 0]]})", model_);
  ASSERT_TRUE(config) << config.error().ToString();
  EXPECT_EQ(config.value().beam, 6u);
  EXPECT_EQ(config.value().max_length, 64u);  // no position lies behind it
  EXPECT_EQ(config.value().alignment_heads.front(), std::pair(size_t{1}, size_t{3}));
}

TEST_F(GenerationConfigTest, RefusesWhatItDoesNotHonour) {
  for (const char* text :
       {R"({"num_beams": 0})", R"({"num_beams": 65})", R"({"do_sample": true})", R"({"early_stopping": true})",
        R"({"no_repeat_ngram_size": 3})", R"({"repetition_penalty": 1.2})", R"({"bad_words_ids": [[1, 2]]})",
        R"({"bad_words_ids": [[20]]})", R"({"bad_words_ids": [[0]]})", R"({"bad_words_ids": [19]})",
        R"({"alignment_heads": [[2, 0]]})", R"({"alignment_heads": [[0, 4]]})", R"({"alignment_heads": [0]})",
        R"({"forced_eos_token_id": 3})", R"({"length_penalty": "1"})"}) {
    EXPECT_FALSE(ParseGenerationConfig(text, model_)) << text;
  }
}

TEST(PieceRows, RefusesAContradictoryVocabulary) {
  EXPECT_TRUE(PieceRows::Parse(R"({"</s>": 0, "<unk>": 1, "a": 3})", 4, 0));
  for (const char* text : {"{}", R"({"</s>": 0})", R"({"<unk>": 1, "</s>": 2})", R"({"</s>": 0, "<unk>": 1, "a": 1})",
                           R"({"</s>": 0, "<unk>": 1, "a": 4})", R"({"</s>": 0, "<unk>": 1, "a": -1})",
                           R"({"</s>": 0, "<unk>": 1, "a": 1099511627776})", R"({"</s>": 0, "<unk>": 1, "": 2})",
                           R"({"</s>": 0, "<unk>": 1, "a": "2"})"}) {
    const Result<PieceRows> rows = PieceRows::Parse(text, 4, 0);
    ASSERT_FALSE(rows) << text;
    EXPECT_EQ(rows.error().code, ErrorCode::kInvalidFile);
    EXPECT_EQ(rows.error().where.rfind("vocab.json", 0), 0u);
  }
}

}  // namespace
}  // namespace qkv
