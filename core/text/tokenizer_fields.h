// Reads the fields of tokenizer.json, whose objects are nested.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/function_ref.h"
#include "core/base/json.h"

namespace qkv {

// Remembers the first error; later reads have no effect. So a reader checks for an error once, at the end of a part.
// `where` names the field in errors. Errors are kInvalidFile unless stated.
class TokenizerFields {
 public:
  explicit TokenizerFields(std::string_view file) : file_(file) {}

  bool ok() const { return ok_; }
  Result<void> Check() const;

  void Fail(std::string_view where, std::string message, ErrorCode code = ErrorCode::kInvalidFile);
  // kUnsupported: this engine does not have the feature `name`.
  void Refuse(std::string_view where, std::string_view name);
  void Check(const Result<void>& result);

  // The member; a null pointer if it is absent or null.
  const Json* Find(const Json& object, const char* key);
  // The array, which must be present; a null pointer if it is not.
  const Json* List(const Json& object, const char* key);
  std::string_view Text(const Json& json, std::string_view where);
  // Returns the fallback if the field is absent or null. kLimitExceeded past kLongestPiece.
  std::string_view Text(const Json& object, const char* key, std::string_view fallback);
  bool Flag(const Json& object, const char* key, bool fallback);
  // A whole number in [0, kMostPieces).
  int64_t Whole(const Json& json, std::string_view where);

  // Calls each(step, type) for a step. If the step has type Sequence, calls it for each step of its list `list_name`.
  using Each = FunctionRef<void(const Json& step, std::string_view type)>;
  void Steps(const Json& json, const char* where, const char* list_name, Each each, size_t depth = 0);

 private:
  std::string file_;
  Error error_{};
  bool ok_ = true;
  size_t steps_ = 0;
};

}  // namespace qkv
