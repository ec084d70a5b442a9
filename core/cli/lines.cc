#include "core/cli/lines.h"

#include <poll.h>
#include <unistd.h>

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

}  // namespace

std::vector<std::string> LineReader::Next(size_t most) {
  std::vector<std::string> lines;
  std::string line;
  while (lines.size() < most) {
    if (TakeLine(line)) {
      lines.push_back(std::move(line));
    } else if (ended_ || (!lines.empty() && !DataIsWaiting(file_))) {
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
  ssize_t count;
  do count = read(file_, chunk, sizeof chunk);
  while (count < 0 && errno == EINTR);
  if (count < 0) Fail(name_ + " cannot be read: " + std::strerror(errno));
  buffer_.append(chunk, static_cast<size_t>(count));
  ended_ = count == 0;
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
