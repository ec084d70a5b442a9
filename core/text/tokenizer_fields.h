// The fields of tokenizer.json, whose objects are nested.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/function_ref.h"
#include "core/base/json.h"

namespace qkv {

// The first thing that is wrong is kept, and whatever is read after it does not matter: so a reader checks once, at the
// end of a part. `where` names the field in errors, which are kInvalidFile but for those that are said.
class TokenizerFields {
 public:
  explicit TokenizerFields(std::string_view file) : file_(file) {}

  bool ok() const { return ok_; }
  Result<void> Check() const;

  void Fail(std::string_view where, std::string message, ErrorCode code = ErrorCode::kInvalidFile);
  // kUnsupported: `name` is something that this engine does not do.
  void Refuse(std::string_view where, std::string_view name);
  void Keep(const Result<void>& result);

  // The member, or null where it is absent or null.
  const Json* Find(const Json& object, const char* key);
  // An array that must be there, or null.
  const Json* List(const Json& object, const char* key);
  std::string_view Text(const Json& json, std::string_view where);
  // The fallback where it is absent or null; kLimitExceeded past kLongestPiece.
  std::string_view Text(const Json& object, const char* key, std::string_view fallback);
  bool Flag(const Json& object, const char* key, bool fallback);
  // In [0, kMostPieces).
  int64_t Whole(const Json& json, std::string_view where);

  // Calls each(step, type) for a step, or for all of a sequence of them, `list_name` of an object of type Sequence.
  using Each = FunctionRef<void(const Json& step, std::string_view type)>;
  void Steps(const Json& json, const char* where, const char* list_name, Each each, size_t depth = 0);

 private:
  std::string file_;
  Error error_{};
  bool ok_ = true;
  size_t steps_ = 0;
};

}  // namespace qkv
