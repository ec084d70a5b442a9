// A model of Marian's as NumPy's .npz, in which OPUS-MT publishes models: a zip whose members NAME.npy are the tensors,
// stored or deflated. This class shows it as the binary file that Marian writes for the same tensors
// (core/io/marian_file.h), so one reader serves both. Native, and for the command in Node.
#pragma once

#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/io/mapped_file.h"
#include "core/io/tensor_directory.h"

namespace qkv {

class NpzFile {
 public:
  // Reads the zip's list and the header of each member: at most 4096 members, of type float32 or bytes. A member must
  // not claim more bytes than deflate can make of its data. Errors: kMissingFile; kInvalidFile; kUnsupported for other
  // types or compressions, and for zip64; kLimitExceeded.
  static Result<NpzFile> Open(const std::string& folder, const std::string& name);

  // Bytes of the equivalent binary file. Past its end it returns the bytes that there are. A member is unpacked as a
  // whole, and kept until another one is read. Errors: kInvalidFile if it is damaged.
  Result<std::vector<uint8_t>> Read(ByteRange range);

 private:
  struct Member {
    std::string name;  // without .npy
    bool deflated = false;
    uint64_t at = 0, packed = 0, size = 0;  // offset of its data in the zip; bytes there; bytes unpacked
    uint32_t checksum = 0;                  // CRC-32 of the unpacked bytes
    uint64_t type = 0;                      // the type's number in Marian's binary file
    std::vector<int32_t> shape;
    uint64_t head = 0;   // bytes of the .npy's header
    uint64_t begin = 0;  // offset of its numbers in the binary file
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
  size_t unpacked_ = SIZE_MAX;  // the member that `content_` belongs to
  std::vector<uint8_t> content_;
};

}  // namespace qkv
