#include "core/cli/lines.h"

#include <unistd.h>

#include <algorithm>

#include "core/cli/command.h"

namespace qkv::cli {
namespace {

constexpr size_t kLongestLine = size_t{64} << 20;

std::unique_ptr<ByteInput> InputOf(int file, const std::string& name) {
  if (file == STDIN_FILENO) return StandardInput();
  return std::make_unique<PlainInput>(file, name);
}

}  // namespace

LineReader::LineReader(int file, std::string name) : input_(InputOf(file, name)), name_(std::move(name)) {}

double LineReader::Share() const {
  if (read_ == 0) return 0;
  // Of what has been read, the lines that were taken.
  const double taken = 1 - static_cast<double>(buffer_.size() - at_) / static_cast<double>(read_);
  return input_->Share() * taken;
}

std::vector<std::string> LineReader::Next(size_t most) {
  std::vector<std::string> lines;
  std::string line;
  while (lines.size() < most) {
    if (TakeLine(line)) {
      lines.push_back(std::move(line));
    } else if (ended_ || (!lines.empty() && !input_->Ready())) {
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
  const size_t count = input_->Read(buffer_);
  read_ += count;
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
