// GzipFile for the command in Node. Node reads the file and its zlib unpacks it, so zlib is not compiled in.
#include "core/io/gzip_file.h"

#include <algorithm>
#include <cstdint>

// In wasm/command/files.js.
extern "C" {
int qkvOpenFile(const char* path, double most, char* reason, int size);
double qkvFileSize(int file);
void qkvCopyFile(int file, double offset, double length, uint8_t* to);
void qkvCloseFile(int file);
}

namespace qkv {
namespace {

// The most bytes that a compressed file may unpack to. A model of Marian's largest shapes has a tenth of it.
constexpr double kMost = 4.0 * (1 << 30);

// The handle is the file's number plus one, so that it is not null.
int Number(void* file) { return static_cast<int>(reinterpret_cast<intptr_t>(file)) - 1; }

}  // namespace

void GzipFile::Close::operator()(void* file) const { qkvCloseFile(Number(file)); }

Result<GzipFile> GzipFile::Open(const std::string& path) {
  char reason[256];
  const int file = qkvOpenFile(path.c_str(), kMost, reason, sizeof reason);
  if (file >= 0) return GzipFile(path, reinterpret_cast<void*>(static_cast<intptr_t>(file) + 1));
  return Error{ErrorCode::kMissingFile, std::string("cannot be read: ") + reason, path};
}

Result<std::vector<uint8_t>> GzipFile::Read(ByteRange range) {
  const uint64_t size = static_cast<uint64_t>(qkvFileSize(Number(file_.get())));
  const uint64_t begin = std::min(range.offset, size);
  const uint64_t length = std::min(range.length, size - begin);
  std::vector<uint8_t> bytes(length);
  qkvCopyFile(Number(file_.get()), static_cast<double>(begin), static_cast<double>(length), bytes.data());
  position_ = begin + length;
  return bytes;
}

Result<std::vector<uint8_t>> GzipFile::ReadAll(size_t most) {
  QKV_TRY(std::vector<uint8_t> bytes, Read({position_, most + 1}));
  if (bytes.size() <= most) return bytes;
  return Error{ErrorCode::kLimitExceeded, "it is over " + std::to_string(most >> 20) + " MiB", path_};
}

}  // namespace qkv
