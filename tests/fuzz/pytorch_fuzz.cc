// Any bytes as pytorch_model.bin: an error or a model, never a crash, and no memory for data that is missing.
#include <algorithm>
#include <cstdint>

#include "core/io/pickle.h"
#include "core/io/pytorch.h"
#include "core/io/weight_loader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace qkv;
  (void)ReadPickle({data, size}, "data.pkl");
  Weight query, key;
  Vector bias;
  WeightSlots slots;
  slots.slots.push_back({{"w"}, 2, 3, &query, false});
  slots.slots.push_back({{"w"}, 1, 3, &key, false});
  for (size_t i = 0; i < 2; ++i) {  // two parts of one transposed tensor [3, 3]
    slots.slots[i].transposed = true;
    slots.slots[i].whole = 3;
    slots.slots[i].first = 2 * i;
  }
  slots.slots.push_back({{"b"}, 2, 1, &bias, true});
  WeightLoader loader(std::move(slots), {{"pytorch_model.bin", size}}, &OpenPytorch);
  for (ByteRange range = loader.Next(); range.length != 0; range = loader.Next()) {
    const size_t begin = std::min<uint64_t>(range.offset, size);
    if (!loader.Feed({data + begin, std::min<uint64_t>(range.length, size - begin)})) return 0;
  }
  return 0;
}
