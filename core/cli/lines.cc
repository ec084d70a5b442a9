#include "core/cli/lines.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/cli/command.h"

namespace qkv::cli {
namespace {

constexpr size_t kLongestLine = size_t{64} << 20, kChunk = size_t{1} << 16;

// Whether reading `file` would not wait. `size`: 0 if it is no file. For a pipe Node cannot tell, so there a batch is
// the result of one read.
bool DataIsWaiting([[maybe_unused]] int file, [[maybe_unused]] uint64_t size) {
#ifdef __EMSCRIPTEN__
  return size > 0;
#else
  pollfd request{file, POLLIN, 0};
  return poll(&request, 1, 0) > 0;
#endif
}

uint64_t SizeOf(int file) {
  struct stat status{};
  return fstat(file, &status) == 0 && S_ISREG(status.st_mode) ? static_cast<uint64_t>(status.st_size) : 0;
}

}  // namespace

LineReader::LineReader(int file, std::string name) : file_(file), name_(std::move(name)), size_(SizeOf(file)) {}

LineReader LineReader::Open(const std::string& path) {
#ifndef __EMSCRIPTEN__
  if (IsZstd(path)) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) Fail(path + " cannot be read: " + std::strerror(errno));
    LineReader reader(file, path);
    reader.zstd_ = std::make_shared<ZstdInput>(file, path);
    return reader;
  }
#endif
  return {OrFail(GzipFile::Open(path)), path};
}

double LineReader::Share() const {
  if (read_ == 0) return 0;
  // Of what has been read, the lines that were taken.
  const double taken = 1 - static_cast<double>(buffer_.size() - at_) / static_cast<double>(read_);
  if (gzip_) return gzip_->Share() * taken;
  const uint64_t bytes = zstd_ ? zstd_->consumed() : read_;
  return size_ == 0 ? 0 : std::min(1.0, static_cast<double>(bytes) / static_cast<double>(size_)) * taken;
}

std::vector<std::string> LineReader::Next(size_t most) {
  std::vector<std::string> lines;
  std::string line;
  while (lines.size() < most) {
    if (TakeLine(line)) {
      lines.push_back(std::move(line));
    } else if (ended_ || (!lines.empty() && !gzip_ && !zstd_ && !DataIsWaiting(file_, size_))) {
      break;
    } else {
      Fill();
    }
  }
  return lines;
}

void LineReader::Fill() {
  if (scanned_ > kLongestLine) Fail(name_ + " has a line over 64 MiB: is it text?");
  buffer_.erase(0, at_);
  at_ = 0;
  const size_t count = gzip_ ? ReadGzip() : zstd_ ? ReadZstd() : ReadInput();
  read_ += count;
  ended_ = count == 0;
}

// Each appends the next bytes to the buffer and returns their number, 0 at the end.
size_t LineReader::ReadGzip() {
  const std::vector<uint8_t> bytes = OrFail(gzip_->Read({read_, kChunk}));
  buffer_.append(bytes.begin(), bytes.end());
  return bytes.size();
}

size_t LineReader::ReadZstd() {
#ifdef __EMSCRIPTEN__
  return 0;  // Open has none
#else
  char chunk[kChunk];
  const size_t count = zstd_->Read(chunk, sizeof chunk);
  buffer_.append(chunk, count);
  return count;
#endif
}

size_t LineReader::ReadInput() {
  char chunk[kChunk];
  ptrdiff_t count;
  do count = read(file_, chunk, sizeof chunk);
  while (count < 0 && errno == EINTR);
  if (count < 0) Fail(name_ + " cannot be read: " + std::strerror(errno));
  buffer_.append(chunk, static_cast<size_t>(count));
  return static_cast<size_t>(count);
}

bool LineReader::TakeLine(std::string& line) {
  size_t end = buffer_.find('\n', at_ + scanned_);
  if (end == std::string::npos) {
    scanned_ = buffer_.size() - at_;
    if (!ended_ || at_ == buffer_.size()) return false;
    end = buffer_.size();
  }
  line.assign(buffer_, at_, end - at_);
  at_ = std::min(end + 1, buffer_.size());
  scanned_ = 0;
  return true;
}

}  // namespace qkv::cli
