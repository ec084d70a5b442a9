// Writes a file compressed by gzip.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/cli/byte_output.h"

namespace qkv::cli {

inline bool IsGzip(std::string_view path) { return path.ends_with(".gz"); }

class GzipOutput : public ByteOutput {
 public:
  // Takes over the file. `name` is for errors.
  GzipOutput(int file, std::string name);
  ~GzipOutput() override;
  void Write(std::string_view bytes) override;
  void Close() override;

 private:
  struct State;
  std::string name_;
  std::unique_ptr<State> state_;
};

}  // namespace qkv::cli
