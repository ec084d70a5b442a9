// Scratch memory for computations: a bump allocator. Its blocks are kept and used again, so a decoding step allocates
// nothing after the first one.
#pragma once

#include <cstddef>
#include <vector>

#include "core/base/aligned.h"

namespace qkv {

class Arena {
 public:
  // `count` floats, 64-byte aligned, not initialised; valid until Rewind to an earlier mark.
  float* Floats(size_t count);

  struct Mark {
    size_t block = 0;
    size_t used = 0;
  };
  Mark Here() const { return at_; }
  void Rewind(Mark mark) { at_ = mark; }

  // Bytes held, used or not.
  size_t capacity() const;

 private:
  std::vector<AlignedFloats> blocks_;
  Mark at_;
};

// Rewinds on leaving the scope.
class ArenaScope {
 public:
  explicit ArenaScope(Arena& arena) : arena_(arena), mark_(arena.Here()) {}
  ~ArenaScope() { arena_.Rewind(mark_); }
  ArenaScope(const ArenaScope&) = delete;
  ArenaScope& operator=(const ArenaScope&) = delete;

 private:
  Arena& arena_;
  Arena::Mark mark_;
};

}  // namespace qkv
