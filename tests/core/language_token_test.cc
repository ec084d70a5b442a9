// The token of a target language, which multilingual folders of OPUS-MT expect before a text: one piece, however
// SentencePiece would segment it (MarianTokenizer._tokenize in Hugging Face Transformers).
#include <gtest/gtest.h>

#include "core/io/mapped_file.h"
#include "core/translate/model.h"

namespace qkv {
namespace {

constexpr const char* kFolder = "tests/goldens/models/tiny-f16";
constexpr const char* kToken = ">>fra<<";

std::unique_ptr<TranslationModel> Load(bool multilingual, int32_t* row) {
  const auto open = [](const char* name) { return std::move(*MappedFile::Open(kFolder, name)); };
  const MappedFile config = open("config.json"), vocabulary = open("vocab.json"), source = open("source.spm"),
                   target = open("target.spm");
  std::string pieces(vocabulary.text());
  const size_t pad = pieces.find("\"<pad>\"");
  EXPECT_NE(pad, std::string::npos);
  if (multilingual) pieces.replace(pad, 7, "\"" + std::string(kToken) + "\"");
  *row = std::stoi(pieces.substr(pieces.find(':', pad) + 1));
  auto model = TranslationModel::Create({config.text(), "", pieces, source.bytes(), target.bytes()});
  EXPECT_TRUE(model) << model.error().ToString();
  return std::move(*model);
}

TEST(LanguageToken, IsOnePieceBeforeTheText) {
  int32_t row = 0;
  const auto model = Load(true, &row);
  for (const std::string text : {"", "the cat", " the cat", "a >>fra<< b", "<<"}) {
    const Tokens plain = model->Encode(text, Side::kSource), marked = model->Encode(kToken + text, Side::kSource);
    ASSERT_EQ(marked.ids.size(), plain.ids.size() + 1) << text;
    EXPECT_EQ(marked.ids[0], row);
    EXPECT_EQ(marked.begin[0], 0u);
    EXPECT_EQ(marked.end[0], 7u);
    for (size_t i = 0; i < plain.ids.size(); ++i) {
      EXPECT_EQ(marked.ids[i + 1], plain.ids[i]) << text;
      EXPECT_EQ(marked.begin[i + 1], plain.begin[i] + 7) << text;
      EXPECT_EQ(marked.end[i + 1], plain.end[i] + 7) << text;
    }
    EXPECT_NE(model->Encode(kToken + text, Side::kTarget).ids[0], row);
  }
}

TEST(LanguageToken, IsTextWhereTheVocabularyHasNone) {
  int32_t row = 0;
  const auto model = Load(false, &row), other = Load(true, &row);
  EXPECT_NE(model->Encode(kToken, Side::kSource).ids[0], row);
  for (const char* text : {">>deu<<a", ">>fra<", ">>fra", ">>", ">> <<", "a >>fra<<"}) {
    EXPECT_EQ(other->Encode(text, Side::kSource).ids, model->Encode(text, Side::kSource).ids) << text;
  }
}

// A text that is too long is cut at its end; the token stays.
TEST(LanguageToken, CountsAsAPlace) {
  int32_t row = 0;
  const auto model = Load(true, &row);
  std::string text = kToken;
  for (int i = 0; i < 1000; ++i) text += " a";
  const Tokens tokens = model->Encode(text, Side::kSource);
  EXPECT_TRUE(tokens.truncated);
  EXPECT_EQ(tokens.ids.size(), model->config().max_positions);
  EXPECT_EQ(tokens.ids[0], row);
}

}  // namespace
}  // namespace qkv
