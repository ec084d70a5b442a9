// A normalised text cut into pieces, as the unigram and the BPE algorithm give it.
#pragma once

#include <cstdint>

namespace qkv {

// From the end of the segment before (0 for the first) to `end`, in bytes of the normalised text.
struct Segment {
  int32_t id;
  uint32_t end;
};

}  // namespace qkv
