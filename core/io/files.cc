#include "core/io/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

namespace qkv {
namespace {

namespace fs = std::filesystem;

constexpr size_t kBuffer = size_t{1} << 16;

// `reason` keeps the errno of the first error.
ssize_t ReadSome(int file, char* to, size_t most, int& reason) {
  ssize_t count;
  do count = read(file, to, most);
  while (count < 0 && errno == EINTR);
  if (count < 0) reason = errno;
  return count;
}

class OpenFile {
 public:
  // O_NONBLOCK: opening a pipe does not wait for a writer.
  explicit OpenFile(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (file_ >= 0) close(file_);
  }
  int get() const { return file_; }

 private:
  int file_;
};

Error CannotRead(ErrorCode code, const std::string& path, int reason) {
  return {code, std::string("cannot be read: ") + std::strerror(reason), path};
}

// Calls take(bytes) for each part of a regular file.
template <class Take>
Result<void> ReadParts(const std::string& path, const Take& take) {
  const OpenFile file(path);
  if (file.get() < 0) return CannotRead(ErrorCode::kMissingFile, path, errno);
  struct stat status{};
  if (fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) {
    return Error{ErrorCode::kInvalidFile, "is not a regular file", path};
  }
  std::string part(kBuffer, '\0');
  int reason = 0;
  for (;;) {
    const ssize_t count = ReadSome(file.get(), part.data(), part.size(), reason);
    if (count < 0) return CannotRead(ErrorCode::kInvalidFile, path, reason);
    if (count == 0) return {};
    QKV_CHECK(take(std::string_view(part).substr(0, static_cast<size_t>(count))));
  }
}

// Writes a file, or a folder's list of names, to the disk.
int Sync(int file) { return fsync(file) == 0 || errno == EINVAL ? 0 : errno; }

Error Failed(const std::string& path, int reason) {
  return {ErrorCode::kInvalidFile, std::string("cannot be written: ") + std::strerror(reason), path};
}

// The file that `path` names, after following links. So a link stays a link.
std::string Target(const std::string& path) {
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  return error ? path : target.string();
}

// Opens an empty `part` that no other process writes. The process that has it locked writes it. A process that gets the
// lock after `part` was renamed holds another file, and tries again.
Result<int> OpenPart(const std::string& part, const std::string& path) {
  for (;;) {
    const int file = open(part.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (file < 0) return Failed(path, errno);
    if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      close(file);
      return Error{ErrorCode::kInvalidFile, "another process is writing it", path};
    }
    struct stat own{}, named{};
    const bool same = fstat(file, &own) == 0 && stat(part.c_str(), &named) == 0 && own.st_ino == named.st_ino &&
                      own.st_dev == named.st_dev;
    if (same && ftruncate(file, 0) == 0) return file;
    const int reason = errno;
    close(file);
    if (same) return Failed(path, reason);
  }
}

}  // namespace

Result<std::string> ReadWholeFile(const std::string& path, size_t most) {
  std::string content;
  QKV_CHECK(ReadParts(path, [&](std::string_view part) -> Result<void> {
    content += part;
    if (content.size() <= most) return {};
    return Error{ErrorCode::kLimitExceeded, "is larger than the " + std::to_string(most) + " bytes that it may be",
                 path};
  }));
  return content;
}

Result<WholeFile> WholeFile::Create(const std::string& path) {
  const std::string target = Target(path);
  struct stat status{};
  const bool exists = stat(target.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {
    const int file = open(target.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) return Failed(path, errno);
    return WholeFile(file, path, "");
  }
  QKV_TRY(const int file, OpenPart(target + ".part", path));
  if (exists) (void)fchmod(file, status.st_mode & 07777);  // the new file gets the permissions of the old one
  return WholeFile(file, target, target + ".part");
}

WholeFile::WholeFile(WholeFile&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      path_(std::move(other.path_)),
      part_(std::exchange(other.part_, "")),
      buffer_(std::move(other.buffer_)),
      failed_(other.failed_) {}

WholeFile::~WholeFile() {
  if (!part_.empty()) unlink(part_.c_str());
  if (file_ >= 0) close(file_);
}

Error WholeFile::CannotWrite(int reason) {
  failed_ = reason;
  return Failed(path_, reason);
}

Result<void> WholeFile::Write(std::string_view bytes) {
  buffer_ += bytes;
  return buffer_.size() < kBuffer ? Result<void>() : Flush();
}

Result<void> WholeFile::Flush() {
  if (failed_ != 0) return Failed(path_, failed_);
  for (size_t at = 0; at < buffer_.size();) {
    const ssize_t count = write(file_, buffer_.data() + at, buffer_.size() - at);
    if (count < 0 && errno != EINTR) return CannotWrite(errno);
    if (count > 0) at += static_cast<size_t>(count);
  }
  buffer_.clear();
  return {};
}

Result<void> WholeFile::Commit() {
  QKV_CHECK(Flush());
  if (part_.empty()) return {};
  if (const int reason = Sync(file_); reason != 0) return CannotWrite(reason);
  if (rename(part_.c_str(), path_.c_str()) != 0) return CannotWrite(errno);
  part_.clear();
  const std::string folder = fs::path(path_).parent_path().string();
  if (const OpenFile names(folder.empty() ? "." : folder); names.get() >= 0) (void)Sync(names.get());
  return {};
}

Result<void> WriteWholeFile(const std::string& path, const std::function<void(const ByteSink&)>& write) {
  QKV_TRY(WholeFile file, WholeFile::Create(path));
  write([&](std::string_view bytes) { (void)file.Write(bytes); });  // Commit returns its error
  return file.Commit();
}

Result<void> WriteWholeFile(const std::string& path, std::string_view content) {
  return WriteWholeFile(path, [&](const ByteSink& out) { out(content); });
}

Result<void> CopyWholeFile(const std::string& from, const std::string& to) {
  QKV_TRY(WholeFile file, WholeFile::Create(to));
  QKV_CHECK(ReadParts(from, [&](std::string_view part) { return file.Write(part); }));
  return file.Commit();
}

}  // namespace qkv
