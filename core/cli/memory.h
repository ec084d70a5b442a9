// Keeps the memory of a command that runs for hours constant.
#pragma once

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace qkv::cli {

// Makes malloc return large blocks to the system when a batch frees them. By default glibc soon serves such blocks from
// its heap, which becomes fragmented: after a hundred thousand lines the process held a third more memory than after a
// thousand. To be called once, before anything else.
inline void ReturnLargeMemory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
#endif
}

// Returns the free part of the heap to the system. It takes some milliseconds, so call it rarely.
inline void ReturnMemory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace qkv::cli
