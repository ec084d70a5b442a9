// A whole file, mapped for reading. Pages that are not read take no memory.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/error.h"

namespace qkv {

class MappedFile {
 public:
  // A missing file is an error, or empty if it is `optional`.
  static Result<MappedFile> Open(const std::string& folder, const std::string& name, bool optional = false) {
    const std::string path = folder + "/" + name;
    // opening a pipe does not wait for a writer
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) {
      if (optional && errno == ENOENT) return MappedFile();
      return Error{ErrorCode::kMissingFile, std::string("cannot be read: ") + std::strerror(errno), path};
    }
    MappedFile mapped;
    struct stat status{};
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) mapped.size_ = static_cast<size_t>(status.st_size);
    void* data = mapped.size_ == 0 ? MAP_FAILED : mmap(nullptr, mapped.size_, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (data == MAP_FAILED) {
      mapped.size_ = 0;
      return Error{ErrorCode::kInvalidFile, "it is empty or not a regular file", path};
    }
    mapped.data_ = static_cast<const uint8_t*>(data);
    return mapped;
  }

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~MappedFile() {
    if (data_ != nullptr) munmap(const_cast<uint8_t*>(data_), size_);
  }

  std::span<const uint8_t> bytes() const { return {data_, size_}; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

 private:
  const uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace qkv
