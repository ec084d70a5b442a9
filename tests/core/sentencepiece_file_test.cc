// .spm files written here byte by byte: the error for each defect.
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/text/charsmap.h"
#include "core/text/protobuf.h"
#include "core/text/sentencepiece.h"
#include "core/text/trie.h"

namespace qkv {
namespace {

std::span<const uint8_t> Bytes(const std::string& content) {
  return {reinterpret_cast<const uint8_t*>(content.data()), content.size()};
}

std::string Varint(uint64_t value) {
  std::string out;
  for (; value >= 128; value >>= 7) out += static_cast<char>((value & 127) | 128);
  return out + static_cast<char>(value);
}

std::string Scalar(uint32_t field, uint64_t value) { return Varint(field << 3) + Varint(value); }

std::string Message(uint32_t field, const std::string& content) {
  return Varint(field << 3 | 2) + Varint(content.size()) + content;
}

std::string Fixed32(uint32_t value) {
  std::string out;
  for (int shift = 0; shift < 32; shift += 8) out += static_cast<char>((value >> shift) & 0xFF);
  return out;
}

enum Kind { kNormal = 1, kUnknown, kControl, kUserDefined, kUnused, kByte };

std::string PieceOf(const std::string& text, float score = -1, Kind kind = kNormal) {
  return Message(1, Message(1, text) + "\x15" + Fixed32(std::bit_cast<uint32_t>(score)) + Scalar(3, kind));
}

std::string Trainer(const std::string& content) { return Message(2, content); }
std::string Normalizer(const std::string& content) { return Message(3, content); }

const std::string kUnk = Normalizer("") + PieceOf("<unk>", 0, kUnknown);
const std::string kSmall = kUnk + PieceOf("\xE2\x96\x81") + PieceOf("a") + PieceOf("b");

// The error for a file, as "CODE: where: message"; empty if it is read.
std::string ErrorOf(const std::string& file) {
  const std::vector<uint8_t> exact(file.begin(), file.end());
  auto model = SentencePiece::Parse(exact, "m.spm");
  return model ? "" : model.error().ToString();
}

#define EXPECT_REFUSED(file, code, part)                                         \
  do {                                                                           \
    const std::string refused = ErrorOf(file);                                   \
    EXPECT_TRUE(refused.starts_with(code)) << refused;                           \
    EXPECT_NE(refused.find("m.spm"), std::string::npos) << refused;              \
    EXPECT_NE(refused.find(part), std::string::npos) << part << ": " << refused; \
  } while (0)

TEST(SentencePieceFile, ReadsTheLeastOne) {
  auto model = SentencePiece::Parse(Bytes(kSmall), "m.spm");
  ASSERT_TRUE(model) << model.error().ToString();
  EXPECT_EQ(model->size(), 4U);
  EXPECT_EQ(model->Encode("ab cc b").size(), 7U);  // the two c form one unknown piece
  EXPECT_EQ(model->Decode(std::vector<int32_t>{1, 2, 3, 0, 2}), "ab \xE2\x81\x87 a");
}

TEST(SentencePieceFile, SkipsWhatItDoesNotKnow) {
  EXPECT_EQ(ErrorOf(kSmall + Message(4, "self test") + Scalar(200, 1) +
                    "\xA5\x06"
                    "1234"
                    "\xA1\x06"
                    "12345678"),
            "");
  // a field of pieces with a number instead of a message: protobuf treats it as another field
  EXPECT_EQ(ErrorOf(kSmall + Scalar(1, 7)), "");
  EXPECT_EQ(ErrorOf(kSmall + Trainer(Scalar(3, 99))), "");
}

TEST(SentencePieceFile, RefusesVocabularies) {
  EXPECT_REFUSED("", "INVALID_FILE", "pieces");
  EXPECT_REFUSED(Trainer(""), "INVALID_FILE", "empty");
  EXPECT_REFUSED(Normalizer("") + PieceOf("a"), "INVALID_FILE", "no unknown");
  EXPECT_REFUSED(kUnk, "INVALID_FILE", "no piece stands for text");
  EXPECT_REFUSED(kSmall + PieceOf("<unk2>", 0, kUnknown), "INVALID_FILE", "two unknown");
  EXPECT_REFUSED(kSmall + PieceOf("a"), "INVALID_FILE", "piece 4 is there twice");
  EXPECT_REFUSED(kSmall + PieceOf("a", 0, kControl), "INVALID_FILE", "piece 4 is there twice");
  EXPECT_REFUSED(kSmall + PieceOf(""), "INVALID_FILE", "pieces[4]");
  EXPECT_REFUSED(kSmall + Message(1, ""), "INVALID_FILE", "pieces[4]");
  EXPECT_REFUSED(kSmall + PieceOf("c", std::numeric_limits<float>::quiet_NaN()), "INVALID_FILE", "finite");
  EXPECT_REFUSED(kSmall + PieceOf("c", -std::numeric_limits<float>::infinity()), "INVALID_FILE", "finite");
  EXPECT_REFUSED(kSmall + PieceOf(std::string(1025, 'c')), "LIMIT_EXCEEDED", "pieces[4]");
  EXPECT_EQ(ErrorOf(kSmall + PieceOf(std::string(1024, 'c'))), "");
}

TEST(SentencePieceFile, RefusesAFileCutBetweenTwoPieces) {
  EXPECT_REFUSED(PieceOf("<unk>", 0, kUnknown) + PieceOf("a"), "INVALID_FILE", "normalizer_spec: it is missing");
  EXPECT_REFUSED(PieceOf("<unk>", 0, kUnknown) + PieceOf("a") + Trainer(""), "INVALID_FILE", "cut off");
}

TEST(SentencePieceFile, RefusesHalfAByteFallback) {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) {
    char text[8];
    std::snprintf(text, sizeof(text), "<0x%02X>", byte);
    bytes += PieceOf(text, 0, kByte);
  }
  const std::string fallback = Trainer(Scalar(35, 1));
  EXPECT_EQ(ErrorOf(kSmall + bytes + fallback), "");
  EXPECT_REFUSED(kSmall + bytes, "INVALID_FILE", "without byte_fallback");
  EXPECT_REFUSED(kSmall + fallback, "INVALID_FILE", "256");
  EXPECT_REFUSED(kSmall + PieceOf("<0x0a>", 0, kByte) + fallback, "INVALID_FILE", "names no byte");
  EXPECT_REFUSED(kSmall + PieceOf("<0x100>", 0, kByte) + fallback, "INVALID_FILE", "names no byte");
}

TEST(SentencePieceFile, RefusesWhatItDoesNotDo) {
  EXPECT_REFUSED(kSmall + Trainer(Scalar(3, 3)), "UNSUPPORTED", "trainer_spec.model_type");
  EXPECT_REFUSED(kSmall + Trainer(Scalar(3, 4)), "UNSUPPORTED", "unigram and BPE");
  EXPECT_REFUSED(kSmall + Message(5, Message(2, "rules")), "UNSUPPORTED", "denormalizer_spec");
  EXPECT_REFUSED(kSmall + Trainer(Message(44, std::string(2000, '?'))), "LIMIT_EXCEEDED", "unk_surface");
}

TEST(SentencePieceFile, RefusesBrokenMessages) {
  EXPECT_REFUSED(kSmall + "\x0A\xFF\xFF\xFF\xFF\x0F", "INVALID_FILE", "cut off");  // a length beyond the file
  EXPECT_REFUSED(kSmall + "\x0A" + std::string(9, '\xFF') + "\x01", "INVALID_FILE", "cut off");  // nearly 2^64
  EXPECT_REFUSED(kSmall + "\x08" + std::string(11, '\xFF'), "INVALID_FILE", "malformed");        // an endless number
  EXPECT_REFUSED(kSmall + "\x0B\x0C", "INVALID_FILE", "malformed");                              // a group
  EXPECT_REFUSED(kSmall + "\x0E", "INVALID_FILE", "malformed");                                  // wire type 6
  EXPECT_REFUSED(kSmall + std::string("\0\0", 2), "INVALID_FILE", "malformed");                  // field 0
  EXPECT_REFUSED(kSmall + Message(1,
                                  "\x0A\x05"
                                  "ab"),
                 "INVALID_FILE", "pieces[4]");
  EXPECT_REFUSED(kSmall + Trainer("\x1D"), "INVALID_FILE", "trainer_spec");
  EXPECT_REFUSED(kSmall + Normalizer("\x12\x09"), "INVALID_FILE", "normalizer_spec");
}

// A double array of one block, and its replacements. Unit 0 is the root; its children are at 0 ^ 1 ^ byte.
struct Rules {
  std::vector<uint32_t> units = std::vector<uint32_t>(256);
  std::string replacements = std::string("xyz\0", 4);

  static uint32_t Node(char label, uint32_t offset, bool ends) {
    return static_cast<uint8_t>(label) | (ends ? 1U << 8 : 0) | offset << 10;
  }
  static uint32_t Value(uint32_t value) { return value | 1U << 31; }

  Rules() {
    units[0] = Node('\0', 1, false);
    units[1 ^ 'a'] = Node('a', 1 ^ 'a' ^ 8, true);  // children at 8: the value at 8 ^ 0
    units[8] = Value(1);
  }

  std::string Blob() const {
    std::string blob = Fixed32(static_cast<uint32_t>(units.size() * 4));
    for (const uint32_t unit : units) blob += Fixed32(unit);
    return blob + replacements;
  }
  std::string File() const { return kSmall + Normalizer(Message(2, Blob())); }
};

TEST(SentencePieceFile, AppliesAHandMadeCharacterMap) {
  auto map = Charsmap::Parse(Bytes(Rules().Blob()), "rules");
  ASSERT_TRUE(map) << map.error().ToString();
  EXPECT_EQ(map->Longest("abc").length, 1U);
  EXPECT_EQ(map->Longest("abc").replacement, "yz");
  EXPECT_EQ(map->Longest("b").length, 0U);
  EXPECT_EQ(map->Longest("").length, 0U);
}

TEST(SentencePieceFile, RefusesBrokenCharacterMaps) {
  EXPECT_EQ(ErrorOf(Rules().File()), "");
  const auto refused = [](const Rules& rules, const char* code, const char* part) {
    EXPECT_REFUSED(rules.File(), code, part);
    EXPECT_REFUSED(rules.File(), code, "precompiled_charsmap");
  };
  Rules rules;
  rules.units[1 ^ 'a'] = Rules::Node('a', 4096, false);
  refused(rules, "INVALID_FILE", "outside itself");
  rules = {};
  rules.units[0] = Rules::Node('\0', 256, false) | 1U << 31;
  refused(rules, "INVALID_FILE", "outside itself");
  rules = {};
  rules.units[8] = Rules::Value(4);
  refused(rules, "INVALID_FILE", "outside the replacements");
  rules = {};
  rules.units.pop_back();
  refused(rules, "INVALID_FILE", "blocks");
  rules = {};
  rules.units.clear();
  refused(rules, "INVALID_FILE", "blocks");
  rules = {};
  rules.replacements = "xyz";
  refused(rules, "INVALID_FILE", "no end");
  rules.replacements = "";
  refused(rules, "INVALID_FILE", "cut off");
  rules.replacements = std::string(257, 'x') + '\0';
  refused(rules, "LIMIT_EXCEEDED", "256");
  EXPECT_REFUSED(kSmall + Normalizer(Message(2, "abc")), "INVALID_FILE", "cut off");
  EXPECT_REFUSED(kSmall + Normalizer(Message(2, Fixed32(UINT32_MAX) + "abc")), "INVALID_FILE", "cut off");
}

TEST(SentencePieceFile, ATrieThatLeadsInCirclesCostsNoMoreThanItsBound) {
  Rules rules;
  rules.units[1 ^ 'a'] = Rules::Node('a', 'a', false);  // its child is the unit itself
  auto model = SentencePiece::Parse(Bytes(rules.File()), "m.spm");
  ASSERT_TRUE(model) << model.error().ToString();
  EXPECT_EQ(model->Encode(std::string(100000, 'a')).size(), 100001U);
}

TEST(SentencePieceFile, AControlPieceNeverComesOutOfText) {
  for (const uint64_t algorithm : {1, 2}) {
    const std::string file = kSmall + PieceOf("|", 0, kControl) + Trainer(Scalar(3, algorithm));
    auto model = SentencePiece::Parse(Bytes(file), "m.spm");
    ASSERT_TRUE(model);
    const std::vector<Piece> pieces = model->Encode("a|b");
    ASSERT_EQ(pieces.size(), 4U);
    EXPECT_EQ(pieces[2].id, model->unknown_id());
  }
}

TEST(ProtobufReader, ReadsEveryWireType) {
  const std::string message = Scalar(1, UINT64_MAX) + Message(2, "abc") + "\x1D" + Fixed32(0x3F800000) + "\x21" +
                              Fixed32(0x89ABCDEF) + Fixed32(0x01234567);
  ProtobufReader reader(Bytes(message));
  using Wire = ProtobufReader::Wire;
  ASSERT_TRUE(reader.Next() && reader.Is(1, Wire::kVarint));
  EXPECT_EQ(reader.Varint(), UINT64_MAX);
  ASSERT_TRUE(reader.Next() && reader.Is(2, Wire::kBytes));
  EXPECT_EQ(reader.String(), "abc");
  ASSERT_TRUE(reader.Next() && reader.Is(3, Wire::kFixed32));
  EXPECT_EQ(reader.Float(), 1);
  ASSERT_TRUE(reader.Next() && reader.Is(4, Wire::kFixed64));
  EXPECT_EQ(reader.Varint(), 0x0123456789ABCDEFU);
  EXPECT_FALSE(reader.Next());
  EXPECT_TRUE(reader.ok());
}

// Keys in any order give the same answers as a search of a sorted list does.
TEST(Trie, FindsEachOfManyKeysThatShareBeginnings) {
  std::set<std::string> keys;
  uint32_t state = 7;
  while (keys.size() < 3000) {
    std::string key;
    do {
      state = state * 1664525 + 1013904223;
      key += static_cast<char>(state >> 24 & (key.size() < 2 ? 3 : 255));
    } while ((state >> 16 & 7) != 0);
    keys.insert(key);
  }
  std::vector<Trie::Entry> entries;
  for (const std::string& key : keys) entries.push_back({key, static_cast<int32_t>(entries.size())});
  for (size_t i = 0; i < entries.size(); ++i) std::swap(entries[i], entries[i * 7919 % entries.size()]);
  auto trie = Trie::Build(entries, "");
  ASSERT_TRUE(trie);
  for (const Trie::Entry& entry : entries) {
    EXPECT_EQ(trie->Find(entry.key), entry.value);
    const std::string longer = std::string(entry.key) + "a";
    EXPECT_EQ(trie->Find(longer) >= 0, keys.contains(longer));
  }
}

TEST(Trie, FindsKeysAndLongestPrefixes) {
  std::vector<Trie::Entry> entries = {{"b", 1}, {"abc", 0}, {"ab", 7}, {"\xFF\x80", 3}, {std::string_view("\0", 1), 4}};
  std::string letters;
  for (int c = '0'; c <= 'z'; ++c) letters += static_cast<char>(c);
  for (size_t i = 0; i < letters.size(); ++i) {  // more children than a linear search is used for
    entries.push_back({std::string_view(letters).substr(i), static_cast<int32_t>(100 + i)});
  }
  auto trie = Trie::Build(entries, "");
  ASSERT_TRUE(trie);
  for (const Trie::Entry& entry : entries) EXPECT_EQ(trie->Find(entry.key), entry.value);
  for (const char* absent : {"a", "abcd1", "", "ab\xFF", "\x80", "c"}) EXPECT_EQ(trie->Find(absent), -1) << absent;
  EXPECT_EQ(trie->LongestPrefix("abd"), 2U);
  EXPECT_EQ(trie->LongestPrefix("abcdz"), 3U);
  EXPECT_EQ(trie->LongestPrefix("a"), 0U);
  EXPECT_EQ(Trie().LongestPrefix("a"), 0U);
  EXPECT_TRUE(Trie().empty());
  EXPECT_FALSE(Trie::Build({{"x", 1}, {"y", 2}, {"x", 3}}, "where"));
  // The same key twice, among few and among many that begin like it.
  for (const std::string_view twice : {std::string_view("\xFF\x80"), std::string_view(letters).substr(3)}) {
    std::vector<Trie::Entry> more = entries;
    more.push_back({twice, 900});
    EXPECT_EQ(Trie::Build(more, "where").error().message, "piece 900 is there twice");
  }
}

}  // namespace
}  // namespace qkv
