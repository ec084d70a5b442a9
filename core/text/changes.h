// Replaces parts of a text, and maps offsets between the text before and after.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace qkv {

class Changes {
 public:
  explicit Changes(std::string_view original) : original_(original) {}

  // Replaces [begin, end) of the original by `text`. Calls go from left to right.
  void Replace(size_t begin, size_t end, std::string_view text) {
    CopyUntil(begin);
    changes_.push_back({begin, end, text_.size(), text_.size() + text.size()});
    text_ += text;
    kept_ = end;
  }
  // The new text. No call of Replace may follow.
  const std::string& Finish() {
    CopyUntil(original_.size());
    return text_;
  }

  // Maps an offset of the original to the new text (Forward), or the other way round (Back). An offset inside a
  // replaced part maps to the part's beginning, or to its end if `is_end`, which says that the offset is the end of a
  // span.
  size_t Forward(size_t offset, bool is_end) const { return Map(offset, is_end, true); }
  size_t Back(size_t offset, bool is_end) const { return Map(offset, is_end, false); }

 private:
  struct Change {
    size_t begin, end, to_begin, to_end;
  };

  void CopyUntil(size_t end) {
    text_ += original_.substr(kept_, end - kept_);
    kept_ = end;
  }

  size_t Map(size_t offset, bool is_end, bool forward) const {
    size_t from_end = 0, to_end = 0;  // of the last change before the offset
    for (const Change& change : changes_) {
      const size_t begin = forward ? change.begin : change.to_begin, end = forward ? change.end : change.to_end;
      const size_t to = forward ? change.to_begin : change.begin, to_last = forward ? change.to_end : change.end;
      if (is_end ? offset <= begin : offset < begin) break;
      if (is_end ? offset <= end : offset < end) return is_end ? to_last : to;
      from_end = end;
      to_end = to_last;
    }
    return offset - from_end + to_end;
  }

  std::string_view original_;
  std::string text_;
  std::vector<Change> changes_;
  size_t kept_ = 0;
};

}  // namespace qkv
