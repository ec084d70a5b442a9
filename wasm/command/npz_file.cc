// The command in Node does not read .npz files, which need zlib: it says so.
#include "core/io/npz_file.h"

namespace qkv {

Result<NpzFile> NpzFile::Open(const std::string& folder, const std::string& name) {
  return Error{ErrorCode::kUnsupported, "the native command reads .npz files, this one does not", folder + "/" + name};
}

Result<std::vector<uint8_t>> NpzFile::Read(ByteRange) { return std::vector<uint8_t>(); }

}  // namespace qkv
