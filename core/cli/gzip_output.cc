// Natively. The command in Node has wasm/command/gzip_output.cc instead.
#include "core/cli/gzip_output.h"

#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/cli/command.h"

namespace qkv::cli {

struct GzipOutput::State {
  explicit State(int file) : stream(gzdopen(file, "wb")) {}
  State(const State&) = delete;
  ~State() { gzclose(stream); }
  gzFile stream;
};

GzipOutput::GzipOutput(int file, std::string name) : name_(std::move(name)), state_(std::make_unique<State>(file)) {}
GzipOutput::~GzipOutput() = default;

void GzipOutput::Write(std::string_view bytes) {
  if (bytes.empty() || gzwrite(state_->stream, bytes.data(), static_cast<unsigned>(bytes.size())) > 0) return;
  Fail(name_ + " cannot be written: " + std::strerror(errno));
}

void GzipOutput::Close() {
  if (gzflush(state_->stream, Z_FINISH) != Z_OK) Fail(name_ + " cannot be written: " + std::strerror(errno));
}

}  // namespace qkv::cli
