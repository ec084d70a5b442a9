#include "core/io/gzip_file.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace qkv {
namespace {

constexpr unsigned kBuffer = 1 << 17;
constexpr size_t kPart = size_t{1} << 20;

gzFile Handle(void* file) { return static_cast<gzFile>(file); }

}  // namespace

void GzipFile::Close::operator()(void* file) const { gzclose(Handle(file)); }

Result<GzipFile> GzipFile::Open(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) {
    return Error{ErrorCode::kMissingFile, std::string("cannot be read: ") + std::strerror(errno), path};
  }
  gzbuffer(file, kBuffer);
  return GzipFile(path, file);
}

// Reads in parts, so that a range takes no memory before its bytes are there.
Result<std::vector<uint8_t>> GzipFile::Read(ByteRange range) {
  std::vector<uint8_t> bytes;
  const auto read = [&](size_t size) {
    const size_t at = bytes.size();
    bytes.resize(at + size);
    const int got = gzread(Handle(file_.get()), bytes.data() + at, static_cast<unsigned>(size));
    bytes.resize(at + static_cast<size_t>(std::max(got, 0)));
    position_ += bytes.size() - at;
    return bytes.size() - at == size;
  };
  bool more = true;
  while (more && position_ < range.offset) {
    more = read(std::min<uint64_t>(range.offset - position_, kPart));
    bytes.clear();
  }
  while (more && bytes.size() < range.length) more = read(std::min<uint64_t>(range.length - bytes.size(), kPart));
  int code = Z_OK;
  const char* const message = gzerror(Handle(file_.get()), &code);
  if (code == Z_OK || code == Z_STREAM_END) return bytes;
  const char* const what = code == Z_ERRNO ? "cannot be read: " : "the gzip data is damaged: ";
  return Error{ErrorCode::kInvalidFile, std::string(what) + message, path_};
}

double GzipFile::Share() const {
  std::error_code unknown;
  const uintmax_t size = std::filesystem::file_size(path_, unknown);
  const z_off_t read = gzoffset(Handle(file_.get()));
  if (unknown || size == 0 || read <= 0) return 0;
  return std::min(1.0, static_cast<double>(read) / static_cast<double>(size));
}

Result<std::vector<uint8_t>> GzipFile::ReadAll(size_t most) {
  QKV_TRY(std::vector<uint8_t> bytes, Read({position_, most + 1}));
  if (bytes.size() <= most) return bytes;
  return Error{ErrorCode::kLimitExceeded, "it is over " + std::to_string(most >> 20) + " MiB", path_};
}

}  // namespace qkv
