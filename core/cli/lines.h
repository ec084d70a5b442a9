// Lines of standard input as a filter wants them: many at once where they are waiting, one at a time where a person or
// a slow program writes them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace qkv::cli {

class LineReader {
 public:
  explicit LineReader(int file) : file_(file) {}

  // At least one line, and up to `most` of those that have come already; empty at the end of the input. The last line
  // needs no newline.
  std::vector<std::string> Next(size_t most);

 private:
  void Fill();
  bool TakeLine(std::string& line);

  int file_;
  std::string buffer_;
  size_t at_ = 0;
  bool ended_ = false;
};

}  // namespace qkv::cli
