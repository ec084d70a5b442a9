// Inflate and Crc32 for the command in Node. They use Node's zlib, so zlib is not compiled in.
#include "core/io/inflate.h"

// In wasm/command/files.js.
extern "C" {
int qkvInflate(const uint8_t* deflated, double length, uint8_t* to, double size);
uint32_t qkvCrc32(const uint8_t* bytes, double length);
}

namespace qkv {

bool Inflate(std::span<const uint8_t> deflated, std::span<uint8_t> to) {
  return qkvInflate(deflated.data(), static_cast<double>(deflated.size()), to.data(), static_cast<double>(to.size())) !=
         0;
}

uint32_t Crc32(std::span<const uint8_t> bytes) { return qkvCrc32(bytes.data(), static_cast<double>(bytes.size())); }

}  // namespace qkv
