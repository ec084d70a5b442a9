// Reads lines of standard input or of a file: many at once if they are available, one at a time if a person or a slow
// program writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/cli/zstd_stream.h"
#include "core/io/gzip_file.h"

namespace qkv::cli {

class LineReader {
 public:
  // `name` is for the error if it cannot be read.
  explicit LineReader(int file, std::string name = "standard input");
  // Reads a file, plain or compressed by gzip, or by zstd if it is *.zst. Natively only.
  static LineReader Open(const std::string& path);

  // At least one line, and up to `most` of those that have arrived; empty at the end of the input. The last line needs
  // no newline. A line over 64 MiB is an error: such a file is not text.
  std::vector<std::string> Next(size_t most);

  // How much of the input the lines so far were, from 0 to 1; 0 if its size is not known, as that of a pipe.
  double Share() const;

 private:
  LineReader(GzipFile file, std::string name) : name_(std::move(name)), gzip_(std::move(file)) {}
  void Fill();
  size_t ReadInput();
  size_t ReadGzip();
  size_t ReadZstd();
  bool TakeLine(std::string& line);

  int file_ = -1;
  std::string name_;
  std::optional<GzipFile> gzip_;     // read instead of file_
  std::shared_ptr<ZstdInput> zstd_;  // the same
  uint64_t size_ = 0, read_ = 0;     // bytes of the file, 0: not known; those read
  std::string buffer_;
  size_t at_ = 0;       // the beginning of the next line
  size_t scanned_ = 0;  // there is no newline from at_ to here
  bool ended_ = false;
};

}  // namespace qkv::cli
