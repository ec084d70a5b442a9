// Any bytes as model.safetensors: an error or a model, never a crash, and no memory for data that is missing.
#include <algorithm>
#include <cstdint>

#include "core/io/safetensors.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace qkv;
  Weight matrix;
  Vector vector;
  WeightSlots slots;
  slots.slots.push_back({{"a", "alias"}, 2, 3, &matrix, false});
  slots.slots.push_back({{"b"}, 2, 1, &vector, true});
  slots.ignored = {"positions"};
  SafetensorsReader reader(std::move(slots), size % 2 == 0 ? size : 0);  // with and without a known size
  for (ByteRange range = reader.Next(); range.length != 0; range = reader.Next()) {
    const size_t begin = std::min<uint64_t>(range.offset, size);
    if (!reader.Feed({data + begin, std::min<uint64_t>(range.length, size - begin)})) return 0;
  }
  if (reader.parameters() != 6 && reader.parameters() != 8) __builtin_trap();
  return 0;
}
