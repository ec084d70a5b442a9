// Parallel text from files and memory, hostile ones too.
#include "core/train/corpus.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

namespace qkv {
namespace {

class CorpusTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) /
              (std::string("qkv-") + testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::string Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(Path(name), std::ios::binary) << bytes;
    return Path(name);
  }
  std::string WriteCompressed(const std::string& name, const std::string& text) const {
    const gzFile file = gzopen(Path(name).c_str(), "wb1");
    gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
    gzclose(file);
    return Path(name);
  }

  static Result<std::unique_ptr<Corpus>> OpenText(std::string text, CorpusOptions options = {}) {
    return Corpus::Open(TextInMemory(std::move(text), "text"), nullptr, options);
  }
  static Result<std::unique_ptr<Corpus>> OpenFile(const std::string& path) {
    auto file = TextOfFile(path);
    if (!file) return file.error();
    return Corpus::Open(std::move(*file), nullptr, {});
  }

  std::filesystem::path folder_;
};

std::vector<std::string> Take(Corpus& corpus, size_t count) {
  std::vector<std::string> taken;
  TextPair pair;
  while (taken.size() < count) {
    const auto next = corpus.Next(&pair);
    EXPECT_TRUE(next) << next.error().ToString();
    if (!next) break;
    taken.push_back(pair.source + "=" + pair.target);
  }
  return taken;
}

TEST_F(CorpusTest, ReadsPairsAgainAndAgain) {
  auto corpus = OpenText("a\tA\nb\tB\tmore\r\n c \t C \n");
  ASSERT_TRUE(corpus) << corpus.error().ToString();
  EXPECT_EQ((*corpus)->counts().pairs, 3U);
  EXPECT_EQ(Take(**corpus, 5), (std::vector<std::string>{"a=A", "b=B", "c=C", "a=A", "b=B"}));
}

TEST_F(CorpusTest, LeavesOutAndCountsWhatCannotBeLearntFrom) {
  std::string text = "a\tA\n\n \t\n\tonly target\nonly source\t\nbad \xFF\tB\nzero ";
  text += '\0';
  text += "\tZ\nb\t\xC3\n" + std::string(Lines::kLongest + 1, 'x') + "\tX\nlast\tL";
  auto corpus = OpenText(text);
  ASSERT_TRUE(corpus) << corpus.error().ToString();
  const CorpusCounts& counts = (*corpus)->counts();
  EXPECT_EQ(counts.lines, 10U);
  EXPECT_EQ(counts.pairs, 2U);
  EXPECT_EQ(counts.empty, 4U);
  EXPECT_EQ(counts.not_text, 3U);
  EXPECT_EQ(counts.too_long, 1U);
  EXPECT_EQ(counts.bytes, text.size());
  EXPECT_EQ(Take(**corpus, 2), (std::vector<std::string>{"a=A", "last=L"}));
}

TEST_F(CorpusTest, SaysWhichLineHasNoTab) {
  const auto corpus = OpenFile(Write("bad.tsv", "a\tA\nno tab here\n"));
  ASSERT_FALSE(corpus);
  EXPECT_EQ(corpus.error().code, ErrorCode::kInvalidFile);
  EXPECT_EQ(corpus.error().where, Path("bad.tsv") + ":2");
  EXPECT_EQ(corpus.error().message, "SOURCE<TAB>TARGET was expected");
}

TEST_F(CorpusTest, CompressedIsTheSameWhateverItIsCalled) {
  const std::string text = "a\tA\nb\tB\n";
  for (const std::string& path : {Write("plain.gz", text), WriteCompressed("compressed.tsv", text)}) {
    auto corpus = OpenFile(path);
    ASSERT_TRUE(corpus) << corpus.error().ToString();
    EXPECT_EQ(Take(**corpus, 3), (std::vector<std::string>{"a=A", "b=B", "a=A"}));
  }
}

TEST_F(CorpusTest, TwoFilesAreReadInStep) {
  auto source = TextOfFile(Write("a.en", "a\n\nb\tstays\n"));
  auto target = TextOfFile(WriteCompressed("a.fr.gz", "A\nX\nB"));
  ASSERT_TRUE(source && target);
  auto corpus = Corpus::Open(std::move(*source), std::move(*target), {});
  ASSERT_TRUE(corpus) << corpus.error().ToString();
  EXPECT_EQ((*corpus)->counts().empty, 1U);
  EXPECT_EQ(Take(**corpus, 2), (std::vector<std::string>{"a=A", "b\tstays=B"}));
}

TEST_F(CorpusTest, TwoFilesMustBeOfOneLength) {
  const auto open = [](const char* source, const char* target) {
    return Corpus::Open(TextInMemory(source, "en"), TextInMemory(target, "fr"), {});
  };
  const auto fewer = open("a\nb\n", "A\n"), more = open("a\n", "A\nB\n");
  ASSERT_FALSE(fewer);
  EXPECT_EQ(fewer.error().ToString(), "INVALID_FILE: en:1: there is no such line in fr: both must have as many");
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().where, "fr:1");
}

TEST_F(CorpusTest, ContinuesFromAnyPlace) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "source " + std::to_string(i) + (i % 7 == 0 ? "\t\n" : "\ttarget\n");
  for (const std::string& path : {Write("plain", text), WriteCompressed("compressed", text)}) {
    auto corpus = OpenFile(path);
    ASSERT_TRUE(corpus) << corpus.error().ToString();
    Take(**corpus, 3000);
    const CorpusPlace place = (*corpus)->place();
    const std::vector<std::string> expected = Take(**corpus, 3000);  // past the end
    ASSERT_TRUE((*corpus)->Seek(place));
    EXPECT_EQ(Take(**corpus, 3000), expected);
    auto again = OpenFile(path);
    ASSERT_TRUE(again && (*again)->Seek(place));
    EXPECT_EQ(Take(**again, 3000), expected);
  }
}

TEST_F(CorpusTest, HoldsOutByTheSourcesText) {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += std::to_string(i % 1000) + "\t" + std::to_string(i) + "\n";
  auto corpus = OpenText(text, {.held_out = 0.1});
  ASSERT_TRUE(corpus) << corpus.error().ToString();
  const CorpusCounts& counts = (*corpus)->counts();
  EXPECT_EQ(counts.pairs + counts.held_out, 3000U);
  EXPECT_NEAR(static_cast<double>(counts.held_out), 300, 90);
  const CorpusPlace place = (*corpus)->place();
  auto held_out = (*corpus)->HeldOut(10000);
  ASSERT_TRUE(held_out);
  EXPECT_EQ(held_out->size(), counts.held_out);
  std::set<std::string> kept;
  for (const TextPair& pair : *held_out) kept.insert(pair.source);
  EXPECT_EQ(kept.size() * 3, held_out->size());
  EXPECT_EQ((*corpus)->place().source_offset, place.source_offset);
  TextPair pair;
  for (uint64_t i = 0; i < counts.pairs; ++i) {
    ASSERT_TRUE((*corpus)->Next(&pair));
    EXPECT_FALSE(kept.contains(pair.source)) << pair.source;
  }
  EXPECT_EQ((*corpus)->All(10000).value().size(), 3000U);
  EXPECT_EQ((*corpus)->All(5).value().size(), 5U);
}

TEST_F(CorpusTest, NothingToLearnFromIsAnErrorOfNext) {
  for (const char* text : {"", "\n\n", "a\t\n"}) {
    auto corpus = OpenText(text);
    ASSERT_TRUE(corpus) << corpus.error().ToString();
    TextPair pair;
    EXPECT_FALSE((*corpus)->Next(&pair));
  }
}

TEST_F(CorpusTest, ATruncatedArchiveIsAnError) {
  std::string text;
  for (int64_t i = 0; i < 50000; ++i) text += std::to_string(i * 7919) + "\t" + std::to_string(i * 104729) + "\n";
  const std::string path = WriteCompressed("whole.gz", text);
  const auto size = std::filesystem::file_size(path);
  for (const uintmax_t kept : {size - 1, size - 9, size / 2, uintmax_t{30}}) {
    std::filesystem::resize_file(path, kept);
    const auto corpus = OpenFile(path);
    ASSERT_FALSE(corpus) << kept;
    EXPECT_EQ(corpus.error().code, ErrorCode::kInvalidFile);
    EXPECT_NE(corpus.error().message.find("cannot be read"), std::string::npos) << corpus.error().message;
  }
}

TEST_F(CorpusTest, ADamagedArchiveIsAnError) {
  std::string text;
  for (int64_t i = 0; i < 50000; ++i) text += std::to_string(i * 7919) + "\t" + std::to_string(i) + "\n";
  const std::string path = WriteCompressed("damaged.gz", text);
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(5000);
  file.write("damaged damaged damaged", 23);
  file.close();
  EXPECT_FALSE(OpenFile(path));
}

TEST_F(CorpusTest, ABombIsReadInLittleMemory) {
  // One line of 256 MiB in a quarter of a megabyte, then a pair.
  const std::string path = Path("bomb.gz");
  const gzFile file = gzopen(path.c_str(), "wb1");
  const std::string block(1 << 20, 'a');
  for (int i = 0; i < 256; ++i) gzwrite(file, block.data(), static_cast<unsigned>(block.size()));
  gzputs(file, "\nb\tB\n");
  gzclose(file);
  auto corpus = OpenFile(path);
  ASSERT_TRUE(corpus) << corpus.error().ToString();
  EXPECT_EQ((*corpus)->counts().too_long, 1U);
  EXPECT_EQ((*corpus)->counts().pairs, 1U);
  EXPECT_EQ(Take(**corpus, 1), std::vector<std::string>{"b=B"});
}

TEST_F(CorpusTest, MissingFilesAndFoldersAreErrors) {
  const auto missing = TextOfFile(Path("missing"));
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, ErrorCode::kMissingFile);
  const auto folder = TextOfFile(folder_.string());
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().code, ErrorCode::kInvalidFile);
}

TEST_F(CorpusTest, AFileThatLosesItsPairsDoesNotHang) {
  const std::string path = Write("shrinks", "a\tA\n");
  auto corpus = OpenFile(path);
  ASSERT_TRUE(corpus);
  std::filesystem::resize_file(path, 0);
  TextPair pair;
  EXPECT_FALSE((*corpus)->Next(&pair));
}

TEST_F(CorpusTest, OptionsAreChecked) {
  EXPECT_FALSE(OpenText("a\tA\n", {.weight = -1}));
  EXPECT_FALSE(OpenText("a\tA\n", {.weight = std::numeric_limits<double>::quiet_NaN()}));
  EXPECT_FALSE(OpenText("a\tA\n", {.held_out = 1}));
  EXPECT_FALSE(OpenText("a\tA\n", {.held_out = -0.1}));
}

}  // namespace
}  // namespace qkv
