// Keeps two processes from writing the files of one folder at a time. Native.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "core/base/error.h"

namespace qkv {

// Holds a lock while it exists. The folder itself is locked, so no lock file remains if the process is killed. On a
// file system without such locks it has no effect.
class FolderLock {
 public:
  // Makes the folder if it is missing. Errors: kInvalidFile if it cannot be made, or if another process holds the lock.
  static Result<FolderLock> Take(const std::string& folder) {
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (!error && !std::filesystem::is_directory(folder)) error = std::make_error_code(std::errc::not_a_directory);
    if (error) return Error{ErrorCode::kInvalidFile, "cannot be made: " + error.message(), folder};
    FolderLock lock(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (lock.folder_ >= 0 && flock(lock.folder_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      return Error{ErrorCode::kInvalidFile, "another process is writing into this folder", folder};
    }
    return lock;
  }
  FolderLock(FolderLock&& other) noexcept : folder_(std::exchange(other.folder_, -1)) {}
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock() {
    if (folder_ >= 0) close(folder_);
  }

 private:
  explicit FolderLock(int folder) : folder_(folder) {}
  int folder_;
};

}  // namespace qkv
