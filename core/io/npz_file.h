// A model of Marian's in NumPy's .npz, as OPUS-MT publishes them: a zip whose members NAME.npy are the tensors, stored
// or deflated. It is read as the binary file that Marian writes of the same tensors (core/io/marian_file.h), so that
// one reader serves both. Native.
#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/io/mapped_file.h"
#include "core/io/tensor_directory.h"

namespace qkv {

class NpzFile {
 public:
  // Reads the zip's list and the head of each member: of at most 4096 members, float32 or bytes, none of which claims
  // more bytes than deflate can make of what it has. Errors: kMissingFile; kInvalidFile; kUnsupported for members of
  // another type or packed otherwise, and for zip64; kLimitExceeded.
  static Result<NpzFile> Open(const std::string& folder, const std::string& name);

  // Bytes of the binary file that this would be; past its end what there is. A member is unpacked as a whole, and stays
  // until another one is asked for. Errors: kInvalidFile where it is damaged.
  Result<std::vector<uint8_t>> Read(ByteRange range);

 private:
  struct Member {
    std::string name;  // without .npy
    bool deflated = false;
    uint64_t at = 0, packed = 0, size = 0;  // of its data in the zip; bytes there; bytes unpacked
    uint32_t checksum = 0;                  // CRC-32 of what is unpacked
    uint64_t type = 0;                      // as Marian's binary file counts types
    std::vector<int32_t> shape;
    uint64_t head = 0;   // bytes of the .npy before its numbers
    uint64_t begin = 0;  // of its numbers in the binary file
  };

  Error Invalid(const std::string& member, std::string message) const;
  Result<void> ReadList();
  Result<void> FindData(Member& member) const;
  Result<std::vector<uint8_t>> Unpack(const Member& member, uint64_t most) const;
  Result<void> ReadHead(Member& member, std::span<const uint8_t> begin) const;
  void MakeHeader();

  std::string path_;
  MappedFile zip_;
  std::vector<Member> members_;
  std::vector<uint8_t> header_;
  size_t unpacked_ = SIZE_MAX;  // the member that `content_` is
  std::vector<uint8_t> content_;
};

}  // namespace qkv
