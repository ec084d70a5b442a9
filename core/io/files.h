// Whole files, in and out. Native.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/io/byte_sink.h"

namespace qkv {

// The content of a regular file. Errors: kMissingFile where it cannot be opened; kInvalidFile where it is a folder, a
// device or a pipe, or reading fails; kLimitExceeded past `most` bytes.
Result<std::string> ReadWholeFile(const std::string& path, size_t most);

// The one writer of files. What has the name `path` is whole at any time: the bytes go into `path`.part, which Commit
// brings to the disk and renames. What is not committed is removed. One process at a time may write a `path`. A device
// or a pipe of that name is written directly. Errors: kInvalidFile with the system's reason.
class WholeFile {
 public:
  static Result<WholeFile> Create(const std::string& path);
  WholeFile(WholeFile&& other) noexcept;
  WholeFile& operator=(WholeFile&&) = delete;
  ~WholeFile();

  // Where the bytes are until Commit; empty where `path` is written directly.
  const std::string& part() const { return part_; }

  // Bytes are kept until there are many, or Flush. After an error every call returns it.
  Result<void> Write(std::string_view bytes);
  Result<void> Flush();
  Result<void> Commit();

 private:
  WholeFile(int file, std::string path, std::string part)
      : file_(file), path_(std::move(path)), part_(std::move(part)) {}
  Error CannotWrite(int reason);

  int file_;
  std::string path_, part_;  // no part where `path` is written directly
  std::string buffer_;
  int failed_ = 0;  // the system's number of the first error
};

// Everything that `write` gives to the sink.
Result<void> WriteWholeFile(const std::string& path, const std::function<void(const ByteSink&)>& write);
Result<void> WriteWholeFile(const std::string& path, std::string_view content);
Result<void> CopyWholeFile(const std::string& from, const std::string& to);

}  // namespace qkv
