#include "core/cli/output.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/cli/command.h"

namespace qkv::cli {
namespace {

constexpr size_t kComparedLines = 3;  // last lines that are compared before a file is continued

FILE* Plain(const std::shared_ptr<void>& file) { return static_cast<FILE*>(file.get()); }

int OpenOrFail(const std::string& path, int flags) {
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC | flags, 0666);
  if (file >= 0) return file;
  if (errno == EEXIST) Fail(path + " exists: give another name, or --resume to continue it");
  Fail(path + " cannot be written: " + std::strerror(errno));
}

}  // namespace

LineOutput LineOutput::Create(const std::string& path) {
  if (IsZstd(path)) CheckZstd(path);
  LineOutput output(path);
  const int file = OpenOrFail(path, O_CREAT | O_EXCL);
  output.Lock(file);
  if (IsGzip(path)) {
    output.gzip_ = std::make_shared<GzipOutput>(file, path);
  } else if (IsZstd(path)) {
    output.zstd_ = std::make_shared<ZstdOutput>(file, path);
  } else {
    output.plain_ = std::shared_ptr<void>(fdopen(file, "w"), [](void* open) { std::fclose(static_cast<FILE*>(open)); });
  }
  return output;
}

LineOutput LineOutput::Continue(const std::string& path) {
  if (IsGzip(path) || IsZstd(path)) Fail(path + " cannot be continued: only a file that is not compressed can", kUsage);
  LineOutput output(path);
  const int file = OpenOrFail(path, O_CREAT);
  output.Lock(file);
  output.CountLines(file);
  output.plain_ = std::shared_ptr<void>(fdopen(file, "a"), [](void* open) { std::fclose(static_cast<FILE*>(open)); });
  return output;
}

void LineOutput::Lock(int file) const {
  if (flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;  // some file systems have no locks
  Fail(path_ + " is being written by another process");
}

// Reads the file once.
void LineOutput::CountLines(int file) {
  struct stat status{};
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode))
    Fail(path_ + " cannot be continued: it is no file", kUsage);
  std::string rest;
  char chunk[1 << 16];
  whole_ = 0;
  for (ssize_t count; (count = read(file, chunk, sizeof chunk)) != 0;) {
    if (count < 0) Fail(path_ + " cannot be read: " + std::strerror(errno));
    rest.append(chunk, static_cast<size_t>(count));
    size_t begin = 0;
    for (size_t end; (end = rest.find('\n', begin)) != std::string::npos; begin = end + 1) {
      last_.push_back(rest.substr(begin, end - begin));
      if (last_.size() > kComparedLines) last_.erase(last_.begin());
      ++lines_;
    }
    whole_ += static_cast<int64_t>(begin);
    rest.erase(0, begin);
  }
}

void LineOutput::CutRest() {
  if (whole_ < 0) return;
  const int file = fileno(Plain(plain_));
  if (ftruncate(file, static_cast<off_t>(whole_)) != 0 || lseek(file, 0, SEEK_END) < 0) FailToWrite();
}

void LineOutput::Write(std::string_view line) {
  if (gzip_) {
    gzip_->Write(line);
    return gzip_->Write("\n");
  }
  if (zstd_) {
    zstd_->Write(line);
    return zstd_->Write("\n");
  }
  FILE* const file = plain_ ? Plain(plain_) : stdout;
  // In Node each call is a write of its own, and a signal may end the process between two.
  const std::string whole = std::string(line) + '\n';
  std::fwrite(whole.data(), 1, whole.size(), file);
}

void LineOutput::Flush() {
  if (gzip_ || zstd_) return;  // a flush would make the file larger
  if (!plain_) return FlushOrFail();
  if (std::fflush(Plain(plain_)) != 0 || std::ferror(Plain(plain_)) != 0) FailToWrite();
}

void LineOutput::Close() {
  Flush();
  if (zstd_) zstd_->Close();
  if (gzip_) gzip_->Close();
}

void LineOutput::FailToWrite() const { Fail(path_ + " cannot be written: " + std::strerror(errno)); }

}  // namespace qkv::cli
