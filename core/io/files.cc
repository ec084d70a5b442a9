#include "core/io/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace qkv {
namespace {

namespace fs = std::filesystem;

Error CannotWrite(const std::string& path) {
  return {ErrorCode::kInvalidFile, "cannot be written; is there room, and may you write there?", path};
}

// A file or a folder's list of names.
bool Sync(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY);
  if (file < 0) return false;
  const bool synced = fsync(file) == 0;
  close(file);
  return synced;
}

}  // namespace

Result<std::string> ReadWholeFile(const std::string& path, size_t most) {
  std::error_code error;
  const uint64_t size = fs::file_size(path, error);
  std::ifstream file(path, std::ios::binary);
  if (error || !file) return Error{ErrorCode::kMissingFile, "cannot be read", path};
  if (size > most) {
    return Error{ErrorCode::kLimitExceeded, "is larger than the " + std::to_string(most) + " bytes that it may be",
                 path};
  }
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

Result<void> WriteWholeFile(const std::string& path, const std::function<void(const ByteSink&)>& write) {
  const std::string part = path + ".part";
  {
    std::ofstream file(part, std::ios::binary | std::ios::trunc);
    write([&](std::string_view bytes) { file.write(bytes.data(), static_cast<std::streamsize>(bytes.size())); });
    file.flush();
    if (!file) return CannotWrite(path);
  }
  std::error_code error;
  if (!Sync(part)) return CannotWrite(path);
  fs::rename(part, path, error);
  if (error) return CannotWrite(path);
  Sync(fs::path(path).parent_path().string());
  return {};
}

Result<void> WriteWholeFile(const std::string& path, const std::string& content) {
  return WriteWholeFile(path, [&](const ByteSink& out) { out(content); });
}

}  // namespace qkv
