// The vocabularies of OPUS-MT's folders: each way in which YAML writes a key, and files that are not a vocabulary.
#include "core/io/marian_vocabulary.h"

#include <gtest/gtest.h>

#include <iterator>

#include "core/base/json.h"

namespace qkv {
namespace {

uint32_t RowOf(const JsonObject& json, const char* piece) {
  const auto& root = json.root();
  return root.HasMember(piece) ? root[piece].GetUint() : 9999;
}

TEST(MarianVocabulary, ReadsEveryKindOfKey) {
  const auto text = VocabularyFromYaml(
      "</s>: 0\n"
      "<unk>: 1\n"
      "▁the: 2\n"
      "\"\\\"\": 3\r\n"
      "'it''s': 4\n"
      "\"\\x41\\u00e9\\U0001F600\\n\": 5\n"
      ":: 6\n"
      "'|': 7\n"
      "\"\\\\\": 8\n"
      "#: 9\n"
      "\n"
      "a: b: 10\n"
      "\"\\0\": 11\n",
      "vocab.yml");
  ASSERT_TRUE(text) << text.error().ToString();
  const auto json = JsonObject::Parse(text.value(), "vocab.yml");
  ASSERT_TRUE(json) << json.error().ToString();
  const char* const pieces[] = {"</s>", "<unk>", "▁the", "\"", "it's", "Aé😀\n", ":", "|", "\\", "#", "a: b"};
  for (uint32_t row = 0; row < std::size(pieces); ++row) {
    EXPECT_EQ(RowOf(json.value(), pieces[row]), row) << pieces[row];
  }
  EXPECT_EQ(json.value().root().MemberCount(), 13U);  // with the piece of a NUL, and <pad>
  EXPECT_EQ(RowOf(json.value(), "<pad>"), 12U);
}

TEST(MarianVocabulary, NamesTheLineThatIsNone) {
  const char* const bad[] = {"</s>: 0\nthe\n",        "</s>: 0\nthe: x\n",        "</s>: 0\n\"the: 1\n",
                             "</s>: 0\n\"\\q\": 1\n", "</s>: 0\n\"\\u12\": 1\n",  "</s>: 0\n'the: 1\n",
                             "</s>: 0\n: 1\n",        "</s>: 0\nthe: 99999999\n", "</s>: 0\nthe: -1\n",
                             "</s>: 0\n</s>: 1\n",    "</s>: 0\nthe: 0\n",        "</s>: 0\n\"\\U00110000\": 1\n",
                             "</s>: 0\n\"a\" 1\n",    "</s>: 0\n? a long one\n"};
  for (const char* const yaml : bad) {
    const auto text = VocabularyFromYaml(yaml, "vocab.yml");
    ASSERT_FALSE(text) << yaml;
    EXPECT_EQ(text.error().where, "vocab.yml, line 2") << yaml;
  }
}

}  // namespace
}  // namespace qkv
