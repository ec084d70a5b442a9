// The lexical shortlist: its file, good and damaged, and the pieces that it lists.
#include "core/translate/shortlist.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "tests/core/goldens.h"

namespace qkv {
namespace {

using Ids32 = std::vector<int32_t>;

constexpr size_t kSources = 5, kTargets = 9;
const ShortlistContent kContent{2, 3, {{0}, {7, 3, 4}, {}, {4, 8}, {0}}};

Result<Shortlist> Parse(const std::vector<uint8_t>& file, size_t sources = kSources, size_t targets = kTargets) {
  return Shortlist::Parse(file, sources, targets);
}

void SetWord(std::vector<uint8_t>& file, size_t at, uint64_t word) {
  std::memcpy(file.data() + at, &word, sizeof word);
}

// Marian's hash: boost's hash_combine over words of 64 bits, written a second time.
std::vector<uint8_t> WithChecksum(std::vector<uint8_t> file) {
  uint64_t sum = 0;
  for (size_t at = 16; at + 8 <= file.size(); at += 8) {
    uint64_t word;
    std::memcpy(&word, file.data() + at, sizeof word);
    sum = sum ^ (word + 2654435769u + sum * 64 + sum / 4);
  }
  SetWord(file, 8, sum);
  return file;
}

std::vector<uint8_t> WithWord(std::vector<uint8_t> file, size_t at, uint64_t word) {
  SetWord(file, at, word);
  return WithChecksum(std::move(file));
}

TEST(Shortlist, ListsWhatItWasGiven) {
  const auto shortlist = Parse(WriteShortlist(kContent));
  ASSERT_TRUE(shortlist) << shortlist.error().ToString();
  const auto pieces = [&](const Ids32& source, const Ids32& always = {}) {
    return shortlist.value().Pieces(source, always);
  };
  EXPECT_EQ(pieces({}), (Ids32{0, 1}));
  EXPECT_EQ(pieces({1, 0}), (Ids32{0, 1, 3, 4, 7}));
  EXPECT_EQ(pieces({3, 1, 3}), (Ids32{0, 1, 3, 4, 7, 8}));
  EXPECT_EQ(pieces({2, 4}), (Ids32{0, 1}));
  EXPECT_EQ(pieces({2}, {6, 1, 6}), (Ids32{0, 1, 6}));
}

TEST(Shortlist, IsWrittenAsMarianWritesIt) {
  const std::vector<uint8_t> file = WriteShortlist({2, 1, {{5}, {}, {6, 7}}});
  const std::vector<uint64_t> words = {0xF11A48D5013417F5, 0, 2, 1, 4, 3, 0, 1, 1, 3};
  std::vector<uint8_t> expected(words.size() * 8 + 3 * 4);
  std::memcpy(expected.data(), words.data(), words.size() * 8);
  const uint32_t pieces[] = {5, 6, 7};
  std::memcpy(expected.data() + words.size() * 8, pieces, sizeof pieces);
  EXPECT_EQ(file, WithChecksum(expected));
}

TEST(Shortlist, TakesAFileWithoutThePadThatHuggingFaceAdds) {
  const auto shortlist = Parse(WriteShortlist(kContent), kSources + 1);
  ASSERT_TRUE(shortlist) << shortlist.error().ToString();
  EXPECT_EQ(shortlist.value().Pieces(Ids32{kSources, 3}, {}), (Ids32{0, 1, 4, 8}));
}

TEST(Shortlist, MoreFrequentPiecesThanThereAreIsAllOfThem) {
  ShortlistContent content = kContent;
  content.first = UINT64_MAX;
  const auto shortlist = Parse(WriteShortlist(content));
  ASSERT_TRUE(shortlist);
  EXPECT_EQ(shortlist.value().Pieces({}, {}).size(), kTargets);
}

TEST(Shortlist, RefusesEveryCut) {
  const std::vector<uint8_t> file = WriteShortlist(kContent);
  for (size_t length = 0; length < file.size(); ++length) {
    const auto shortlist = Parse({file.begin(), file.begin() + static_cast<std::ptrdiff_t>(length)});
    ASSERT_FALSE(shortlist) << length;
    EXPECT_EQ(shortlist.error().code, ErrorCode::kInvalidFile);
    EXPECT_EQ(shortlist.error().where, "shortlist.bin");
  }
}

TEST(Shortlist, NoticesEveryChangedByte) {
  const std::vector<uint8_t> file = WriteShortlist(kContent);
  ASSERT_EQ(file.size() % 8, 4u);  // the sum leaves out the last four bytes
  for (size_t at = 0; at + 4 < file.size(); ++at) {
    std::vector<uint8_t> changed = file;
    changed[at] ^= 0x10;
    EXPECT_FALSE(Parse(changed)) << at;
  }
}

struct Damage {
  const char* what;
  std::vector<uint8_t> file;
  const char* says;
};

TEST(Shortlist, NamesWhatIsWrong) {
  const std::vector<uint8_t> good = WriteShortlist(kContent);
  std::vector<uint8_t> longer = good;
  longer.resize(longer.size() + 4);
  const size_t offsets = 48, pieces = offsets + 6 * 8;
  const std::vector<Damage> damages = {
      {"text", std::vector<uint8_t>(100, 'a'), "no binary shortlist"},
      {"a wrong checksum",
       [&] {
         auto f = good;
         SetWord(f, 8, 1);
         return f;
       }(),
       "checksum"},
      {"four bytes too many", WithChecksum(longer), "promises another"},
      {"2^61 offsets, whose bytes overflow to none", WithWord(good, 32, uint64_t{1} << 61), "promises another"},
      {"2^62 pieces", WithWord(good, 40, uint64_t{1} << 62), "promises another"},
      {"offsets and pieces that make up for each other", WithWord(WithWord(good, 32, 4), 40, 11), "of 3 pieces"},
      {"no offsets", WithWord(WithWord(good, 32, 0), 40, 19), "of 0 pieces"},
      {"a first list that begins late", WithWord(good, offsets, 1), "row 0"},
      {"offsets that go backwards", WithWord(good, offsets + 16, 0), "row 2"},
      {"an offset outside", WithWord(good, offsets + 24, 100), "row 3"},
      {"an offset of 2^40", WithWord(good, offsets + 24, uint64_t{1} << 40), "row 3"},
      {"a last list that ends early", WithWord(good, offsets + 40, 6), "last list"},
      {"a piece outside", WithWord(good, pieces, 9), "piece 9 of a vocabulary of 9"},
  };
  for (const Damage& damage : damages) {
    const auto shortlist = Parse(damage.file);
    ASSERT_FALSE(shortlist) << damage.what;
    EXPECT_EQ(shortlist.error().code, ErrorCode::kInvalidFile) << damage.what;
    EXPECT_NE(shortlist.error().message.find(damage.says), std::string::npos)
        << damage.what << ": " << shortlist.error().ToString();
  }
  EXPECT_FALSE(Parse(good, kSources - 1));
  EXPECT_FALSE(Parse(good, kSources + 2));
  EXPECT_FALSE(Parse(good, kSources, 8));
  const auto huge = Parse(std::vector<uint8_t>((size_t{64} << 20) + 1));
  ASSERT_FALSE(huge);
  EXPECT_EQ(huge.error().code, ErrorCode::kLimitExceeded);
}

// Any bytes give a shortlist or an error.
TEST(Shortlist, SurvivesRandomDamage) {
  const std::vector<uint8_t> good = WriteShortlist(kContent);
  std::mt19937 random(1);
  size_t accepted = 0;
  for (int i = 0; i < 20000; ++i) {
    std::vector<uint8_t> file = good;
    for (int changes = 1 + static_cast<int>(random() % 3); changes > 0; --changes) {
      file[16 + random() % (file.size() - 16)] = static_cast<uint8_t>(random() % 12);
    }
    const auto shortlist = Parse(WithChecksum(std::move(file)));
    if (!shortlist) continue;
    ++accepted;
    const Ids32 pieces = shortlist.value().Pieces(Ids32{0, 1, 2, 3, 4}, {});
    EXPECT_TRUE(pieces.empty() || pieces.back() < static_cast<int32_t>(kTargets));
  }
  EXPECT_GT(accepted, 100u);
}

}  // namespace
}  // namespace qkv
