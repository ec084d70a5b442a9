// GzipOutput for the command in Node: by Node's zlib, which compresses whole blocks of memory while WebAssembly runs.
// So the file is a sequence of gzip members, as RFC 1952 has them, each of a megabyte of text.
#include "core/cli/gzip_output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/cli/command.h"

// In wasm/command/files.js. The caller frees the result.
extern "C" char* qkvGzip(const char* bytes, size_t length, size_t* size);

namespace qkv::cli {

struct GzipOutput::State {
  explicit State(int opened) : file(opened) {}
  State(const State&) = delete;
  // What was written before a failure is in the file, as natively.
  ~State() {
    (void)WriteMember();
    close(file);
  }

  // Writes the text so far as a member, also an empty one if the file has none. Returns whether it could be written.
  bool WriteMember() {
    if (text.empty() && !empty) return true;
    size_t size = 0;
    const std::unique_ptr<char, decltype(&std::free)> member(qkvGzip(text.data(), text.size(), &size), &std::free);
    text.clear();
    empty = false;
    for (size_t at = 0; at < size;) {
      const ssize_t count = write(file, member.get() + at, size - at);
      if (count < 0) return false;
      at += static_cast<size_t>(count);
    }
    return true;
  }

  int file;
  std::string text;
  bool empty = true;
};

namespace {
constexpr size_t kMember = size_t{1} << 20;
}

GzipOutput::GzipOutput(int file, std::string name) : name_(std::move(name)), state_(std::make_unique<State>(file)) {}
GzipOutput::~GzipOutput() = default;

void GzipOutput::Write(std::string_view bytes) {
  state_->text += bytes;
  if (state_->text.size() >= kMember) Close();
}

void GzipOutput::Close() {
  if (!state_->WriteMember()) Fail(name_ + " cannot be written: " + std::strerror(errno));
}

}  // namespace qkv::cli
