// Subword regularisation: segmentations are drawn with the probabilities of the papers.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/text/spm_file.h"
#include "core/text/unigram.h"
#include "core/text/vocabulary.h"
#include "core/train/subword_rows.h"
#include "tests/core/goldens.h"

namespace qkv {
namespace {

SentencePiece Open(const std::string& path) {
  const std::string bytes = ReadBytes(path);
  auto model = SentencePiece::Parse({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, path);
  EXPECT_TRUE(model) << path;
  return std::move(*model);
}

std::vector<int32_t> IdsOf(const std::vector<Piece>& pieces) {
  std::vector<int32_t> ids;
  for (const Piece& piece : pieces) ids.push_back(piece.id);
  return ids;
}

constexpr const char* kUnigram = "web/models/en-fr/source.spm";
constexpr const char* kBpe = "tests/goldens/sentencepiece/bpe.spm";
constexpr const char* kBytes = "tests/goldens/sentencepiece/unigram-bytes.spm";

// Every segmentation of `text` with its sum of scores, by enumeration.
void ForEachCut(const Vocabulary& vocabulary, std::string_view text, std::string cut, double score,
                std::map<std::string, double>* cuts) {
  if (text.empty()) (*cuts)[cut] = score;
  for (size_t length = 1; length <= text.size(); ++length) {
    const int32_t id = vocabulary.Find(text.substr(0, length));
    if (id < 0 || vocabulary.Type(id) != PieceType::kNormal) continue;
    ForEachCut(vocabulary, text.substr(length), cut + "|" + std::string(text.substr(0, length)),
               score + double{vocabulary.Score(id)}, cuts);
  }
}

// Pearson's chi-squared over the segmentations that are expected at least five times. The others are one class.
TEST(Sampling, UnigramCutsAreAsProbableAsTheirScoresSay) {
  const std::string bytes = ReadBytes(kUnigram);
  auto spm = ParseSpm({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, kUnigram);
  ASSERT_TRUE(spm);
  auto vocabulary = Vocabulary::Build(*spm, kUnigram);
  ASSERT_TRUE(vocabulary);
  const Unigram unigram(*vocabulary);
  const std::string text = "\xE2\x96\x81there\xE2\x96\x81is";
  std::map<std::string, double> cuts;
  ForEachCut(*vocabulary, text, "", 0, &cuts);
  ASSERT_GT(cuts.size(), 20U);
  for (const float alpha : {0.0f, 0.2f, 0.5f}) {
    double total = 0;
    for (const auto& [cut, score] : cuts) total += std::exp(double{alpha} * score);
    Random random(11, static_cast<uint64_t>(alpha * 100));
    constexpr int kDraws = 20000;
    std::map<std::string, int> drawn;
    for (int i = 0; i < kDraws; ++i) {
      std::string cut;
      size_t at = 0;
      for (const Segment& segment : unigram.Sample(text, *vocabulary, alpha, random)) {
        cut += "|" + text.substr(at, segment.end - at);
        at = segment.end;
      }
      ASSERT_TRUE(cuts.contains(cut)) << cut;
      ++drawn[cut];
    }
    double squares = 0, rare_expected = 0, rare_drawn = 0;
    int classes = 0;
    for (const auto& [cut, score] : cuts) {
      const double expected = kDraws * std::exp(double{alpha} * score) / total;
      if (expected < 5) {
        rare_expected += expected;
        rare_drawn += drawn[cut];
        continue;
      }
      squares += (drawn[cut] - expected) * (drawn[cut] - expected) / expected;
      ++classes;
    }
    if (rare_expected > 5) squares += (rare_drawn - rare_expected) * (rare_drawn - rare_expected) / rare_expected;
    // The mean is `classes` and the variance 2 `classes`: five sigma.
    EXPECT_LT(squares, classes + 5 * std::sqrt(2.0 * classes)) << "alpha " << alpha << ", classes " << classes;
  }
}

TEST(Sampling, SpellsTheSameText) {
  for (const char* path : {kUnigram, kBpe, kBytes}) {
    const SentencePiece model = Open(path);
    Random random(1);
    size_t different = 0;
    for (const char* text :
         {"Hello world, how are you?", "L'été à Paris  était beau…", "x", "", "日本 \xF0\x9F\x98\x80 ok"}) {
      const auto plain = IdsOf(model.Encode(text));
      for (int i = 0; i < 50; ++i) {
        const std::vector<Piece> pieces = model.Sample(text, 0.1f, random);
        EXPECT_EQ(model.Decode(IdsOf(pieces)), model.Decode(plain)) << path;
        different += IdsOf(pieces) != plain ? 1 : 0;
        size_t end = 0;
        for (const Piece& piece : pieces) {
          EXPECT_LE(end, piece.end);
          end = piece.end;
        }
      }
    }
    EXPECT_GT(different, 10U) << path;
  }
}

TEST(Sampling, WithoutDropoutBpeCutsAsItDoes) {
  const SentencePiece model = Open(kBpe);
  EXPECT_TRUE(model.is_bpe());
  Random random(1);
  const std::string text = "The international community has been working together.";
  EXPECT_EQ(IdsOf(model.Sample(text, 0, random)), IdsOf(model.Encode(text)));
  size_t characters = 0;
  for (const Piece& piece : model.Sample(text, 1, random)) {
    characters += model.Text(piece.id).size() == 1 || model.Text(piece.id) == "\xE2\x96\x81" ? 1 : 0;
  }
  EXPECT_EQ(characters, text.size() + 1);
}

// A text of two characters that form a piece stays whole with probability 1 - dropout.
TEST(Sampling, BpeDropsAsOftenAsAsked) {
  const SentencePiece model = Open(kBpe);
  int32_t pair = -1;
  for (int32_t id = 0; id < static_cast<int32_t>(model.size()) && pair < 0; ++id) {
    const std::string_view text = model.Text(id);
    if (text.size() == 4 && text.starts_with("\xE2\x96\x81")) pair = id;  // a space and a letter
  }
  ASSERT_GE(pair, 0);
  const std::string letter(model.Text(pair).substr(3));
  Random random(3);
  int whole = 0;
  for (int i = 0; i < 10000; ++i) whole += model.Sample(letter, 0.3f, random).size() == 1 ? 1 : 0;
  EXPECT_NEAR(whole, 7000, 5 * std::sqrt(10000 * 0.3 * 0.7));
}

TEST(SubwordRows, ReadAModelsVocabulary) {
  const std::string folder = "tests/goldens/en-fr/", spm = ReadBytes(folder + "source.spm");
  const std::string vocabulary = ReadBytes(folder + "vocab.json");
  auto rows = SubwordRows::Parse(vocabulary, spm, "", {.source = 0.2f});
  ASSERT_TRUE(rows) << rows.error().ToString();
  const TranslationModel* model = SharedModel("tests/goldens/en-fr");
  EXPECT_EQ((*rows)->size(), model->config().vocabulary);
  EXPECT_EQ((*rows)->start(), model->config().start);
  EXPECT_EQ((*rows)->end(), model->config().end);
  const std::string text = "Could you tell me where the station is?";
  std::vector<int32_t> plain;
  (*rows)->Append(text, Side::kSource, nullptr, &plain);
  plain.push_back((*rows)->end());
  EXPECT_EQ(plain, model->Encode(text, Side::kSource).ids);
  Random random(1);
  plain.pop_back();
  int different = 0;
  for (int i = 0; i < 50; ++i) {
    std::vector<int32_t> source, target;
    (*rows)->Append(text, Side::kSource, &random, &source);
    (*rows)->Append(text, Side::kTarget, &random, &target);
    different += source != plain ? 1 : 0;
    EXPECT_EQ(target, plain);  // no strength was given
  }
  EXPECT_GT(different, 5);

  EXPECT_FALSE(SubwordRows::Parse("{}", spm, "", {}));
  EXPECT_FALSE(SubwordRows::Parse("{\"</s>\":0,\"<unk>\":1,\"<pad>\":2}", "no model", "", {}));
  EXPECT_FALSE(SubwordRows::Parse("{\"</s>\":0,\"<unk>\":1,\"<pad>\":\"2\"}", spm, "", {}));
  EXPECT_FALSE(SubwordRows::Parse(vocabulary, spm, "", {.source = -1}));
}

}  // namespace
}  // namespace qkv
