// Reads lines of standard input or of a file: many at once if they are available, one at a time if a person or a slow
// program writes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/cli/byte_input.h"

namespace qkv::cli {

class LineReader {
 public:
  // `name` is for the error if it cannot be read.
  explicit LineReader(int file, std::string name = "standard input");
  // Reads a file, plain or compressed by gzip, or by zstd if it is *.zst.
  static LineReader Open(const std::string& path) { return {OpenInput(path), path}; }

  // At least one line, and up to `most` of those that have arrived; empty at the end of the input. The last line needs
  // no newline. A line over 64 MiB is an error: such a file is not text.
  std::vector<std::string> Next(size_t most);

  // How much of the input the lines so far were, from 0 to 1; 0 if its size is not known, as that of a pipe.
  double Share() const;

 private:
  LineReader(std::unique_ptr<ByteInput> input, std::string name) : input_(std::move(input)), name_(std::move(name)) {}
  void Fill();
  bool TakeLine(std::string& line);

  std::unique_ptr<ByteInput> input_;
  std::string name_;
  uint64_t read_ = 0;  // bytes
  std::string buffer_;
  size_t at_ = 0;       // the beginning of the next line
  size_t scanned_ = 0;  // there is no newline from at_ to here
  bool ended_ = false;
};

}  // namespace qkv::cli
