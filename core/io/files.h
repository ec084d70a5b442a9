// Whole files, in and out. Native.
#pragma once

#include <functional>
#include <string>

#include "core/base/error.h"
#include "core/io/byte_sink.h"

namespace qkv {

// Errors: kMissingFile; kLimitExceeded past `most` bytes.
Result<std::string> ReadWholeFile(const std::string& path, size_t most);

// What has the name `path` is whole: `write` fills another file, which reaches the disk and then takes the name.
// Errors: kInvalidFile where the disk does not take it.
Result<void> WriteWholeFile(const std::string& path, const std::function<void(const ByteSink&)>& write);
Result<void> WriteWholeFile(const std::string& path, const std::string& content);

}  // namespace qkv
