// What is carried through a translation: found by rules, kept from the model, put back.
#include "core/text/carried.h"

#include <gtest/gtest.h>

#include "core/text/changes.h"
#include "core/text/letter_case.h"
#include "core/text/pattern.h"
#include "core/translate/confidence.h"
#include "core/translate/replay.h"
#include "tests/core/goldens.h"

namespace qkv {
namespace {

std::vector<std::string> Found(const std::string& text) {
  std::vector<std::string> found;
  for (const CarriedSpan& span : FindCarried(text)) found.push_back(text.substr(span.begin, span.end - span.begin));
  return found;
}

using Strings = std::vector<std::string>;

TEST(Pattern, MatchesWhatItSays) {
  EXPECT_EQ(MatchPattern("ab?c", "ac"), 2u);
  EXPECT_EQ(MatchPattern("ab?c", "abbc"), 0u);
  EXPECT_EQ(MatchPattern("(ab|a)*[^x]", "aba-"), 4u);
  EXPECT_EQ(MatchPattern("\\d+(,\\d\\d\\d)*", "1,234,56"), 5u);
  EXPECT_EQ(MatchPattern("[\\w.-]+@", "a.b-c@d"), 6u);
  EXPECT_EQ(MatchPattern("\\(\\u\\l\\)", "(Ab)"), 4u);
  EXPECT_EQ(MatchPattern("a", ""), 0u);
}

TEST(Carried, FindsWhatIsNotToBeTranslated) {
  EXPECT_EQ(Found("See https://a.org/b?c=d, or (www.x.org/y_(z))."),
            (Strings{"https://a.org/b?c=d", "www.x.org/y_(z)"}));
  EXPECT_EQ(Found("Mail a.b+c@example.co.uk now."), (Strings{"a.b+c@example.co.uk"}));
  EXPECT_EQ(Found("Open C:\\a\\b.txt, /etc/hosts or ~/x."), (Strings{"C:\\a\\b.txt", "/etc/hosts", "~/x"}));
  EXPECT_EQ(Found("I love #cats and @tom_1."), (Strings{"#cats", "@tom_1"}));
  EXPECT_EQ(Found("`a b` {c} {{ d }} ${e}, %1$s."), (Strings{"`a b` {c} {{ d }} ${e}", "%1$s"}));
  EXPECT_EQ(Found("AT&amp;T &#38; <b>x</b>"), (Strings{"&amp;", "&#38;", "<b>", "</b>"}));
  EXPECT_EQ(Found("It costs $1,234.56, or 5 €."), (Strings{"$1,234.56", "5 €"}));
  EXPECT_EQ(Found("180°C, 5 kg and 50%"), (Strings{"180°C", "5 kg", "50%"}));
  EXPECT_EQ(Found("Call +44 20 7946 0958 at 10:30."), (Strings{"+44 20 7946 0958", "10:30"}));
  EXPECT_EQ(Found("2024-05-17T10:30:00Z"), (Strings{"2024-05-17T10:30:00Z"}));
  EXPECT_EQ(Found("v1.2.3 of snake_case in COVID-19"), (Strings{"v1.2.3", "snake_case", "COVID-19"}));
  EXPECT_EQ(Found("hi \U0001F468\u200D\U0001F469\u200D\U0001F467 5\uFE0F\u20E3"),
            (Strings{"\U0001F468\u200D\U0001F469\u200D\U0001F467 5\uFE0F\u20E3"}));
  EXPECT_EQ(Found("a\x01 b\tc"), (Strings{"\x01", "\t"}));
}

TEST(Carried, LeavesWordsAlone) {
  for (const char* text :
       {"I saw the 1st of them in the 1980s.", "and/or, e.g. this, i.e. that: a.m.", "Well... he's Mr. Smith's",
        "mother-in-law", "U.S. and Ph.D.", "“Yes”, she said – no!", "a < b > c", "Where?!"}) {
    EXPECT_EQ(Found(text), Strings{}) << text;
  }
}

TEST(Carried, TakesTimeInProportionToAnyText) {
  for (const char* part :
       {"a.", "1-", "(", "{{", "`a", "%", "a::", "<a", "@", "www.", "+1", "/a", "a/", "\xF0\x9F\x98\x80", "\x80"}) {
    std::string text;
    while (text.size() < 200000) text += part;
    for (const CarriedSpan& span : FindCarried(text)) EXPECT_LE(span.end, text.size());
  }
}

TEST(Carried, FindsWordsByThemselves) {
  EXPECT_EQ(FindAlone("31,234 and 1,234", "1,234"), 11u);
  EXPECT_EQ(FindAlone("1,234.5", "1,234"), std::string::npos);
  EXPECT_EQ(FindAlone("12345", "234"), std::string::npos);
  EXPECT_EQ(FindAlone("Annas Anna", "Anna"), 6u);
  EXPECT_EQ(FindAlone("d'Anna.", "Anna"), 2u);
}

TEST(Changes, KnowWhichPlaceIsWhich) {
  Changes changes("one two three");
  changes.Replace(4, 7, "2");
  EXPECT_EQ(changes.Finish(), "one 2 three");
  EXPECT_EQ(changes.Forward(8, false), 6u);
  EXPECT_EQ(changes.Forward(5, false), 4u);
  EXPECT_EQ(changes.Forward(5, true), 5u);
  EXPECT_EQ(changes.Back(5, true), 7u);
  EXPECT_EQ(changes.Back(11, true), 13u);
}

TEST(LetterCase, KeepsLengths) {
  EXPECT_EQ(InCase("ÀÉŒŽΆΩДЁß1", &ToLower), "àéœžάωдёß1");
  EXPECT_EQ(InCase("àéœžάωдёßıÿ", &ToUpper), "ÀÉŒŽΆΩДЁßıŸ");
  for (uint32_t c = 0; c < 0x600; ++c) {
    EXPECT_EQ(ToLower(ToUpper(c)), ToLower(c));
    std::string a, b;
    AppendUtf8(c, a);
    AppendUtf8(ToUpper(c), b);
    EXPECT_EQ(a.size(), b.size());
  }
}

TEST(Repetition, IsWhatTheSourceDoesNotRepeat) {
  const std::vector<int32_t> source = {5, 6, 7, 8, 0};
  EXPECT_EQ(WithoutRepetition(source, {1, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 0}), 3u);
  EXPECT_EQ(WithoutRepetition(source, {1, 2, 3, 2, 3, 0}), 5u);
  EXPECT_EQ(WithoutRepetition(source, {1, 2, 1, 2, 0}), 2u);
  EXPECT_EQ(WithoutRepetition({5, 6, 5, 6, 0}, {1, 2, 1, 2, 0}), 4u);
  EXPECT_EQ(WithoutRepetition({5, 5, 5, 5, 0}, std::vector<int32_t>(13, 4)), 12u);
}

class CarriedTranslation : public testing::Test {
 protected:
  std::vector<Translation> Translate(const Strings& texts, DecodeOptions options = {}, size_t threads = 1) {
    Arena arena;
    ThreadPool pool(threads);
    Context ctx{arena, pool};
    TranslationJob job(*SharedModel(folder_), texts, std::move(options));
    while (!job.Step(ctx)) continue;
    return job.results();
  }
  std::string One(const std::string& text, DecodeOptions options = {}) {
    return Translate({text}, std::move(options))[0].text;
  }
  Replay Trace(const std::string& source, std::optional<std::string> target = {}, DecodeOptions options = {}) {
    Arena arena;
    ThreadPool pool(1);
    Context ctx{arena, pool};
    ReplayJob job(*SharedModel(folder_), source, std::move(target), ReplayKind::kTrace, options);
    while (!job.Step(ctx)) continue;
    return job.result();
  }

  std::string folder_ = kDefaultModel;
};

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST_F(CarriedTranslation, HasEachTokenOnce) {
  const std::pair<const char*, Strings> cases[] = {
      {"It costs $1,234.56 today.", {"$1,234.56"}},
      {"Call me at +44 20 7946 0958.", {"+44 20 7946 0958"}},
      {"Read https://www.example.org/a?b=c and https://x.org/y before you come.",
       {"https://www.example.org/a?b=c", "https://x.org/y"}},
      {"Heat it to 180°C.", {"180°C"}},
      {"I love #cats and @tom_1.", {"#cats", "@tom_1"}},
      {"Łódź is a city, and so is 東京.", {"Łódź", "東京"}},
      {"I ❤️ you so much!", {"❤️"}},
      {"Hello \x01 world", {"\x01", "monde"}},
      {"First name\tAge", {"\t"}},
  };
  for (const auto& [text, tokens] : cases) {
    for (const size_t beam : {1, 4}) {
      const std::string translation = One(text, {.beam = beam});
      for (const std::string& token : tokens) EXPECT_EQ(Count(translation, token), 1u) << translation;
      EXPECT_EQ(Count(translation, "\u2047"), 0u) << translation;
    }
  }
}

// The model gets a full stop that the source lacks, and the translation loses it again. A mark before it must stay.
TEST_F(CarriedTranslation, KeepsAMarkBeforeAFullStopOfItsOwn) {
  folder_ = "web/models/en-de";
  for (const char* text : {"Hello, world \x01 again", "Hello \u200B world", "I \U0001F600 you, my friend"}) {
    const std::vector<CarriedSpan> marks = FindCarried(text);
    ASSERT_EQ(marks.size(), 1u);
    const std::string mark(text + marks[0].begin, marks[0].end - marks[0].begin);
    EXPECT_EQ(Count(One(text), mark), 1u) << One(text);
  }
}

// Recurrent models and a file of Marian's carry by attention too. A model without attention puts lost texts at the end.
// These models are small or random, so the words around the tokens mean nothing.
TEST_F(CarriedTranslation, HasEachTokenOnceFromAnyModel) {
  const std::pair<const char*, Strings> cases[] = {
      {"My phone number is +44 20 7946 0958.", {"+44 20 7946 0958"}},
      {"See https://x.org/y for more, or ask @tom_1.", {"https://x.org/y", "@tom_1"}},
      {"Tom paid $1,234.56 on 2024-05-17 \U0001F600!", {"$1,234.56", "2024-05-17", "\U0001F600"}},
  };
  const std::string compared = "web/models/compared/";
  for (const std::string& folder :
       {compared + "bahdanau", compared + "luong-dot", compared + "luong-general", compared + "luong-local",
        compared + "plain", compared + "transformer", std::string("tests/goldens/marian/ssru-int8")}) {
    folder_ = folder;
    EXPECT_STREQ(Carrying(*SharedModel(folder)), folder == compared + "plain" ? "stand-ins" : "attention");
    for (const auto& [text, tokens] : cases) {
      for (const std::string& translation : {One(text), One(text, {.beam = 1}), Trace(text).target.text}) {
        for (const std::string& token : tokens) EXPECT_EQ(Count(translation, token), 1u) << folder << translation;
      }
    }
  }
}

TEST_F(CarriedTranslation, IsTheModelsOwnWhereItsVocabularyIsTooSmall) {
  folder_ = "tests/goldens/marian/ssru-f16";
  EXPECT_STREQ(Carrying(*SharedModel(folder_)), "none");
  DecodeOptions plain;
  plain.copy = false;
  EXPECT_EQ(One("Tom has 4567 cats.", {}), One("Tom has 4567 cats.", plain));
}

TEST_F(CarriedTranslation, SaysWhyItWasCut) {
  EXPECT_EQ(Translate({"I love you."}, {.max_length = 3})[0].cut, Cut::kLength);
  EXPECT_EQ(Translate({"I love you."})[0].cut, Cut::kNone);
  folder_ = "tests/goldens/marian/ssru-pre-norm";  // random weights: it repeats itself until the search stops it
  DecodeOptions plain;
  plain.copy = false;
  EXPECT_EQ(Translate({"My phone number is 12345."}, plain)[0].cut, Cut::kRepetition);
  EXPECT_EQ(Trace("My phone number is 12345.").cut, Cut::kRepetition);
}

TEST_F(CarriedTranslation, KeepsTheFormOfALine) {
  EXPECT_EQ(One("  * Thank you! \U0001F600"), "  * Merci ! \U0001F600");
  EXPECT_EQ(One("> THANK YOU!!!"), "> MERCI !!!");
  EXPECT_EQ(One("\U0001F389\U0001F389"), "\U0001F389\U0001F389");
  EXPECT_EQ(One("42"), "42");
  EXPECT_EQ(One("Thank you"), "Merci");
  EXPECT_EQ(One(""), "");
}

TEST_F(CarriedTranslation, IsTheModelsOwnWithoutCopying) {
  DecodeOptions plain;
  plain.copy = false;
  EXPECT_EQ(Count(One("I love @tom_1."), "@tom_1"), 1u);
  EXPECT_EQ(Count(One("I love @tom_1.", plain), "@tom_1"), 0u);
  EXPECT_EQ(One("  Thank you! ", plain), One("Thank you!", plain));
}

TEST_F(CarriedTranslation, TakesWhatTheCallerGives) {
  DecodeOptions options;
  options.given = {{{12, 15, "<b>1&2</b>"}}};
  const std::string translation = One("He lives in ABC now.", options);
  EXPECT_EQ(Count(translation, "<b>1&2</b>"), 1u) << translation;
  options.given = {{{5, 3, "x"}, {0, 99, "y"}, {0, 0, "z"}}};  // not parts of the text
  EXPECT_EQ(One("Thank you!", options), "Merci !");
}

TEST_F(CarriedTranslation, IsTheSameOnAnyNumberOfThreads) {
  Strings texts;
  for (int i = 0; i < 60; ++i) {
    texts.push_back("The file number " + std::to_string(1000 + 37 * i) + " is at /tmp/" + std::to_string(i) +
                    " or \u6771\u4EAC \U0001F600 here.");
  }
  const std::vector<Translation> one = Translate(texts, {.beam = 2}, 1), three = Translate(texts, {.beam = 2}, 3);
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_EQ(one[i].text, three[i].text);
    EXPECT_EQ(one[i].text, One(texts[i], {.beam = 2}));
    EXPECT_EQ(one[i].confidence, three[i].confidence);
  }
}

TEST_F(CarriedTranslation, CarriesInEveryHypothesis) {
  const Translation translation = Translate({"See https://x.org/y for more."}, {.beam = 6, .n_best = 6})[0];
  ASSERT_EQ(translation.n_best.size(), 6u);
  EXPECT_EQ(translation.n_best[0].text, translation.text);
  for (const ScoredText& each : translation.n_best) EXPECT_EQ(Count(each.text, "https://x.org/y"), 1u) << each.text;
}

TEST_F(CarriedTranslation, IsTracedWithItsSpans) {
  for (const char* text :
       {"See https://x.org/y for more.", "Łódź is a city.", "I \u2764\uFE0F you so much!", "  * See @tom."}) {
    const Replay trace = Trace(text);
    EXPECT_EQ(trace.target.text, One(text));
    EXPECT_EQ(trace.source.text, text);
    ASSERT_EQ(trace.target.tokens.ids.size(), trace.log_probs.size());
    for (const ReplaySide* side : {&trace.source, &trace.target}) {
      for (size_t i = 0; i < side->tokens.ids.size(); ++i) {
        EXPECT_LE(side->tokens.begin[i], side->tokens.end[i]);
        EXPECT_LE(side->tokens.end[i], side->text.size());
      }
    }
    ASSERT_EQ(trace.copied.size(), 1u) << text;
    const CopiedSpan& span = trace.copied[0];
    EXPECT_EQ(trace.source.text.substr(span.source_begin, span.source_end - span.source_begin),
              trace.target.text.substr(span.target_begin, span.target_end - span.target_begin));
  }
}

TEST_F(CarriedTranslation, IsAlignedAsItIsTraced) {
  const Strings texts = {"See https://x.org/y for more.", "My brother lives in a big white house.", "42", "",
                         "I \u2764\uFE0F you so much!",   "Tom has 4567 cats and lost 4567 dogs."};
  const std::vector<Translation> plain = Translate(texts), aligned = Translate(texts, {.align = true});
  for (size_t i = 0; i < texts.size(); ++i) {
    EXPECT_TRUE(plain[i].tokens.ids.empty());
    EXPECT_TRUE(plain[i].alignment.weights.empty());
    EXPECT_EQ(aligned[i].text, plain[i].text);
    if (aligned[i].ids.empty()) {  // the model reads nothing
      EXPECT_TRUE(aligned[i].alignment.weights.empty());
      continue;
    }
    const Replay trace = Trace(texts[i]);
    EXPECT_EQ(aligned[i].tokens.ids, trace.target.tokens.ids);
    EXPECT_EQ(aligned[i].tokens.begin, trace.target.tokens.begin);
    EXPECT_EQ(aligned[i].tokens.end, trace.target.tokens.end);
    EXPECT_EQ(aligned[i].alignment.weights, trace.alignment.weights);
    EXPECT_EQ(aligned[i].alignment.sources, trace.source.tokens.ids.size());
  }
}

TEST_F(CarriedTranslation, ScoresWhatItWrote) {
  for (const char* source :
       {"See https://x.org/y for more.", "HE IS AT /usr/local/data/index.conf NOW.", "I \U0001F600 you, Tom!",
        "He will not pay 33,512 for v5.17.52-rc.1 of it.", "The \u6771\u4EAC of 1,000 years (TCK-48213)."}) {
    const Replay own = Trace(source);
    const Replay given = Trace(source, own.target.text);
    EXPECT_EQ(given.target.tokens.ids, own.target.tokens.ids) << source;
    EXPECT_EQ(given.log_prob, own.log_prob);
    EXPECT_EQ(given.confidence, own.confidence);
    EXPECT_EQ(Translate({source})[0].confidence, own.confidence);
  }
}

TEST_F(CarriedTranslation, StandsAnyText) {
  std::string many, overlapping, tabs;
  for (int i = 0; i < 100000; ++i) tabs += ".\t";
  for (int i = 0; i < 5000; ++i) many += "see @a" + std::to_string(i) + " and " + std::to_string(i) + ", ";
  for (int i = 0; i < 3000; ++i) overlapping += "{{${`<a@b.c/1.2:";
  for (const std::string& text :
       {many, overlapping, std::string(5000, '!'), std::string(3000, '\xF0'), std::string("> ") + many,
        std::string("\xC3"), std::string("a\xC3\x80\x80 1"), std::string(">>fra<< * 5 $"), std::string(100000, '\t'),
        "a" + tabs + "b", std::string("()"), std::string(": 1")}) {
    const Translation translation = Translate({text}, {.beam = 1})[0];
    EXPECT_EQ(translation.confidence, translation.confidence);
  }
  EXPECT_EQ(One("Thank you!"), "Merci !");
}

}  // namespace
}  // namespace qkv
