// The bytes of standard input or of a file, as the reader of lines takes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace qkv::cli {

class ByteInput {
 public:
  ByteInput() = default;
  ByteInput(const ByteInput&) = delete;
  ByteInput& operator=(const ByteInput&) = delete;
  virtual ~ByteInput() = default;

  // Appends the next bytes to `to`, and waits for them if there are none yet. Returns their number, 0 at the end. Fails
  // if they cannot be read or unpacked.
  virtual size_t Read(std::string& to) = 0;
  // Whether Read would not wait.
  virtual bool Ready() { return true; }
  // How much of the input has been read, from 0 to 1; 0 if its size is not known, as that of a pipe.
  virtual double Share() const = 0;
};

std::unique_ptr<ByteInput> StandardInput();
// A file, plain or compressed by gzip, or by zstd if it is *.zst.
std::unique_ptr<ByteInput> OpenInput(const std::string& path);

// The bytes of an open file; 0 if it has no size, as a pipe.
uint64_t SizeOf(int file);

// An open file as it is. The caller closes it. `name` is for errors.
class PlainInput : public ByteInput {
 public:
  PlainInput(int file, std::string name);
  size_t Read(std::string& to) override;
  bool Ready() override;
  double Share() const override;

 private:
  int file_;
  std::string name_;
  uint64_t size_, read_ = 0;  // bytes; size 0: not known
};

}  // namespace qkv::cli
