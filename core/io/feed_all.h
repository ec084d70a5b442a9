// Loading in two phases (core/io/weight_loader.h) when all bytes are in memory.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "core/base/error.h"
#include "core/io/safetensors.h"

namespace qkv {

// Feeds `reader`, which has Next and Feed, each range of `file` that it wants. If a range goes past the end, it gets
// the bytes that there are, and refuses them.
template <class Reader>
Result<void> FeedAll(Reader& reader, std::span<const uint8_t> file) {
  for (ByteRange range = reader.Next(); range.length != 0; range = reader.Next()) {
    const size_t begin = std::min<uint64_t>(range.offset, file.size());
    QKV_CHECK(reader.Feed(file.subspan(begin, std::min<uint64_t>(range.length, file.size() - begin))));
  }
  return {};
}

}  // namespace qkv
