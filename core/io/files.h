// Reads and writes whole files. Native.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/io/byte_sink.h"

namespace qkv {

// The content of a regular file. Errors: kMissingFile if it cannot be opened; kInvalidFile if it is a folder, a device
// or a pipe, or if reading fails; kLimitExceeded past `most` bytes.
Result<std::string> ReadWholeFile(const std::string& path, size_t most);

// All files are written by this class. The file `path` is complete at any time: bytes go to `path`.part, which Commit
// writes to the disk and renames. Without Commit the part is removed. Only one process at a time can write a `path`. A
// device or a pipe is written directly. Errors: kInvalidFile with the system's reason.
class WholeFile {
 public:
  static Result<WholeFile> Create(const std::string& path);
  WholeFile(WholeFile&& other) noexcept;
  WholeFile& operator=(WholeFile&&) = delete;
  ~WholeFile();

  // The file that has the bytes until Commit; empty if `path` is written directly.
  const std::string& part() const { return part_; }

  // Bytes are buffered until Flush. After an error every call returns that error.
  Result<void> Write(std::string_view bytes);
  Result<void> Flush();
  Result<void> Commit();

 private:
  WholeFile(int file, std::string path, std::string part)
      : file_(file), path_(std::move(path)), part_(std::move(part)) {}
  Error CannotWrite(int reason);

  int file_;
  std::string path_, part_;  // the part is empty if `path` is written directly
  std::string buffer_;
  int failed_ = 0;  // errno of the first error
};

// Writes everything that `write` gives to the sink.
Result<void> WriteWholeFile(const std::string& path, const std::function<void(const ByteSink&)>& write);
Result<void> WriteWholeFile(const std::string& path, std::string_view content);
Result<void> CopyWholeFile(const std::string& from, const std::string& to);

}  // namespace qkv
