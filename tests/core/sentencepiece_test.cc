// Our SentencePiece against goldens that the reference made (tests/oracle/make_sentencepiece_goldens.py).
#include "core/text/sentencepiece.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/budget.h"
#include "tests/core/sentencepiece_goldens.h"

namespace qkv {
namespace {

class SentencePieceGolden : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string json = ReadBytes(std::string("tests/goldens/sentencepiece/") + GetParam() + ".json");
    auto golden = JsonObject::Parse(json, GetParam());
    ASSERT_TRUE(golden) << golden.error().ToString();
    golden_ = std::move(*golden);
    const std::string path = Golden("model").GetString();
    auto model = SentencePiece::Parse(Bytes(ReadBytes(path)), path);
    ASSERT_TRUE(model) << model.error().ToString();
    model_ = std::make_unique<SentencePiece>(std::move(*model));
  }

  // What Decode gives for `ids` is what `golden` says.
  void ExpectDecoded(const std::vector<int32_t>& ids, const Json& golden) {
    std::vector<Piece> spans = {{}};
    EXPECT_EQ(model_->Decode(ids, &spans), Text(golden["decoded"]));
    EXPECT_EQ(model_->Decode(ids), Text(golden["decoded"]));
    EXPECT_EQ(Ids(spans), ids);
    std::vector<size_t> offsets;
    for (const Piece& span : spans) offsets.insert(offsets.end(), {span.begin, span.end});
    EXPECT_EQ(offsets, Numbers(golden["decodedSpans"]));
  }

  const Json& Golden(const char* field) const { return golden_->root()[field]; }

  std::optional<JsonObject> golden_;
  std::unique_ptr<SentencePiece> model_;
};

TEST_P(SentencePieceGolden, EncodesAndDecodesLines) {
  ASSERT_GT(Golden("lines").Size(), 200U);
  for (const Json& line : Golden("lines").GetArray()) {
    SCOPED_TRACE(testing::PrintToString(Text(line["text"])));
    const std::vector<Piece> pieces = model_->Encode(Text(line["text"]));
    EXPECT_EQ(Flatten(pieces), Numbers(line["pieces"]));
    ExpectDecoded(Ids(pieces), line);
  }
}

TEST_P(SentencePieceGolden, GivesTheFirstPiecesAlone) {
  for (const Json& golden : Golden("lines").GetArray()) {
    const std::string line = Text(golden["text"]);
    const std::vector<int32_t> all = Ids(model_->Encode(line));
    for (const size_t most : {size_t{0}, size_t{2}, all.size(), all.size() + 1}) {
      bool cut = false;
      const std::vector<int32_t> some = Ids(model_->Encode(line, most, &cut));
      EXPECT_EQ(some.size(), std::min(most, all.size())) << line;
      EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin())) << line;
      EXPECT_EQ(cut, most < all.size()) << line;
    }
  }
}

// A line of 20 MB: what follows the wanted pieces costs no memory and hardly any time.
TEST_P(SentencePieceGolden, OfAnEndlessTextTheBeginningIsRead) {
  std::string text;
  while (text.size() < 20000000) text += "The cat sat on the mat. ";
  bool cut = false;
  const std::vector<int32_t> few = Ids(model_->Encode(text.substr(0, 2400), 100));
  EXPECT_EQ(Ids(model_->Encode(text, 100, &cut)), few);
  EXPECT_TRUE(cut);
  EXPECT_LE(model_->Encode(text, SIZE_MAX, &cut).size(), kLongestText);
  EXPECT_TRUE(cut);
}

TEST_P(SentencePieceGolden, DecodesAnyIds) {
  for (const Json& list : Golden("ids").GetArray()) {
    std::vector<int32_t> ids;
    for (const Json& id : list["ids"].GetArray()) ids.push_back(id.GetInt());
    SCOPED_TRACE(testing::PrintToString(ids));
    ExpectDecoded(ids, list);
  }
}

TEST_P(SentencePieceGolden, EncodesLongLines) {
  for (const Json& line : Golden("long").GetArray()) {
    const std::string unit = Text(line["unit"]);
    std::string text;
    for (unsigned i = 0; i < line["times"].GetUint(); ++i) text += unit;
    const std::vector<Piece> pieces = model_->Encode(text);
    EXPECT_EQ(pieces.size(), line["pieces"].GetUint()) << unit;
    EXPECT_EQ(Fnv1a(Flatten(pieces)), line["fnv1a"].GetString()) << unit;
  }
}

TEST_P(SentencePieceGolden, KnowsItsPieces) {
  const Json& vocabulary = Golden("vocabulary");
  EXPECT_EQ(model_->size(), vocabulary["size"].GetUint());
  EXPECT_EQ(model_->unknown_id(), vocabulary["unknown"].GetInt());
  for (const Json& piece : vocabulary["texts"].GetArray()) {
    EXPECT_EQ(model_->Text(piece[0].GetInt()), Text(piece[1]));
    EXPECT_EQ(model_->Id(Text(piece[1])), piece[0].GetInt());
    EXPECT_EQ(model_->IsControl(piece[0].GetInt()), piece[2].GetBool());
  }
  EXPECT_EQ(model_->Id(""), -1);
  EXPECT_EQ(model_->Id("no such piece"), -1);
}

INSTANTIATE_TEST_SUITE_P(Models, SentencePieceGolden,
                         testing::Values("default", "unigram", "unigram-bytes", "unigram-suffix", "bpe", "bpe-bytes",
                                         "bpe-suffix", "hand-unigram", "hand-negative", "hand-bpe", "hand-unescaped"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, '-');
                           return name;
                         });

// Phones insert ’ automatically, and the models were trained on '. Spans refer to the original text.
TEST(ShippedSentencePiece, ReadsTypographicApostrophes) {
  for (const char* pair : {"en-fr", "en-de", "en-es"}) {
    SCOPED_TRACE(pair);
    const std::string path = std::string("web/models/") + pair + "/source.spm";
    auto model = SentencePiece::Parse(Bytes(ReadBytes(path)), path);
    ASSERT_TRUE(model) << model.error().ToString();
    const std::string typed = "I don’t know.";
    const std::vector<Piece> pieces = model->Encode(typed);
    EXPECT_EQ(Ids(pieces), Ids(model->Encode("I don't know.")));
    std::string covered;
    for (const Piece& piece : pieces) {
      EXPECT_NE(piece.id, model->unknown_id());
      covered += typed.substr(piece.begin, piece.end - piece.begin);
    }
    EXPECT_EQ(covered, typed);
  }
}

// Damaged files.

// For any file that is read, encoding and decoding stay within their bounds.
void ExpectSane(const SentencePiece& model) {
  const std::string text = "  Where is\tthe \xEF\xAC\x81rst a\xCC\x81 abab\xFF\xE2\x96\x81 \xF0\x9F\x98\x80 Tom? ";
  const std::vector<Piece> pieces = model.Encode(text);
  size_t at = 0;
  for (const Piece& piece : pieces) {
    EXPECT_LE(at, piece.begin);
    EXPECT_LE(piece.begin, piece.end);
    EXPECT_LE(piece.end, text.size());
    EXPECT_GE(piece.id, 0);
    EXPECT_LT(static_cast<size_t>(piece.id), model.size());
    at = piece.end;
  }
  std::vector<int32_t> ids = Ids(pieces);
  for (size_t id = 0; id < model.size(); id += 1 + model.size() / 50) ids.push_back(static_cast<int32_t>(id));
  std::vector<Piece> spans;
  const std::string decoded = model.Decode(ids, &spans);
  EXPECT_EQ(spans.size(), ids.size());
  EXPECT_TRUE(spans.empty() || spans.back().end == decoded.size());
}

class DamagedSentencePiece : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    content_ = ReadBytes(GetParam());
    ASSERT_FALSE(content_.empty());
  }

  // Returns whether the file still parses.
  bool Try(const std::string& content) {
    const std::vector<uint8_t> exact(content.begin(), content.end());  // so that a sanitizer sees the end
    auto model = SentencePiece::Parse(exact, "damaged.spm");
    if (model) {
      ExpectSane(*model);
      return true;
    }
    EXPECT_TRUE(model.error().where.starts_with("damaged.spm")) << model.error().ToString();
    EXPECT_FALSE(model.error().message.empty());
    return false;
  }

  std::string content_;
};

TEST_P(DamagedSentencePiece, CutOffAnywhere) {
  for (size_t i = 0; i < 200; ++i) EXPECT_FALSE(Try(content_.substr(0, content_.size() * i / 200))) << i;
  // The empty denormalizer_spec at the end of some files has no meaning, and may be missing.
  const bool silent_end = content_.ends_with(std::string("\x2A\0", 2));
  for (size_t i = 1; i <= 40; ++i) {
    EXPECT_EQ(Try(content_.substr(0, content_.size() - i)), silent_end && i == 2) << i;
  }
}

TEST_P(DamagedSentencePiece, FlippedBits) {
  uint32_t random = 12345;
  for (size_t i = 0; i < 200; ++i) {
    std::string damaged = content_;
    for (size_t flips = 0; flips <= i % 3; ++flips) {
      random = random * 1664525 + 1013904223;
      damaged[(random >> 4) % damaged.size()] ^= static_cast<char>(1 << (random & 7));
    }
    Try(damaged);
  }
}

INSTANTIATE_TEST_SUITE_P(Models, DamagedSentencePiece,
                         testing::Values("web/models/en-fr/source.spm", "tests/goldens/sentencepiece/unigram.spm",
                                         "tests/goldens/sentencepiece/bpe.spm",
                                         "tests/goldens/sentencepiece/bpe-bytes.spm"));

}  // namespace
}  // namespace qkv
