// Tokenizers of tokenizer.json against Hugging Face's own JavaScript implementation. Also what its files do not
// specify: spans, errors, older files.
#include "core/text/tokenizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "core/base/budget.h"
#include "core/text/byte_level.h"
#include "core/text/unicode.h"
#include "core/text/utf.h"
#include "tests/core/goldens.h"

namespace qkv {
namespace {

const std::string kFolder = "tests/goldens/tokenizers/";
constexpr const char* kNames[] = {"bert-uncased", "bert-cased", "roberta", "gpt2", "unigram"};

Tokenizer Load(const std::string& name) {
  Result<Tokenizer> tokenizer = Tokenizer::Parse(ReadBytes(kFolder + name + ".json"));
  if (!tokenizer) {
    ADD_FAILURE() << name << ": " << tokenizer.error().ToString();
    std::abort();
  }
  return std::move(*tokenizer);
}

std::string Text(const Json& json) { return {json.GetString(), json.GetStringLength()}; }

std::vector<int32_t> IdsOf(const std::vector<Piece>& pieces) {
  std::vector<int32_t> ids;
  for (const Piece& piece : pieces) ids.push_back(piece.id);
  return ids;
}

class TokenizerGolden : public testing::TestWithParam<const char*> {
 protected:
  const JsonObject goldens_ = ReadGoldens(kFolder + "goldens.json");
  const Tokenizer tokenizer_ = Load(GetParam());
  const Json& Lines() const { return goldens_.root()[GetParam()]["lines"]; }
  const Json& Pairs() const { return goldens_.root()[GetParam()]["pairs"]; }
};

INSTANTIATE_TEST_SUITE_P(Families, TokenizerGolden, testing::ValuesIn(kNames), [](const auto& info) {
  std::string name = info.param;
  std::erase(name, '-');
  return name;
});

TEST_P(TokenizerGolden, IdsAreTheirs) {
  for (const Json& line : Lines().GetArray()) {
    const std::string text = Text(line["text"]);
    EXPECT_EQ(IdsOf(tokenizer_.Pieces(text)), Ids(line["ids"])) << text;
  }
}

TEST_P(TokenizerGolden, DecodedTextIsTheirs) {
  for (const Json& line : Lines().GetArray()) {
    EXPECT_EQ(tokenizer_.Decode(Ids(line["ids"])), Text(line["decoded"])) << Text(line["text"]);
  }
}

TEST_P(TokenizerGolden, PairsAreTheirs) {
  for (const Json& pair : Pairs().GetArray()) {
    const std::string a = Text(pair["a"]), b = Text(pair["b"]);
    EXPECT_EQ(tokenizer_.Encode(a, std::nullopt, 1000).ids, Ids(pair["single"]));
    // the model has no pairs: the other implementation drops the second text
    if (std::string(GetParam()) == "gpt2") continue;
    const Encoding encoding = tokenizer_.Encode(a, b, 1000);
    EXPECT_EQ(encoding.ids, Ids(pair["ids"])) << a << " | " << b;
    // GPT-2's and RoBERTa's models have one segment, but their implementations number the segments anyway.
    if (std::string(GetParam()).starts_with("bert")) EXPECT_EQ(encoding.types, Ids(pair["types"]));
  }
}

TEST_P(TokenizerGolden, SpansAscendAndCoverAllThatIsNotDropped) {
  for (const Json& line : Lines().GetArray()) {
    const std::string text = Text(line["text"]);
    size_t at = 0;
    std::vector<bool> covered(text.size());
    for (const Piece& piece : tokenizer_.Pieces(text)) {
      EXPECT_LE(at, piece.begin) << text;
      EXPECT_LE(piece.begin, piece.end) << text;
      EXPECT_LE(piece.end, text.size()) << text;
      for (const size_t edge : {piece.begin, piece.end}) {
        EXPECT_TRUE(edge == text.size() || (text[edge] & 0xC0) != 0x80) << text << " at " << edge;
      }
      if (piece.begin < piece.end) at = piece.begin;  // a space inserted before a word lies behind its beginning
      std::fill(covered.begin() + static_cast<std::ptrdiff_t>(piece.begin),
                covered.begin() + static_cast<std::ptrdiff_t>(piece.end), true);
    }
    for (size_t i = 0; i < text.size(); i += DecodeOne(text.substr(i)).length) {
      const uint32_t c = DecodeOne(text.substr(i)).code_point;
      const CharFacts facts = FactsOf(c);
      const bool dropped = IsWhite(c) || facts.kind == CharKind::kControl || facts.kind == CharKind::kWideMark ||
                           facts.base[0] == 0 || c == 0xFFFD || text.substr(i).starts_with("``");  // the second is "
      EXPECT_TRUE(covered[i] || dropped) << text << " at " << i;
    }
  }
}

TEST_P(TokenizerGolden, DecodedSpansTileTheText) {
  for (const Json& line : Lines().GetArray()) {
    const std::vector<int32_t> ids = Ids(line["ids"]);
    std::vector<Piece> spans;
    const std::string text = tokenizer_.Decode(ids, &spans);
    ASSERT_EQ(spans.size(), ids.size());
    size_t at = 0;
    for (const Piece& span : spans) {
      EXPECT_EQ(span.begin, at);
      at = span.end;
    }
    EXPECT_EQ(ToValidUtf8(text), text);
  }
}

TEST_P(TokenizerGolden, LongTextsLoseTheirEnds) {
  const Encoding whole = tokenizer_.Encode("Where is the kitchen?", "It is there.", 1000);
  for (size_t most = 0; most <= whole.size(); ++most) {
    const Encoding cut = tokenizer_.Encode("Where is the kitchen?", "It is there.", most);
    EXPECT_LE(cut.size(), std::max<size_t>(most, 4));
    EXPECT_EQ(cut.truncated, most < whole.size()) << most;
  }
}

TEST_P(TokenizerGolden, BytesThatAreNoTextAreReplaced) {
  const std::string broken = "a\xFF\x80 b\xE2\x82 c\xF0\x9F\x98";
  for (const Piece& piece : tokenizer_.Pieces(broken)) EXPECT_LE(piece.end, broken.size());
  EXPECT_EQ(IdsOf(tokenizer_.Pieces(broken)), IdsOf(tokenizer_.Pieces(ToValidUtf8(broken))));
}

std::vector<std::string> Spanned(const Tokenizer& tokenizer, const std::string& text) {
  std::vector<std::string> parts;
  for (const Piece& piece : tokenizer.Pieces(text)) parts.push_back(text.substr(piece.begin, piece.end - piece.begin));
  return parts;
}

// The same as the reference's offsets: see NormalizedString and process_offsets in the crate `tokenizers`.
TEST(TokenizerSpans, AreOfTheTextAsItWasWritten) {
  const Tokenizer bert = Load("bert-uncased");
  using Parts = std::vector<std::string>;
  EXPECT_EQ(Spanned(bert, "  Caf\u00c9 \u6f22!"), (Parts{"C", "a", "f", "\u00c9", "\u6f22", "!"}));
  EXPECT_EQ(Spanned(bert, "e\u0301!"), (Parts{"e", "!"}));  // a removed mark belongs to no piece
  EXPECT_EQ(Spanned(bert, "a [MASK] the"), (Parts{"a", "[MASK]", "the"}));

  const Tokenizer gpt2 = Load("gpt2");
  EXPECT_EQ(Spanned(gpt2, "Is it"), (Parts{"I", "s", " ", "it"}));
  // Each byte of a character has the span of the whole character.
  EXPECT_EQ(Spanned(gpt2, "\U0001F600"), (Parts{"\U0001F600", "\U0001F600", "\U0001F600", "\U0001F600"}));

  const Tokenizer roberta = Load("roberta");  // spaces are trimmed, also the one that <mask> takes
  EXPECT_EQ(Spanned(roberta, "it is <mask>."), (Parts{"", "it", "is", "<mask>", "", "."}));
}

// Ids as well, among them those of unigrams with equal sums.
TEST(TokenizerSpans, AreThoseOfTheReference) {
  const JsonObject goldens = ReadGoldens(kFolder + "spans.json");
  for (const auto& member : goldens.root().GetObject()) {
    SCOPED_TRACE(member.name.GetString());
    const Json& golden = member.value;
    const Result<Tokenizer> own = golden.HasMember("json") ? Tokenizer::Parse(golden["json"].GetString())
                                                           : Result<Tokenizer>(Load(member.name.GetString()));
    ASSERT_TRUE(own);
    for (const Json& line : golden["lines"].GetArray()) {
      const std::string text = Text(line["text"]);
      const std::vector<Piece> pieces = own.value().Pieces(text);
      EXPECT_EQ(IdsOf(pieces), Ids(line["ids"])) << text;
      std::vector<int32_t> spans;
      for (const Piece& piece : pieces) {
        spans.push_back(static_cast<int32_t>(piece.begin));
        spans.push_back(static_cast<int32_t>(piece.end));
      }
      EXPECT_EQ(spans, Ids(line["spans"])) << text;
    }
  }
}

TEST(TokenizerFiles, OlderFilesAreTheSame) {
  const JsonObject json = ReadGoldens(kFolder + "bert-uncased.json");
  std::map<int, std::string> pieces;
  for (const auto& member : json.root()["model"]["vocab"].GetObject()) {
    pieces[member.value.GetInt()] = Text(member.name);
  }
  std::string vocabulary;
  for (const auto& [id, piece] : pieces) vocabulary += piece + "\r\n";
  const Result<Tokenizer> older = Tokenizer::ParseWordPiece(vocabulary, R"({"do_lower_case": true})");
  ASSERT_TRUE(older) << older.error().ToString();
  const Tokenizer bert = Load("bert-uncased");
  const JsonObject goldens = ReadGoldens(kFolder + "goldens.json");
  for (const Json& line : goldens.root()["bert-uncased"]["lines"].GetArray()) {
    EXPECT_EQ(IdsOf(older.value().Pieces(Text(line["text"]))), Ids(line["ids"]));
  }
  EXPECT_EQ(older.value().Encode("a", "b", 9).ids, bert.Encode("a", "b", 9).ids);
  EXPECT_EQ(older.value().Encode("a", "b", 9).types, bert.Encode("a", "b", 9).types);
}

TEST(TokenizerFiles, OlderByteLevelFilesAreTheSame) {
  for (const bool roberta : {false, true}) {
    const std::string name = roberta ? "roberta" : "gpt2";
    const JsonObject json = ReadGoldens(kFolder + name + ".json");
    const Json& model = json.root()["model"];
    std::string vocabulary = "{", merges = "#version: 0.2\n";
    for (const auto& member : model["vocab"].GetObject()) {
      std::string escaped;
      for (const char c : Text(member.name))
        escaped += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
      vocabulary += (vocabulary.size() > 1 ? ",\"" : "\"") + escaped + "\":" + std::to_string(member.value.GetInt());
    }
    for (const Json& merge : model["merges"].GetArray()) {
      merges += (merge.IsArray() ? Text(merge[0]) + " " + Text(merge[1]) : Text(merge)) + "\n";
    }
    const auto older =
        Tokenizer::ParseByteLevel(vocabulary + "}", merges, roberta ? R"({"add_prefix_space": true})" : "", roberta);
    ASSERT_TRUE(older) << older.error().ToString();
    const Tokenizer newer = Load(name);
    const JsonObject goldens = ReadGoldens(kFolder + "goldens.json");
    for (const Json& line : goldens.root()[name.c_str()]["lines"].GetArray()) {
      const std::string text = Text(line["text"]);
      EXPECT_EQ(IdsOf(older.value().Pieces(text)), Ids(line["ids"]));
      EXPECT_EQ(Spanned(older.value(), text), Spanned(newer, text));
    }
    EXPECT_EQ(older.value().Encode("a", "b", 9).ids, newer.Encode("a", "b", 9).ids);
  }
}

// Each is refused by name, and nothing is allocated for a size that is only claimed.
TEST(TokenizerFiles, WhatIsNotDoneIsRefusedByName) {
  const auto with = [](const std::string& from, const std::string& to, const std::string& name = "bert-uncased") {
    std::string json = ReadBytes(kFolder + name + ".json");
    const size_t at = json.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return json.replace(at, from.size(), to);
  };
  std::string deep = R"({"normalizer":)";
  for (int i = 0; i < 10000; ++i) deep += R"({"type":"Sequence","normalizers":[)";
  std::string nested(100000, '[');
  constexpr const char* kSequenceA = R"({"Sequence":{"id":"A","type_id":0}})";
  std::string many;
  for (int i = 0; i < 64; ++i) many += ",2";
  const struct {
    std::string json;
    ErrorCode code;
    const char* says;
  } cases[] = {
      {with("BertNormalizer", "Nmt"), ErrorCode::kUnsupported, "Nmt"},
      {with("\"BertNormalizer\"", "\"NFD\""), ErrorCode::kUnsupported, "NFD without StripAccents"},
      {with("BertPreTokenizer", "Digits"), ErrorCode::kUnsupported, "Digits"},
      {with("\"type\":\"WordPiece\",\"unk", "\"type\":\"WordLevel\",\"unk"), ErrorCode::kUnsupported, "WordLevel"},
      {with("TemplateProcessing", "Unheard"), ErrorCode::kUnsupported, "Unheard"},
      {with("\"type\":\"WordPiece\",\"prefix", "\"type\":\"CTC\",\"prefix"), ErrorCode::kUnsupported, "CTC"},
      {with("\"unk_token\":\"[UNK]\"", "\"unk_token\":\"nowhere\""), ErrorCode::kInvalidFile, "nowhere"},
      {with("\"unk_token\":\"[UNK]\"", "\"unk_token\":\"\""), ErrorCode::kInvalidFile, "which WordPiece needs"},
      {with(kSequenceA, std::string(kSequenceA) + "," + kSequenceA), ErrorCode::kUnsupported, "a text twice"},
      {with(kSequenceA, R"({"Sequence":{"id":"B","type_id":0}})"), ErrorCode::kUnsupported, "not given"},
      {with("\"ids\":[2]", "\"ids\":[2" + many + "]"), ErrorCode::kLimitExceeded, "64 items"},
      {with("\"[PAD]\":0", "\"[PAD]\":1099511627776"), ErrorCode::kInvalidFile, "whole number"},
      {with("\"[PAD]\":0", "\"[PAD]\":-1"), ErrorCode::kInvalidFile, "whole number"},
      {with("\"[PAD]\":0", "\"[PAD]\":2"), ErrorCode::kInvalidFile, "two texts"},
      {with("\"ids\":[2]", "\"ids\":[200000]"), ErrorCode::kInvalidFile, "not a piece"},
      {with("\"single_word\":false", "\"single_word\":true"), ErrorCode::kUnsupported, "single_word"},
      {with("\"fuse_unk\":false", "\"byte_fallback\":true", "gpt2"), ErrorCode::kUnsupported, "byte_fallback"},
      {with("\"merges\":[\"", "\"merges\":[\"\xE6\xBC\xA2 ", "gpt2"), ErrorCode::kInvalidFile, "merge 0"},
      {with("\" {2,}\"", "\"a+\"", "unigram"), ErrorCode::kUnsupported, "a+"},
      {with("\"unk_id\":3", "\"unk_id\":null", "unigram"), ErrorCode::kUnsupported, "unk_id"},
      {deep, ErrorCode::kInvalidFile, "not valid JSON"},
      {nested, ErrorCode::kInvalidFile, "not valid JSON"},
      {"{}", ErrorCode::kInvalidFile, "is missing"},
      {R"({"model":{"type":"BPE","vocab":{},"merges":[]}})", ErrorCode::kInvalidFile, "vocabulary is empty"},
      {R"({"model":7})", ErrorCode::kInvalidFile, "object"},
      {R"({"pre_tokenizer":{"type":"Metaspace","replacement":"ab"},"model":{"type":"BPE","vocab":{"a":0},"merges":[]}})",
       ErrorCode::kInvalidFile, "pre_tokenizer, replacement: must be one character"},
      {R"({"decoder":{"type":"Metaspace","replacement":""},"model":{"type":"BPE","vocab":{"a":0},"merges":[]}})",
       ErrorCode::kInvalidFile, "decoder, replacement: must be one character"},
      {"", ErrorCode::kInvalidFile, "not valid JSON"},
  };
  for (const auto& c : cases) {
    const Result<Tokenizer> tokenizer = Tokenizer::Parse(c.json);
    ASSERT_FALSE(tokenizer) << c.says;
    EXPECT_EQ(tokenizer.error().code, c.code) << tokenizer.error().ToString();
    EXPECT_NE(tokenizer.error().ToString().find(c.says), std::string::npos) << tokenizer.error().ToString();
  }
}

std::string Repeated(std::string_view unit, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i) all += unit;
  return all;
}

// Steps that each turn a byte into a thousand: at loading, where an added piece is normalised, and for a text.
TEST(Tokenizer, ATextThatGrowsIsCut) {
  const std::string many(1000, 'a');
  const std::string replace = R"({"type":"Replace","pattern":{"String":"a"},"content":")" + many + "\"}";
  const std::string normalizer =
      R"({"type":"Sequence","normalizers":[)" + replace + "," + replace + "," + replace + "]}";
  const std::string model = R"("model":{"type":"WordPiece","vocab":{"[UNK]":0,"a":1,"##a":2},"unk_token":"[UNK]",)"
                            R"("max_input_chars_per_word":4000000})";
  const std::string added = R"("added_tokens":[{"id":1,"content":"a","normalized":true}],)";
  for (const std::string& begin : {added, std::string()}) {
    const Result<Tokenizer> tokenizer =
        Tokenizer::Parse("{" + begin + "\"normalizer\":" + normalizer + "," + model + "}");
    ASSERT_TRUE(tokenizer) << tokenizer.error().ToString();
    const Encoding encoding = tokenizer.value().Encode("a a", std::nullopt, 8);
    EXPECT_TRUE(encoding.truncated);
    EXPECT_LE(encoding.size(), 8u);
    bool cut = false;
    EXPECT_LE(tokenizer.value().Pieces("a a", SIZE_MAX, &cut).size(), kLongestText);
    EXPECT_TRUE(cut);
  }
}

TEST_P(TokenizerGolden, OnlyThePiecesThatAreWantedAreCut) {
  for (const Json& line : Lines().GetArray()) {
    const std::string text = Text(line["text"]);
    const std::vector<int32_t> all = Ids(line["ids"]);
    for (const size_t most : {size_t{0}, size_t{1}, size_t{3}, all.size(), all.size() + 1}) {
      bool cut = false;
      const std::vector<int32_t> some = IdsOf(tokenizer_.Pieces(text, most, &cut));
      EXPECT_EQ(some, std::vector<int32_t>(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(some.size())));
      EXPECT_EQ(some.size(), std::min(most, all.size())) << text;
      EXPECT_EQ(cut, most < all.size()) << text;
    }
  }
}

TEST_P(TokenizerGolden, OfAnEndlessTextTheBeginningIsRead) {
  const std::string unit = "The cat sat on the mat. ";
  const Encoding some = tokenizer_.Encode(Repeated(unit, 100), std::nullopt, 20);
  const Encoding endless = tokenizer_.Encode(Repeated(unit, 400000), std::nullopt, 20);
  EXPECT_EQ(endless.ids, some.ids);
  EXPECT_EQ(endless.end, some.end);
  EXPECT_TRUE(endless.truncated);
}

TEST(Tokenizer, SaysWhetherAModelCanReadWhatItWrites) {
  const Tokenizer bert = Load("bert-uncased");  // three special pieces around two texts
  EXPECT_TRUE(bert.CheckFits(bert.size(), 4));
  for (const auto& [vocabulary, positions] : {std::pair{bert.size() - 1, size_t{4}}, {bert.size(), 3}}) {
    const Result<void> fits = bert.CheckFits(vocabulary, positions);
    ASSERT_FALSE(fits);
    EXPECT_EQ(fits.error().code, ErrorCode::kInvalidFile);
  }
}

TEST(ByteLevel, TheAlphabetIsTwoHundredFiftySixCharacters) {
  const std::array<uint32_t, 256> characters = ByteCharacters();
  std::vector<uint32_t> sorted(characters.begin(), characters.end());
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(std::unique(sorted.begin(), sorted.end()), sorted.end());
  EXPECT_EQ(characters['A'], static_cast<uint32_t>('A'));
  EXPECT_EQ(characters[' '], 0x120u);  // the most frequent one in vocabularies
  std::string all, piece;
  for (int byte = 0; byte < 256; ++byte) {
    all += static_cast<char>(byte);
    AppendUtf8(characters[static_cast<size_t>(byte)], piece);
  }
  EXPECT_EQ(BytesOfPiece(piece), all);
}

TEST(Unicode, SaysWhatTheStandardSays) {
  const struct {
    uint32_t c;
    CharKind kind;
    uint32_t lower, base;
  } cases[] = {{'a', CharKind::kLetter, 'a', 'a'},
               {'A', CharKind::kLetter, 'a', 'A'},
               {0xC9, CharKind::kLetter, 0xE9, 'E'},
               {0x301, CharKind::kMark, 0x301, 0},
               {0x20DD, CharKind::kWideMark, 0x20DD, 0x20DD},
               {'7', CharKind::kNumber, '7', '7'},
               {0xBD, CharKind::kNumber, 0xBD, 0xBD},
               {'!', CharKind::kPunctuation, '!', '!'},
               {'$', CharKind::kOther, '$', '$'},
               {0xAD, CharKind::kControl, 0xAD, 0xAD},
               {0xE000, CharKind::kControl, 0xE000, 0xE000},
               {0x6F22, CharKind::kLetter, 0x6F22, 0x6F22},
               {0xAC00, CharKind::kLetter, 0xAC00, 0x1100},
               {0x130, CharKind::kLetter, 'i', 'I'},
               {0x10400, CharKind::kLetter, 0x10428, 0x10400},
               {0x10FFFF, CharKind::kControl, 0x10FFFF, 0x10FFFF}};
  for (const auto& c : cases) {
    const CharFacts facts = FactsOf(c.c);
    if (c.c != 0x10FFFF) EXPECT_EQ(facts.kind, c.kind) << std::hex << c.c;
    EXPECT_EQ(facts.lower[0], c.lower) << std::hex << c.c;
    EXPECT_EQ(facts.base[0], c.base) << std::hex << c.c;
  }
  EXPECT_EQ(FactsOf(0x130).lower[1], 0x307u);
  EXPECT_EQ(FactsOf(0xAC01).base[2], 0x11A8u);
}

}  // namespace
}  // namespace qkv
