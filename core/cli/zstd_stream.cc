#include "core/cli/zstd_stream.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "core/cli/command.h"

#ifdef QKV_ZSTD
#include <zstd.h>

namespace qkv::cli {

void CheckZstd(const std::string&) {}

struct ZstdInput::State {
  ZSTD_DStream* stream = ZSTD_createDStream();
  std::vector<char> bytes = std::vector<char>(ZSTD_DStreamInSize());
  ZSTD_inBuffer in = {bytes.data(), 0, 0};
  bool inside = false;  // a frame
  State() = default;
  State(const State&) = delete;
  ~State() { ZSTD_freeDStream(stream); }
};

ZstdInput::ZstdInput(int file, std::string name)
    : file_(file), name_(std::move(name)), state_(std::make_unique<State>()) {}
ZstdInput::~ZstdInput() { close(file_); }

size_t ZstdInput::Read(char* to, size_t size) {
  for (ZSTD_outBuffer out = {to, size, 0};;) {
    // The stream may have bytes left when the file has none.
    if (state_->inside || state_->in.pos < state_->in.size) {
      const size_t left = ZSTD_decompressStream(state_->stream, &out, &state_->in);
      if (ZSTD_isError(left) != 0) Fail(name_ + " cannot be read: " + ZSTD_getErrorName(left));
      state_->inside = left != 0;
    }
    if (out.pos > 0) return out.pos;
    if (state_->in.pos < state_->in.size) continue;
    ssize_t count = 0;
    do count = read(file_, state_->bytes.data(), state_->bytes.size());
    while (count < 0 && errno == EINTR);
    if (count < 0) Fail(name_ + " cannot be read: " + std::strerror(errno));
    if (count == 0 && state_->inside) Fail(name_ + " cannot be read: it ends too early");
    if (count == 0) return 0;
    consumed_ += static_cast<uint64_t>(count);
    state_->in = {state_->bytes.data(), static_cast<size_t>(count), 0};
  }
}

struct ZstdOutput::State {
  ZSTD_CStream* stream = ZSTD_createCStream();
  std::vector<char> bytes = std::vector<char>(ZSTD_CStreamOutSize());
  State() = default;
  State(const State&) = delete;
  ~State() { ZSTD_freeCStream(stream); }
};

ZstdOutput::ZstdOutput(int file, std::string name)
    : file_(file), name_(std::move(name)), state_(std::make_unique<State>()) {}
ZstdOutput::~ZstdOutput() { close(file_); }

void ZstdOutput::Write(std::string_view bytes) { Compress(bytes, false); }
void ZstdOutput::Close() { Compress({}, true); }

void ZstdOutput::Compress(std::string_view bytes, bool end) {
  ZSTD_inBuffer in = {bytes.data(), bytes.size(), 0};
  for (size_t left = 1; in.pos < in.size || (end && left != 0);) {
    ZSTD_outBuffer out = {state_->bytes.data(), state_->bytes.size(), 0};
    left = ZSTD_compressStream2(state_->stream, &out, &in, end ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(left) != 0) Fail(name_ + " cannot be written: " + ZSTD_getErrorName(left));
    for (size_t at = 0; at < out.pos;) {
      const ssize_t count = write(file_, state_->bytes.data() + at, out.pos - at);
      if (count < 0 && errno != EINTR) Fail(name_ + " cannot be written: " + std::strerror(errno));
      if (count > 0) at += static_cast<size_t>(count);
    }
  }
}

}  // namespace qkv::cli

#else

namespace qkv::cli {

struct ZstdInput::State {};
struct ZstdOutput::State {};

void CheckZstd(const std::string& name) {
#ifdef __EMSCRIPTEN__
  Fail(name + ": the command in Node has no zstd: compress by gzip, or use the native command");
#else
  Fail(name + ": qkv was built without zstd: install libzstd-dev and build it again, or compress by gzip");
#endif
}

ZstdInput::ZstdInput(int file, std::string name) : file_(file), name_(std::move(name)) { CheckZstd(name_); }
ZstdInput::~ZstdInput() = default;
size_t ZstdInput::Read(char*, size_t) { return 0; }
ZstdOutput::ZstdOutput(int file, std::string name) : file_(file), name_(std::move(name)) { CheckZstd(name_); }
ZstdOutput::~ZstdOutput() = default;
void ZstdOutput::Write(std::string_view) {}
void ZstdOutput::Close() {}

}  // namespace qkv::cli

#endif
