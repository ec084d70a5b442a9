// Reads lines of standard input or of a file: many at once if they are waiting, one at a time if a person or a slow
// program writes them.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace qkv::cli {

class LineReader {
 public:
  // `name` is for the error if it cannot be read.
  explicit LineReader(int file, std::string name = "standard input") : file_(file), name_(std::move(name)) {}

  // At least one line, and up to `most` of those that have arrived; empty at the end of the input. The last line needs
  // no newline. A line over 64 MiB is an error: such a file is not text.
  std::vector<std::string> Next(size_t most);

 private:
  void Fill();
  bool TakeLine(std::string& line);

  int file_;
  std::string name_;
  std::string buffer_;
  size_t at_ = 0;       // the beginning of the next line
  size_t scanned_ = 0;  // there is no newline from at_ to here
  bool ended_ = false;
};

}  // namespace qkv::cli
