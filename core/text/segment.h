// A normalised text cut into pieces, as the unigram and the BPE algorithm give it.
#pragma once

#include <cstdint>

namespace qkv {

// A segment goes from the end of the segment before it (0 for the first) to `end`, in bytes of the normalised text.
struct Segment {
  int32_t id;
  uint32_t end;
};

}  // namespace qkv
