// Files compressed by zstd (RFC 8878), read and written piece by piece. Without libzstd, as in Node, there is an error
// that says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/cli/byte_output.h"

namespace qkv::cli {

inline bool IsZstd(std::string_view path) { return path.ends_with(".zst"); }
void CheckZstd(const std::string& name);  // fails if there is no libzstd

class ZstdInput {
 public:
  // Takes over the file. `name` is for errors.
  ZstdInput(int file, std::string name);
  ~ZstdInput();
  // At least one byte, up to `size`; 0 at the end. Fails if the data is damaged or ends too early.
  size_t Read(char* to, size_t size);
  uint64_t consumed() const { return consumed_; }  // compressed bytes

 private:
  struct State;
  [[maybe_unused]] int file_;  // not used if there is no libzstd
  std::string name_;
  uint64_t consumed_ = 0;
  std::unique_ptr<State> state_;
};

class ZstdOutput : public ByteOutput {
 public:
  ZstdOutput(int file, std::string name);
  ~ZstdOutput() override;
  void Write(std::string_view bytes) override;
  void Close() override;  // ends the frame too

 private:
  struct State;
  void Compress(std::string_view bytes, bool end);
  int file_;
  std::string name_;
  std::unique_ptr<State> state_;
};

}  // namespace qkv::cli
