// Unpacks deflated bytes without a header of zlib or gzip, as a zip has them. Natively by zlib, in Node by Node's own.
#pragma once

#include <cstdint>
#include <span>

namespace qkv {

// Unpacks the first bytes, until `to` is full. Returns false if the data is damaged or too short.
bool Inflate(std::span<const uint8_t> deflated, std::span<uint8_t> to);

// The CRC-32 of zip and gzip.
uint32_t Crc32(std::span<const uint8_t> bytes);

}  // namespace qkv
