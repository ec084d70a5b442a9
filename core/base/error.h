// Errors are values. The core throws nothing: a function that can fail returns Result<T>. Broken invariants assert.
#pragma once

#include <cassert>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace qkv {

// The one list of error codes. JavaScript's QkvError.code has the same names (web/lib/base/errors.js).
enum class ErrorCode {
  kInvalidArgument,  // INVALID_ARGUMENT: an argument that is not valid
  kInvalidFile,      // INVALID_FILE: bytes that do not follow their format
  kMissingFile,      // MISSING_FILE: a file of the model folder is missing
  kUnsupported,      // UNSUPPORTED: well formed, but this engine does not support it
  kLimitExceeded,    // LIMIT_EXCEEDED: larger than a documented limit
};

inline constexpr ErrorCode kErrorCodes[] = {ErrorCode::kInvalidArgument, ErrorCode::kInvalidFile,
                                            ErrorCode::kMissingFile, ErrorCode::kUnsupported,
                                            ErrorCode::kLimitExceeded};

// "INVALID_FILE" and so on.
std::string_view Name(ErrorCode code);

struct Error {
  ErrorCode code;
  std::string message;  // a sentence that says what is wrong and what to do
  std::string where;    // file, tensor or field; may be empty

  // "INVALID_FILE: config.json, d_model: ..."
  std::string ToString() const;
};

// A value or an Error. `QKV_TRY(auto x, F())` unwraps or returns the error to the caller.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& value() {
    assert(*this);
    return *std::get_if<0>(&state_);
  }
  const T& value() const {
    assert(*this);
    return *std::get_if<0>(&state_);
  }
  T& operator*() { return value(); }
  T* operator->() { return &value(); }
  const Error& error() const {
    assert(!*this);
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

// Success without a value, or an Error.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), ok_(false) {}

  explicit operator bool() const { return ok_; }
  const Error& error() const {
    assert(!ok_);
    return error_;
  }

 private:
  Error error_{};
  bool ok_ = true;
};

#define QKV_CONCAT_(a, b) a##b
#define QKV_CONCAT(a, b) QKV_CONCAT_(a, b)
// QKV_TRY(auto x, F()): `auto x = *F()`, or returns F's error from the enclosing function.
#define QKV_TRY(declaration, expression) QKV_TRY_(declaration, expression, QKV_CONCAT(qkv_result_, __LINE__))
#define QKV_TRY_(declaration, expression, result) \
  auto result = (expression);                     \
  if (!result) return result.error();             \
  declaration = std::move(*result)
// QKV_CHECK(F()): returns F's error from the enclosing function, if there is one.
#define QKV_CHECK(expression)                                                      \
  do {                                                                             \
    if (auto qkv_checked = (expression); !qkv_checked) return qkv_checked.error(); \
  } while (0)

}  // namespace qkv
