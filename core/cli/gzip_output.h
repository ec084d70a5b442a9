// Writes a file compressed by gzip.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace qkv::cli {

inline bool IsGzip(std::string_view path) { return path.ends_with(".gz"); }

class GzipOutput {
 public:
  // Takes over the file. `name` is for errors.
  GzipOutput(int file, std::string name);
  ~GzipOutput();
  void Write(std::string_view bytes);
  void Close();  // fails if the file cannot be written to its end

 private:
  struct State;
  std::string name_;
  std::unique_ptr<State> state_;
};

}  // namespace qkv::cli
