// The log of a run: lines of JSON, and their curves as a page.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"

namespace qkv {

class RunLog {
 public:
  // Continues `folder`/log.jsonl, without the lines of steps after `step`; 0 begins anew.
  static Result<RunLog> Open(const std::string& folder, uint64_t step);

  using Values = std::vector<std::pair<const char*, double>>;
  // {"kind": ..., "step": ..., ...}; it is flushed when this returns.
  Result<void> Add(const char* kind, uint64_t step, const Values& values);
  // Writes `folder`/curves.html anew.
  Result<void> Draw() const;

 private:
  explicit RunLog(std::string folder) : folder_(std::move(folder)) {}
  std::string path() const { return folder_ + "/log.jsonl"; }

  std::string folder_;
  std::vector<std::string> lines_;
};

}  // namespace qkv
