// Where a filter writes its lines: standard output, or a file that an interrupted run may continue.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/cli/byte_output.h"

namespace qkv::cli {

class LineOutput {
 public:
  LineOutput();  // standard output
  // A file. If its name ends in ".gz" it is compressed by gzip, in ".zst" by zstd. Fails if it exists, or if another
  // process writes it.
  static LineOutput Create(const std::string& path);
  // Continues a plain file, which may be missing. Fails if another process writes it. CutRest removes a last line
  // without its end.
  static LineOutput Continue(const std::string& path);
  void CutRest();

  // For a file that is continued: the number of its lines, and the last ones.
  size_t lines() const { return lines_; }
  const std::vector<std::string>& last() const { return last_; }

  void Write(std::string_view line);  // adds the line's end
  void Flush();
  void Close();  // fails if the file cannot be written to its end

 private:
  explicit LineOutput(std::string path) : path_(std::move(path)) {}
  void Lock(int file) const;
  void CountLines(int file);

  std::string path_;
  std::unique_ptr<ByteOutput> output_;
  int file_ = -1;       // of a file that is continued
  int64_t whole_ = -1;  // the bytes of its whole lines
  size_t lines_ = 0;
  std::vector<std::string> last_;
};

}  // namespace qkv::cli
