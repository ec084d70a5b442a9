// The texts by which a command calibrates.
#pragma once

#include <string>
#include <vector>

namespace qkv::cli {

// The lines of a file, up to their first tab, so that a file of pairs gives its sources. Fails if there are none.
std::vector<std::string> TextsOrFail(const std::string& path);

}  // namespace qkv::cli
