#include "core/translate/folder.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace qkv {
namespace {

// A whole file, mapped for reading.
class MappedFile {
 public:
  // A file that is not there is an error, or empty if it is optional.
  static Result<MappedFile> Open(const std::string& folder, const char* name, bool optional = false) {
    const std::string path = folder + "/" + name;
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) {
      if (optional && errno == ENOENT) return MappedFile();
      return Error{ErrorCode::kMissingFile, std::string("cannot be read: ") + std::strerror(errno), path};
    }
    MappedFile mapped;
    struct stat status{};
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) mapped.size_ = static_cast<size_t>(status.st_size);
    void* data = mapped.size_ == 0 ? MAP_FAILED : mmap(nullptr, mapped.size_, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (data == MAP_FAILED) {
      mapped.size_ = 0;
      return Error{ErrorCode::kInvalidFile, "it is empty or not a regular file", path};
    }
    mapped.data_ = static_cast<const uint8_t*>(data);
    return mapped;
  }

  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~MappedFile() {
    if (data_ != nullptr) munmap(const_cast<uint8_t*>(data_), size_);
  }

  std::span<const uint8_t> bytes() const { return {data_, size_}; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }

 private:
  const uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace

Result<std::unique_ptr<TranslationModel>> LoadFolder(const std::string& folder, bool shortlist) {
  QKV_TRY(const MappedFile config, MappedFile::Open(folder, "config.json"));
  QKV_TRY(const MappedFile generation, MappedFile::Open(folder, "generation_config.json", true));
  QKV_TRY(const MappedFile vocabulary, MappedFile::Open(folder, "vocab.json"));
  QKV_TRY(const MappedFile source, MappedFile::Open(folder, "source.spm"));
  QKV_TRY(const MappedFile target, MappedFile::Open(folder, "target.spm", true));
  QKV_TRY(const MappedFile weights, MappedFile::Open(folder, "model.safetensors"));
  MappedFile lists;
  if (shortlist) {
    QKV_TRY(lists, MappedFile::Open(folder, "shortlist.bin", true));
  }
  const ModelFiles files = {config.text(),  generation.text(), vocabulary.text(),
                            source.bytes(), target.bytes(),    lists.bytes()};
  QKV_TRY(const std::unique_ptr<ModelLoader> loader, ModelLoader::Create(files, weights.bytes().size()));
  for (ByteRange range = loader->Next(); range.length != 0; range = loader->Next()) {
    const std::span<const uint8_t> bytes = weights.bytes();
    const size_t begin = std::min<size_t>(range.offset, bytes.size());
    QKV_CHECK(loader->Feed(bytes.subspan(begin, std::min<size_t>(range.length, bytes.size() - begin))));
  }
  return loader->Finish();
}

}  // namespace qkv
