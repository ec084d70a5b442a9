// A SentencePiece model written as tokenizer.json gives the same segmentation as the model itself.
#include "core/train/tokenizer_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "core/text/sentencepiece.h"
#include "core/text/tokenizer.h"
#include "tests/core/goldens.h"

namespace qkv {
namespace {

constexpr const char* kUnigram = "web/models/en-fr/source.spm";

std::span<const uint8_t> Bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

Tokenizer Written(const std::string& spm, ReadBy reader) {
  const auto json = TokenizerJson(Bytes(spm), kUnigram, reader);
  EXPECT_TRUE(json) << json.error().ToString();
  auto tokenizer = Tokenizer::Parse(json.value());
  EXPECT_TRUE(tokenizer) << tokenizer.error().ToString();
  return std::move(*tokenizer);
}

TEST(TokenizerJson, CutsAsTheSentencePieceModelDoes) {
  const std::string spm = ReadBytes(kUnigram);
  const SentencePiece model = std::move(*SentencePiece::Parse(Bytes(spm), kUnigram));
  const Tokenizer tokenizer = Written(spm, ReadBy::kDecoder);
  EXPECT_EQ(tokenizer.size(), model.size());
  std::istringstream lines(ReadBytes("tests/goldens/sentences.txt"));
  size_t count = 0;
  for (std::string line; std::getline(lines, line); ++count) {
    const auto ids = [](const std::vector<Piece>& pieces) {
      std::vector<int32_t> all;
      for (const Piece& piece : pieces) all.push_back(piece.id);
      return all;
    };
    EXPECT_EQ(ids(tokenizer.Pieces(line)), ids(model.Encode(line))) << line;
    const std::vector<int32_t> known = ids(model.Encode(line));
    EXPECT_EQ(tokenizer.Decode(known), model.Decode(known));
  }
  EXPECT_EQ(count, 100u);
}

TEST(TokenizerJson, PutsAnEncodersPiecesAroundTexts) {
  const std::string spm = ReadBytes(kUnigram);
  const Tokenizer tokenizer = Written(spm, ReadBy::kEncoder);
  const Encoding one = tokenizer.Encode("I love you.", std::nullopt, 64);
  EXPECT_EQ(tokenizer.Text(one.ids.front()), "[CLS]");
  EXPECT_EQ(tokenizer.Text(one.ids.back()), "[SEP]");
  const Encoding two = tokenizer.Encode("I love you.", "Really?", 64);
  EXPECT_EQ(std::count(two.ids.begin(), two.ids.end(), tokenizer.Id("[SEP]")), 2);
  EXPECT_EQ(two.types.back(), 1);
  const Encoding hidden = tokenizer.Encode("I love [MASK].", std::nullopt, 64);
  EXPECT_EQ(std::count(hidden.ids.begin(), hidden.ids.end(), tokenizer.Id("[MASK]")), 1);
  // Texts around a masked word are cut as in training, where a word stood there: punctuation behind it begins no word.
  const auto texts = [&](const std::string& text) {
    std::vector<std::string> all;
    for (const int32_t id : tokenizer.Encode(text, std::nullopt, 64).ids) all.emplace_back(tokenizer.Text(id));
    return all;
  };
  EXPECT_EQ(texts("I love [MASK]."), (std::vector<std::string>{"[CLS]", "▁I", "▁love", "[MASK]", ".", "[SEP]"}));
  EXPECT_EQ(texts("I [MASK] you."), (std::vector<std::string>{"[CLS]", "▁I", "[MASK]", "▁you", ".", "[SEP]"}));
  EXPECT_EQ(texts("[MASK] you"), (std::vector<std::string>{"[CLS]", "[MASK]", "▁you", "[SEP]"}));
  EXPECT_EQ(texts("  I  love you. "), texts("I love you."));
  for (const char* piece : {"[CLS]", "[SEP]", "[MASK]", "[PAD]"}) EXPECT_TRUE(tokenizer.IsSpecial(tokenizer.Id(piece)));
}

TEST(TokenizerJson, RefusesWhatItCannotSay) {
  const std::string bpe = ReadBytes("tests/goldens/sentencepiece/bpe.spm");
  const auto refused = TokenizerJson(Bytes(bpe), "bpe.spm", ReadBy::kEncoder);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_FALSE(TokenizerJson(Bytes("no model"), "no.spm", ReadBy::kEncoder));
}

}  // namespace
}  // namespace qkv
