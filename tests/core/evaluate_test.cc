// BLEU and chrF2 against an independent implementation (tests/oracle/make_evaluation_goldens.py) and against numbers
// from sacreBLEU's own tests. The bootstrap against properties that must hold.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/evaluate/bleu.h"
#include "core/evaluate/bootstrap.h"
#include "core/evaluate/chrf.h"
#include "core/evaluate/words.h"
#include "tests/core/goldens.h"

namespace qkv {
namespace {

std::vector<std::string> Texts(const Json& list) {
  std::vector<std::string> texts;
  for (const Json& text : list.GetArray()) texts.emplace_back(text.GetString(), text.GetStringLength());
  return texts;
}

double Bleu(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references) {
  BleuCounts counts;
  for (size_t i = 0; i < hypotheses.size(); ++i) counts += CountBleu(hypotheses[i], references[i]);
  return ScoreBleu(counts).score;
}

double Chrf(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references) {
  ChrfCounts counts;
  for (size_t i = 0; i < hypotheses.size(); ++i) counts += CountChrf(hypotheses[i], references[i]);
  return ScoreChrf(counts);
}

TEST(Evaluate, CutsWordsAs13a) {
  const JsonObject goldens = ReadGoldens("tests/goldens/evaluate.json");
  ASSERT_GT(goldens.root()["lines"].Size(), 20U);
  for (const Json& line : goldens.root()["lines"].GetArray()) {
    const std::string text(line["text"].GetString(), line["text"].GetStringLength());
    EXPECT_EQ(Tokenize13a(text), line["words"].GetString()) << text;
  }
}

TEST(Evaluate, ScoresCorporaAsTheReferenceDoes) {
  const JsonObject goldens = ReadGoldens("tests/goldens/evaluate.json");
  ASSERT_GT(goldens.root()["corpora"].Size(), 15U);
  for (const Json& corpus : goldens.root()["corpora"].GetArray()) {
    SCOPED_TRACE(corpus["name"].GetString());
    const auto hypotheses = Texts(corpus["hypotheses"]), references = Texts(corpus["references"]);
    EXPECT_NEAR(Bleu(hypotheses, references), corpus["bleu"].GetDouble(), 1e-9);
    EXPECT_NEAR(Chrf(hypotheses, references), corpus["chrf"].GetDouble(), 1e-9);
  }
}

// From sacreBLEU's test/test_chrf.py (effective order; precision equals recall, so any beta gives the same result) and
// test/test_bleu.py.
TEST(Evaluate, AgreesWithSacreBleusOwnTests) {
  EXPECT_NEAR(Chrf({"a"}, {"a"}), 100, 1e-4);
  EXPECT_NEAR(Chrf({""}, {"reference"}), 0, 1e-4);
  EXPECT_NEAR(Chrf({"a b c"}, {"abc"}), 100, 1e-4);
  EXPECT_NEAR(Chrf({"a", "b"}, {"a", "c"}), 50, 1e-4);
  EXPECT_NEAR(Chrf({"aa"}, {"ab"}), 25, 1e-4);
  const BleuCounts counts = CountBleu("am I am a character sequence", "I am a symbol string sequence a a");
  EXPECT_EQ(counts.matches, (std::array<uint64_t, 4>{4, 2, 1, 0}));
  EXPECT_EQ(counts.totals, (std::array<uint64_t, 4>{6, 5, 4, 3}));
  BleuCounts scored;
  scored.matches = {9, 7, 5, 3};
  scored.totals = {10, 8, 6, 4};
  scored.hypothesis_words = scored.reference_words = 11;
  EXPECT_NEAR(ScoreBleu(scored).score, 83.75922397, 1e-8);
}

TEST(Evaluate, SaysAsSacreBleuDoes) {
  const BleuCounts counts = CountBleu("The cat sat on the mat", "The cat sat on the mat.");
  EXPECT_EQ(ToString(ScoreBleu(counts), counts),
            "84.65 100.0/100.0/100.0/100.0 (BP = 0.846 ratio = 0.857 hyp_len = 6 ref_len = 7)");
}

TEST(Evaluate, HostileTextIsCountedToo) {
  for (const std::string& text : {std::string("\xFF\xFE\xC3", 3), std::string("a\0b", 3), std::string(1 << 20, '.'),
                                  std::string(1 << 16, '\xE2'), std::string("&amp;&amp;&amp;&quot")}) {
    EXPECT_EQ(CountBleu(text, text).matches, CountBleu(text, text).totals);
    EXPECT_NEAR(Chrf({text}, {text}), 100, 1e-9);
    CountBleu(text, "");
    CountChrf("", text);
  }
}

// Systems that differ by chance only, and systems that differ by more.
TEST(Bootstrap, TellsLuckFromSkill) {
  std::vector<std::string> references, good, also_good, bad;
  Random random(5);
  const auto spoil = [&](std::string text, float share) {
    for (char& c : text) c = c != ' ' && random.Uniform() < share ? 'x' : c;
    return text;
  };
  for (int i = 0; i < 300; ++i) {
    std::string line;
    for (int word = 0; word < 8; ++word) line += std::to_string(random.Next() % 50) + "w" + (word < 7 ? " " : "");
    references.push_back(line);
    good.push_back(spoil(line, 0.05f));
    also_good.push_back(spoil(line, 0.05f));
    bad.push_back(spoil(line, 0.1f));
  }
  const auto count = [&](const std::vector<std::string>& lines) {
    std::vector<BleuCounts> counts;
    for (size_t i = 0; i < lines.size(); ++i) counts.push_back(CountBleu(lines[i], references[i]));
    return counts;
  };
  const auto score = [](const BleuCounts& counts) { return ScoreBleu(counts).score; };
  const auto samples = DrawSamples(references.size(), 500, 1);
  const auto of_good = ScoreSamples(count(good), samples, score);
  const auto of_also = ScoreSamples(count(also_good), samples, score);
  const auto of_bad = ScoreSamples(count(bad), samples, score);
  const auto compare = [&](const std::vector<std::string>& a, const std::vector<double>& of_a) {
    return Compare(of_good, of_a, Bleu(a, references) - Bleu(good, references));
  };
  const PairedComparison worse = compare(bad, of_bad), luck = compare(also_good, of_also),
                         same = compare(good, of_good);
  EXPECT_LT(worse.p_value, 0.01);
  EXPECT_LT(worse.better, 0.01);
  EXPECT_GT(luck.p_value, 0.05);
  EXPECT_EQ(same.better, 0.5);
  EXPECT_EQ(same.p_value, 1);
  const double interval = ConfidenceInterval(of_good);
  EXPECT_GT(interval, 0.5);
  EXPECT_LT(interval, 5);
  EXPECT_EQ(DrawSamples(10, 3, 1), DrawSamples(10, 3, 1));
  EXPECT_NE(DrawSamples(10, 3, 1), DrawSamples(10, 3, 2));
}

}  // namespace
}  // namespace qkv
