// Where a command writes bytes: standard output, a file, or a file that is compressed.
#pragma once

#include <string_view>

namespace qkv::cli {

class ByteOutput {
 public:
  ByteOutput() = default;
  ByteOutput(const ByteOutput&) = delete;
  ByteOutput& operator=(const ByteOutput&) = delete;
  virtual ~ByteOutput() = default;

  virtual void Write(std::string_view bytes) = 0;
  // Writes what was kept back so far. A compressed file keeps its bytes, because a flush would make it larger.
  virtual void Flush() {}
  // Writes all that is left. Fails if it cannot be written to its end.
  virtual void Close() = 0;
};

}  // namespace qkv::cli
