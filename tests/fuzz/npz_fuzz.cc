// Any bytes as a Marian model in NumPy's .npz: an error or a model, never a crash, and no memory for data that is
// missing.
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "core/io/marian_file.h"
#include "core/io/npz_file.h"

namespace {

using namespace qkv;

// The reader maps a file, so the bytes are written to one, in memory where the system has a folder for that.
const std::string& Folder() {
  static const std::string folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  return folder;
}

bool Write(const std::string& path, const uint8_t* data, size_t size) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return false;
  const bool whole = std::fwrite(data, 1, size, file) == size;
  return std::fclose(file) == 0 && whole;
}

// In the order of the binary file that it replaces: its header, then each tensor.
void Read(NpzFile& file) {
  MarianDirectory directory("model.npz", 0);
  for (ByteRange range = directory.Next(); range.length != 0; range = directory.Next()) {
    const auto bytes = file.Read(range);
    if (!bytes || !directory.Feed(bytes.value())) return;
  }
  for (const TensorEntry& entry : directory.entries()) (void)file.Read(entry.range);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string name = "npz_fuzz." + std::to_string(getpid()), path = Folder() + "/" + name;
  if (!Write(path, data, size)) return 0;
  if (auto file = NpzFile::Open(Folder(), name)) Read(file.value());
  std::remove(path.c_str());
  return 0;
}
