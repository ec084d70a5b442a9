// What a command that runs for hours does so that it holds no more memory at its end than at its beginning.
#pragma once

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace qkv::cli {

// What a batch takes in large pieces goes back to the system when the batch is done. glibc by itself soon serves such
// pieces from its heap, which then falls apart: a hundred thousand lines held a third more memory than the first
// thousand. Once, before anything else.
inline void ReturnLargeMemory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
#endif
}

// The free part of the heap goes back too. Now and then: it takes some milliseconds.
inline void ReturnMemory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

}  // namespace qkv::cli
