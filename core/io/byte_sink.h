// A function that takes bytes part by part: to a file or to memory. A stream of the standard library would add its
// locales: 40 KB of the WebAssembly that trains.
#pragma once

#include <functional>
#include <string_view>

namespace qkv {

using ByteSink = std::function<void(std::string_view bytes)>;

}  // namespace qkv
