// A thousand unusual lines (tests/oracle/make_hostile_lines.py): encoded and decoded as the reference SentencePiece
// does, and translated.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/text/utf.h"
#include "core/translate/replay.h"
#include "core/translate/translation.h"
#include "tests/core/sentencepiece_goldens.h"

namespace qkv {
namespace {

class HostileText : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(Lines().Size(), 1000U); }

  const Json& Lines() const { return goldens_.root()["lines"]; }

  // [[unit, times], ...]
  static std::string LineOf(const Json& golden) {
    std::string line;
    for (const Json& part : golden["line"].GetArray()) {
      const std::string unit = Text(part[0]);
      for (unsigned i = 0; i < part[1].GetUint(); ++i) line += unit;
    }
    return line;
  }

  const JsonObject goldens_ = ReadGoldens("tests/goldens/hostile.json");
};

TEST_F(HostileText, IsCutAndSpelledAsTheReferenceDoes) {
  const std::string file = ReadBytes(goldens_.root()["model"].GetString());
  const auto model = SentencePiece::Parse(Bytes(file), "source.spm");
  ASSERT_TRUE(model) << model.error().ToString();
  for (const Json& golden : Lines().GetArray()) {
    const std::string line = LineOf(golden);
    SCOPED_TRACE(testing::PrintToString(line.substr(0, 100)));
    const std::vector<Piece> pieces = model.value().Encode(line);
    EXPECT_EQ(pieces.size(), golden["count"].GetUint());
    if (golden.HasMember("pieces")) {
      EXPECT_EQ(Flatten(pieces), Numbers(golden["pieces"]));
    } else {
      EXPECT_EQ(Fnv1a(Flatten(pieces)), golden["fnv1a"].GetString());
    }
    const std::string spelled = model.value().Decode(Ids(pieces));
    EXPECT_EQ(Fnv1a(Bytes(spelled)), golden["spelled"].GetString());
  }
}

TEST_F(HostileText, IsTranslated) {
  const TranslationModel* model = SharedModel(kDefaultModel);
  ASSERT_NE(model, nullptr);
  std::vector<std::string> lines;
  for (const Json& golden : Lines().GetArray()) lines.push_back(LineOf(golden));
  Arena arena;
  ThreadPool pool(2);
  Context ctx{arena, pool};
  TranslationJob job(*model, lines, {.beam = 1, .max_length = 4, .copy = false});
  while (!job.Step(ctx)) {
  }
  TranslationJob carrying(*model, lines, {.beam = 1, .max_length = 4});
  while (!carrying.Step(ctx)) {
  }
  for (size_t i = 0; i < lines.size(); ++i) {
    SCOPED_TRACE(testing::PrintToString(lines[i].substr(0, 100)));
    const Translation& translation = job.results()[i];
    const Translation& carried = carrying.results()[i];
    EXPECT_EQ(carried.text, ToValidUtf8(carried.text));
    EXPECT_LE(carried.ids.size(), 4U);
    const bool nothing = Lines()[static_cast<unsigned>(i)]["count"].GetUint() == 0;
    EXPECT_EQ(translation.text, ToValidUtf8(translation.text));
    EXPECT_LE(translation.ids.size(), 4U);
    EXPECT_EQ(translation.truncated,
              Lines()[static_cast<unsigned>(i)]["count"].GetUint() + 1 > model->config().max_positions);
    if (nothing) EXPECT_EQ(translation.text, "");
  }
}

// A line traced with itself as translation: spans ascend and lie within both texts.
TEST_F(HostileText, IsTraced) {
  const TranslationModel* model = SharedModel("tests/goldens/models/tiny-f16");
  ASSERT_NE(model, nullptr);
  Arena arena;
  ThreadPool pool(1);
  Context ctx{arena, pool};
  for (const Json& golden : Lines().GetArray()) {
    const std::string line = LineOf(golden);
    SCOPED_TRACE(testing::PrintToString(line.substr(0, 100)));
    ReplayJob job(*model, line, line, ReplayKind::kTrace, {});
    while (!job.Step(ctx)) {
    }
    const Replay& replay = job.result();
    for (const auto* side : {&replay.source, &replay.target}) {
      size_t at = 0;
      for (size_t i = 0; i < side->tokens.ids.size(); ++i) {
        EXPECT_LE(at, side->tokens.begin[i]);
        EXPECT_LE(side->tokens.begin[i], side->tokens.end[i]);
        EXPECT_LE(side->tokens.end[i], side->text.size());
        at = side->tokens.begin[i];
      }
    }
    EXPECT_TRUE(std::isfinite(replay.log_prob));
  }
}

}  // namespace
}  // namespace qkv
