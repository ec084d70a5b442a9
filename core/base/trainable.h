// Whether this build can train. The translating engine for the web cannot, so that its download is smaller.
#pragma once

#ifndef QKV_TRAINABLE
#define QKV_TRAINABLE 1
#endif

namespace qkv {

inline constexpr bool kTrainable = QKV_TRAINABLE != 0;

}  // namespace qkv
