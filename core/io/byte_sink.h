// Where bytes are written to, part after part: a file, or memory. A stream of the standard library would bring its
// locales along, 40 KB of the WebAssembly that trains.
#pragma once

#include <functional>
#include <string_view>

namespace qkv {

using ByteSink = std::function<void(std::string_view bytes)>;

}  // namespace qkv
