// Reads a file from beginning to end, plain or compressed by gzip, whatever its name. Native.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/io/tensor_directory.h"

namespace qkv {

class GzipFile {
 public:
  // Errors: kMissingFile.
  static Result<GzipFile> Open(const std::string& path);

  // The bytes of a range that begins at or after the end of the last one. Past the end of the file it returns the bytes
  // that there are. Errors: kInvalidFile if the compressed data is damaged, or with the system's reason.
  Result<std::vector<uint8_t>> Read(ByteRange range);
  // The whole file, at most `most` bytes. Errors: kLimitExceeded, and those of Read.
  Result<std::vector<uint8_t>> ReadAll(size_t most);

  // How much of the file has been read, from 0 to 1, by its compressed bytes; 0 if its size is not known, as that of a
  // pipe.
  double Share() const;

 private:
  struct Close {
    void operator()(void* file) const;
  };
  GzipFile(std::string path, void* file) : path_(std::move(path)), file_(file) {}
  std::string path_;
  std::unique_ptr<void, Close> file_;
  uint64_t position_ = 0;  // in the content
};

}  // namespace qkv
