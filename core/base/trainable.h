// Whether this build can learn. The translating engine of the web cannot: what only learning needs is left out of it.
#pragma once

#ifndef QKV_TRAINABLE
#define QKV_TRAINABLE 1
#endif

namespace qkv {

inline constexpr bool kTrainable = QKV_TRAINABLE != 0;

}  // namespace qkv
