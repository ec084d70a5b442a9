#include "core/train/text_source.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace qkv {
namespace {

constexpr size_t kBuffer = 1 << 17;

class MemorySource : public TextSource {
 public:
  MemorySource(std::string text, std::string name) : text_(std::move(text)), name_(std::move(name)) {}

  Result<size_t> Read(char* bytes, size_t most) override {
    const size_t count = std::min(most, text_.size() - at_);
    std::memcpy(bytes, text_.data() + at_, count);
    at_ += count;
    return count;
  }
  Result<void> Seek(uint64_t offset) override {
    at_ = static_cast<size_t>(std::min<uint64_t>(offset, text_.size()));
    return {};
  }
  const std::string& name() const override { return name_; }

 private:
  std::string text_, name_;
  size_t at_ = 0;
};

}  // namespace

std::unique_ptr<TextSource> TextInMemory(std::string text, std::string name) {
  return std::make_unique<MemorySource>(std::move(text), std::move(name));
}

Lines::Lines(std::unique_ptr<TextSource> source)
    : source_(std::move(source)), buffer_(std::make_unique<char[]>(kBuffer)) {}

Result<std::string_view> Lines::Rest() {
  if (at_ == filled_) {
    QKV_TRY(filled_, source_->Read(buffer_.get(), kBuffer));
    at_ = 0;
  }
  return std::string_view(buffer_.get() + at_, filled_ - at_);
}

// A line may lie in several buffers. Bytes beyond the longest length are read and dropped.
Result<bool> Lines::Next(std::string* line, bool* cut) {
  line->clear();
  *cut = false;
  for (bool begun = false, ended = false; !ended; begun = true) {
    QKV_TRY(const std::string_view rest, Rest());
    if (rest.empty()) {
      if (!begun) return false;
      break;
    }
    const size_t newline = rest.find('\n');
    ended = newline != std::string_view::npos;
    const std::string_view part = rest.substr(0, newline);
    const size_t left = kLongest - line->size();
    *cut |= part.size() > left;
    line->append(part.substr(0, left));
    at_ += part.size() + (ended ? 1 : 0);
    offset_ += part.size() + (ended ? 1 : 0);
  }
  // Lines may end as on Windows.
  if (!*cut && line->ends_with('\r')) line->pop_back();
  return true;
}

Result<void> Lines::Seek(uint64_t offset) {
  QKV_CHECK(source_->Seek(offset));
  at_ = filled_ = 0;
  offset_ = offset;
  return {};
}

}  // namespace qkv
