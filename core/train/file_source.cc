// Reads files by zlib, which also reads plain ones. This is the only file of core/train that needs zlib.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "core/train/text_source.h"

namespace qkv {
namespace {

class FileSource : public TextSource {
 public:
  FileSource(gzFile file, std::string path) : file_(file), path_(std::move(path)) { gzbuffer(file_, 1 << 17); }
  ~FileSource() override { gzclose_r(file_); }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  Result<size_t> Read(char* bytes, size_t most) override {
    const int count = gzread(file_, bytes, static_cast<unsigned>(std::min<size_t>(most, 1u << 30)));
    int code = Z_OK;
    const char* message = gzerror(file_, &code);
    if (count > 0) return static_cast<size_t>(count);
    if (code == Z_OK || code == Z_STREAM_END) return size_t{0};
    const std::string why = code == Z_ERRNO       ? std::strerror(errno)
                            : code == Z_BUF_ERROR ? "the compressed file ends too early"
                                                  : message;
    return Error{ErrorCode::kInvalidFile, "it cannot be read: " + why, path_};
  }

  // For an offset before the last byte read, a compressed file is read from its beginning.
  Result<void> Seek(uint64_t offset) override {
    if (offset <= static_cast<uint64_t>(INT64_MAX) && gzseek(file_, static_cast<z_off_t>(offset), SEEK_SET) >= 0) {
      return {};
    }
    return Error{ErrorCode::kInvalidFile, "it cannot be read from byte " + std::to_string(offset) + " on", path_};
  }

  const std::string& name() const override { return path_; }

 private:
  gzFile file_;
  std::string path_;
};

}  // namespace

Result<std::unique_ptr<TextSource>> TextOfFile(const std::string& path) {
  const int descriptor =
      open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // opening a pipe must not wait for its writer
  if (descriptor < 0) {
    return Error{ErrorCode::kMissingFile, std::string("it cannot be read: ") + std::strerror(errno), path};
  }
  struct stat status{};
  if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode)) {
    close(descriptor);
    return Error{ErrorCode::kInvalidFile, "it is not a regular file: training reads it more than once", path};
  }
  const gzFile file = gzdopen(descriptor, "rb");
  if (file == nullptr) {
    close(descriptor);
    return Error{ErrorCode::kLimitExceeded, "there is not enough memory to read it", path};
  }
  return std::unique_ptr<TextSource>(std::make_unique<FileSource>(file, path));
}

}  // namespace qkv
