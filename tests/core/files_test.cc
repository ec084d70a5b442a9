// The one writer of files: a file is written whole or not at all, by one process at a time. And what readers refuse.
#include "core/io/files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "core/io/folder_lock.h"
#include "core/io/mapped_file.h"
#include "tests/core/goldens.h"

namespace qkv {
namespace {

namespace fs = std::filesystem;

class FilesTest : public testing::Test {
 protected:
  FilesTest() : folder_(fs::path(testing::TempDir()) / ("qkv-files-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~FilesTest() override { fs::remove_all(folder_); }
  std::string At(const char* name) const { return (folder_ / name).string(); }
  size_t Count() const { return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), {})); }

  fs::path folder_;
};

std::string MessageOf(const Result<WholeFile>& result) { return result ? "" : result.error().ToString(); }

TEST_F(FilesTest, WritesTheWholeFile) {
  const std::string content(200000, 'x');
  ASSERT_TRUE(WriteWholeFile(At("a"), content));
  EXPECT_EQ(ReadBytes(At("a")), content);
  EXPECT_EQ(Count(), 1u);
}

TEST_F(FilesTest, LeavesTheOldFileUntilItCommits) {
  ASSERT_TRUE(WriteWholeFile(At("a"), "old"));
  {
    Result<WholeFile> file = WholeFile::Create(At("a"));
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->Write("new"));
    ASSERT_TRUE(file->Flush());
    EXPECT_EQ(ReadBytes(At("a")), "old");
  }
  EXPECT_EQ(ReadBytes(At("a")), "old");
  EXPECT_EQ(Count(), 1u);  // an uncommitted file is removed
}

TEST_F(FilesTest, LetsOneWriteAtATime) {
  Result<WholeFile> first = WholeFile::Create(At("a"));
  ASSERT_TRUE(first);
  EXPECT_NE(MessageOf(WholeFile::Create(At("a"))).find("another process is writing it"), std::string::npos);
  ASSERT_TRUE(first->Write("1"));
  ASSERT_TRUE(first->Commit());
  EXPECT_TRUE(WriteWholeFile(At("a"), "2"));
  EXPECT_EQ(ReadBytes(At("a")), "2");
}

TEST_F(FilesTest, KeepsLinksAndModes) {
  ASSERT_TRUE(WriteWholeFile(At("a"), "old"));
  ASSERT_EQ(chmod(At("a").c_str(), 0640), 0);
  fs::create_symlink(At("a"), At("link"));
  ASSERT_TRUE(WriteWholeFile(At("link"), "new"));
  EXPECT_TRUE(fs::is_symlink(At("link")));
  EXPECT_EQ(ReadBytes(At("a")), "new");
  EXPECT_EQ(static_cast<unsigned>(fs::status(At("a")).permissions()), 0640u);
}

TEST_F(FilesTest, SaysWhyItCannotWrite) {
  EXPECT_EQ(MessageOf(WholeFile::Create(At("no/a"))),
            "INVALID_FILE: " + At("no/a") + ": cannot be written: No such file or directory");
  EXPECT_NE(MessageOf(WholeFile::Create(folder_.string())).find("Is a directory"), std::string::npos);
  const Result<void> full = WriteWholeFile("/dev/full", "x");
  ASSERT_FALSE(full);
  EXPECT_NE(full.error().message.find("No space left on device"), std::string::npos);
}

TEST_F(FilesTest, WritesDevicesDirectly) {
  EXPECT_TRUE(WriteWholeFile("/dev/null", "x"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(FilesTest, CopiesBytes) {
  const std::string content = std::string(100000, '\0') + "end";
  ASSERT_TRUE(WriteWholeFile(At("a"), content));
  ASSERT_TRUE(CopyWholeFile(At("a"), At("b")));
  EXPECT_EQ(ReadBytes(At("b")), content);
  EXPECT_FALSE(CopyWholeFile(At("none"), At("c")));
  EXPECT_FALSE(fs::exists(At("c")));
}

TEST_F(FilesTest, ReadsRegularFilesAlone) {
  ASSERT_EQ(mkfifo(At("pipe").c_str(), 0600), 0);
  for (const std::string& path : {std::string("/dev/zero"), folder_.string(), At("pipe")}) {
    const Result<std::string> content = ReadWholeFile(path, 1 << 20);
    ASSERT_FALSE(content) << path;
    EXPECT_EQ(content.error().ToString(), "INVALID_FILE: " + path + ": is not a regular file");
  }
  const Result<std::string> memory = ReadWholeFile("/proc/self/mem", 1 << 20);  // a regular file whose reading fails
  ASSERT_FALSE(memory);
  EXPECT_EQ(memory.error().code, ErrorCode::kInvalidFile);
  EXPECT_EQ(ReadWholeFile(At("none"), 1).error().code, ErrorCode::kMissingFile);
}

TEST_F(FilesTest, ReadsNoMoreThanItMay) {
  ASSERT_TRUE(WriteWholeFile(At("a"), "12345"));
  EXPECT_EQ(ReadWholeFile(At("a"), 4).error().code, ErrorCode::kLimitExceeded);
  EXPECT_EQ(*ReadWholeFile(At("a"), 5), "12345");
}

TEST_F(FilesTest, MapsNoPipe) {
  ASSERT_EQ(mkfifo(At("pipe").c_str(), 0600), 0);
  const Result<MappedFile> file = MappedFile::Open(folder_.string(), "pipe");
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().code, ErrorCode::kInvalidFile);
}

TEST_F(FilesTest, LocksAFolder) {
  {
    Result<FolderLock> first = FolderLock::Take(At("run/a"));
    ASSERT_TRUE(first);
    const Result<FolderLock> second = FolderLock::Take(At("run/a"));
    ASSERT_FALSE(second);
    EXPECT_NE(second.error().message.find("another process is writing into this folder"), std::string::npos);
  }
  EXPECT_TRUE(FolderLock::Take(At("run/a")));
  ASSERT_TRUE(WriteWholeFile(At("file"), ""));
  EXPECT_FALSE(FolderLock::Take(At("file")));
}

}  // namespace
}  // namespace qkv
