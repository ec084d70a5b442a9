#include "core/cli/lines.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef __EMSCRIPTEN__
#include <zlib.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/cli/command.h"

namespace qkv::cli {
namespace {

constexpr size_t kLongestLine = size_t{64} << 20;

// Whether reading `file` would not wait. Node cannot tell: there a batch is what one read returned.
bool DataIsWaiting([[maybe_unused]] int file) {
#ifdef __EMSCRIPTEN__
  return false;
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
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) Fail(path + " cannot be read: " + std::strerror(errno));
  LineReader reader(file, path);
#ifndef __EMSCRIPTEN__
  gzFile gzip = gzdopen(file, "rb");  // it closes the file, and reads plain files as they are
  if (gzip == nullptr) Fail(path + " cannot be read: there is not enough memory");
  reader.gzip_ = std::shared_ptr<void>(gzip, [](void* open) { gzclose(static_cast<gzFile>(open)); });
#endif
  return reader;
}

double LineReader::Share() const {
  if (size_ == 0) return 0;
  uint64_t read = read_;
#ifndef __EMSCRIPTEN__
  if (gzip_) read = static_cast<uint64_t>(std::max<z_off_t>(0, gzoffset(static_cast<gzFile>(gzip_.get()))));
#endif
  return std::min(1.0, static_cast<double>(read) / static_cast<double>(size_));
}

std::vector<std::string> LineReader::Next(size_t most) {
  std::vector<std::string> lines;
  std::string line;
  while (lines.size() < most) {
    if (TakeLine(line)) {
      lines.push_back(std::move(line));
    } else if (ended_ || (!lines.empty() && !gzip_ && !DataIsWaiting(file_))) {
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
  char chunk[1 << 16];
  const ptrdiff_t count = Read(chunk, sizeof chunk);
  buffer_.append(chunk, static_cast<size_t>(count));
  read_ += static_cast<size_t>(count);
  ended_ = count == 0;
}

ptrdiff_t LineReader::Read(char* to, size_t size) {
#ifndef __EMSCRIPTEN__
  if (gzip_) {
    gzFile gzip = static_cast<gzFile>(gzip_.get());
    const int count = gzread(gzip, to, static_cast<unsigned>(size));
    int code = Z_OK;
    const char* const message = gzerror(gzip, &code);
    // A file that ends too early gives Z_BUF_ERROR with its last bytes.
    if (count < 0 || code == Z_BUF_ERROR) Fail(name_ + " cannot be read: " + message);
    return count;
  }
#endif
  ptrdiff_t count;
  do count = read(file_, to, size);
  while (count < 0 && errno == EINTR);
  if (count < 0) Fail(name_ + " cannot be read: " + std::strerror(errno));
  return count;
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
