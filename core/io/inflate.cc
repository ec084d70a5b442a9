#include "core/io/inflate.h"

#include <zlib.h>

namespace qkv {

bool Inflate(std::span<const uint8_t> deflated, std::span<uint8_t> to) {
  z_stream stream{};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;
  stream.next_in = const_cast<uint8_t*>(deflated.data());
  stream.avail_in = static_cast<uInt>(deflated.size());
  stream.next_out = to.data();
  stream.avail_out = static_cast<uInt>(to.size());
  const int code = inflate(&stream, Z_SYNC_FLUSH);
  const bool whole = stream.avail_out == 0 && (code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR);
  inflateEnd(&stream);
  return whole;
}

uint32_t Crc32(std::span<const uint8_t> bytes) { return static_cast<uint32_t>(crc32_z(0, bytes.data(), bytes.size())); }

}  // namespace qkv
