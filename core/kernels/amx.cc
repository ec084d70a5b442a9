#include "core/kernels/amx.h"

#if QKV_AMX
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace qkv {

#if QKV_AMX
namespace {

// Linux must allow a process to use tiles (ARCH_REQ_XCOMP_PERM, since 5.16; XFEATURE_XTILEDATA).
bool Permitted() {
  constexpr long kRequest = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kRequest, kTileData) == 0;
}

}  // namespace

bool HasTiles(TileProducts products) {
  constexpr uint32_t kTiles = 1u << 24;
  const uint32_t wanted = kTiles | static_cast<uint32_t>(products);
  uint32_t a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 || (d & wanted) != wanted) return false;
  static const bool permitted = Permitted();
  return permitted;
}

#else

bool HasTiles(TileProducts) { return false; }

#endif

}  // namespace qkv
