// Lines of standard input, or of a file, as a filter wants them: many at once where they are waiting, one at a time
// where a person or a slow program writes them.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace qkv::cli {

class LineReader {
 public:
  // `name` is said when it cannot be read.
  explicit LineReader(int file, std::string name = "standard input") : file_(file), name_(std::move(name)) {}

  // At least one line, and up to `most` of those that have come already; empty at the end of the input. The last line
  // needs no newline. A line over 64 MiB ends the command: what has no lines is no text.
  std::vector<std::string> Next(size_t most);

 private:
  void Fill();
  bool TakeLine(std::string& line);

  int file_;
  std::string name_;
  std::string buffer_;
  size_t at_ = 0;       // where the next line begins
  size_t scanned_ = 0;  // as far as here from at_ there is no end of a line
  bool ended_ = false;
};

}  // namespace qkv::cli
