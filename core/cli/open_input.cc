// Standard input and files, natively. The command in Node has wasm/command/open_input.cc instead.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "core/cli/byte_input.h"
#include "core/cli/command.h"
#include "core/cli/zstd_stream.h"
#include "core/io/gzip_file.h"

namespace qkv::cli {
namespace {

constexpr size_t kChunk = size_t{1} << 16;

// A file that is plain or compressed by gzip.
class GzipInput : public ByteInput {
 public:
  explicit GzipInput(GzipFile file) : file_(std::move(file)) {}
  size_t Read(std::string& to) override {
    const std::vector<uint8_t> bytes = OrFail(file_.Read({read_, kChunk}));
    to.append(bytes.begin(), bytes.end());
    read_ += bytes.size();
    return bytes.size();
  }
  double Share() const override { return file_.Share(); }

 private:
  GzipFile file_;
  uint64_t read_ = 0;
};

class ZstdFile : public ByteInput {
 public:
  ZstdFile(int file, const std::string& path) : input_(file, path), size_(static_cast<double>(SizeOf(file))) {}
  size_t Read(std::string& to) override {
    char chunk[kChunk];
    const size_t count = input_.Read(chunk, sizeof chunk);
    to.append(chunk, count);
    return count;
  }
  double Share() const override {
    return size_ == 0 ? 0 : std::min(1.0, static_cast<double>(input_.consumed()) / size_);
  }

 private:
  ZstdInput input_;
  double size_;  // bytes, 0: not known
};

}  // namespace

std::unique_ptr<ByteInput> StandardInput() { return std::make_unique<PlainInput>(STDIN_FILENO, "standard input"); }

std::unique_ptr<ByteInput> OpenInput(const std::string& path) {
  if (!IsZstd(path)) return std::make_unique<GzipInput>(OrFail(GzipFile::Open(path)));
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) Fail(path + " cannot be read: " + std::strerror(errno));
  return std::make_unique<ZstdFile>(file, path);
}

}  // namespace qkv::cli
