#include "core/cli/byte_input.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/cli/command.h"

namespace qkv::cli {
uint64_t SizeOf(int file) {
  struct stat status{};
  return fstat(file, &status) == 0 && S_ISREG(status.st_mode) ? static_cast<uint64_t>(status.st_size) : 0;
}

PlainInput::PlainInput(int file, std::string name) : file_(file), name_(std::move(name)), size_(SizeOf(file)) {}

size_t PlainInput::Read(std::string& to) {
  char chunk[size_t{1} << 16];
  ptrdiff_t count;
  do count = read(file_, chunk, sizeof chunk);
  while (count < 0 && errno == EINTR);
  if (count < 0) Fail(name_ + " cannot be read: " + std::strerror(errno));
  to.append(chunk, static_cast<size_t>(count));
  read_ += static_cast<uint64_t>(count);
  return static_cast<size_t>(count);
}

bool PlainInput::Ready() {
  pollfd request{file_, POLLIN, 0};
  return size_ > 0 || poll(&request, 1, 0) > 0;
}

double PlainInput::Share() const {
  return size_ == 0 ? 0 : std::min(1.0, static_cast<double>(read_) / static_cast<double>(size_));
}

}  // namespace qkv::cli
