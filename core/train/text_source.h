// Text from a file, compressed or not, or from memory; and its lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/error.h"

namespace qkv {

class TextSource {
 public:
  virtual ~TextSource() = default;
  // Reads the next bytes of the text, at most `most`; returns 0 at its end. Errors: kInvalidFile, for instance an
  // archive that ends too early.
  virtual Result<size_t> Read(char* bytes, size_t most) = 0;
  // Goes to a byte of the (uncompressed) text; past its end there is nothing to read.
  virtual Result<void> Seek(uint64_t offset) = 0;
  // Its name in errors.
  virtual const std::string& name() const = 0;
};

std::unique_ptr<TextSource> TextInMemory(std::string text, std::string name);
// A file, plain or compressed by gzip, whatever its name. Native only, because it needs zlib. Errors: kMissingFile.
Result<std::unique_ptr<TextSource>> TextOfFile(const std::string& path);

// The lines of a text, without their end ("\n" or "\r\n"; the last one needs none).
class Lines {
 public:
  // The rest of a longer line is dropped, so an endless line takes no memory.
  static constexpr size_t kLongest = 16384;  // bytes

  explicit Lines(std::unique_ptr<TextSource> source);

  // Returns false at the end. Sets `cut` if the line was longer than kLongest. Errors: those of reading.
  Result<bool> Next(std::string* line, bool* cut);
  // Where the next line begins, in bytes of the text.
  uint64_t offset() const { return offset_; }
  Result<void> Seek(uint64_t offset);
  const std::string& name() const { return source_->name(); }

 private:
  // The bytes that were read but not used; reads more if there are none.
  Result<std::string_view> Rest();

  std::unique_ptr<TextSource> source_;
  std::unique_ptr<char[]> buffer_;
  size_t at_ = 0, filled_ = 0;
  uint64_t offset_ = 0;
};

}  // namespace qkv
