#include "core/cli/output.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/cli/command.h"
#include "core/cli/gzip_output.h"
#include "core/cli/zstd_stream.h"

namespace qkv::cli {
namespace {

constexpr size_t kComparedLines = 3;  // last lines that are compared before a file is continued

class StandardOutput : public ByteOutput {
 public:
  void Write(std::string_view bytes) override { std::fwrite(bytes.data(), 1, bytes.size(), stdout); }
  void Flush() override { FlushOrFail(); }
  void Close() override { FlushOrFail(); }
};

// A file that is not compressed.
class PlainOutput : public ByteOutput {
 public:
  // Takes over the file. `mode` is that of fdopen, `name` is for errors.
  PlainOutput(int file, const char* mode, std::string name) : name_(std::move(name)), stream_(fdopen(file, mode)) {}
  ~PlainOutput() override { std::fclose(stream_); }
  void Write(std::string_view bytes) override { std::fwrite(bytes.data(), 1, bytes.size(), stream_); }
  void Flush() override {
    if (std::fflush(stream_) != 0 || std::ferror(stream_) != 0)
      Fail(name_ + " cannot be written: " + std::strerror(errno));
  }
  void Close() override { Flush(); }

 private:
  std::string name_;
  FILE* stream_;
};

int OpenOrFail(const std::string& path, int flags) {
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC | flags, 0666);
  if (file >= 0) return file;
  if (errno == EEXIST) Fail(path + " exists: give another name, or --resume to continue it");
  Fail(path + " cannot be written: " + std::strerror(errno));
}

}  // namespace

LineOutput::LineOutput() : output_(std::make_unique<StandardOutput>()) {}

LineOutput LineOutput::Create(const std::string& path) {
  if (IsZstd(path)) CheckZstd(path);
  LineOutput output(path);
  const int file = OpenOrFail(path, O_CREAT | O_EXCL);
  output.Lock(file);
  if (IsGzip(path)) {
    output.output_ = std::make_unique<GzipOutput>(file, path);
  } else if (IsZstd(path)) {
    output.output_ = std::make_unique<ZstdOutput>(file, path);
  } else {
    output.output_ = std::make_unique<PlainOutput>(file, "w", path);
  }
  return output;
}

LineOutput LineOutput::Continue(const std::string& path) {
  if (IsGzip(path) || IsZstd(path)) Fail(path + " cannot be continued: only a file that is not compressed can", kUsage);
  LineOutput output(path);
  const int file = OpenOrFail(path, O_CREAT);
  output.Lock(file);
  output.CountLines(file);
  output.output_ = std::make_unique<PlainOutput>(file, "a", path);
  output.file_ = file;
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
  if (file_ < 0) return;
  if (ftruncate(file_, static_cast<off_t>(whole_)) == 0 && lseek(file_, 0, SEEK_END) >= 0) return;
  Fail(path_ + " cannot be written: " + std::strerror(errno));
}

// In Node each call is a write of its own, and a signal may end the process between two. So a line is one call.
void LineOutput::Write(std::string_view line) { output_->Write(std::string(line) + '\n'); }
void LineOutput::Flush() { output_->Flush(); }
void LineOutput::Close() { output_->Close(); }

}  // namespace qkv::cli
