// JSON by RapidJSON: iterative parsing (nesting uses memory, not stack), and getters whose errors name the field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"

// Replaces RapidJSON's internal/pow10.h, whose table of 2.4 KB does not compress: 10^n for n from 0 to 308. Exact up to
// 22, rounded once up to 44.
#define RAPIDJSON_POW10_
namespace rapidjson::internal {
inline double Pow10(int n) {
  double power = 1, rest = 1;
  for (; n > 22; n -= 22) power *= 1e22;
  for (; n > 0; --n) rest *= 10;
  return power * rest;
}
}  // namespace rapidjson::internal

// RapidJSON asserts on misuse; this file checks before it calls.
#define RAPIDJSON_HAS_STDSTRING 0
#include <rapidjson/document.h>

namespace qkv {

using Json = rapidjson::Value;

// A parsed document takes up to about 16 times the bytes of its text.
inline constexpr size_t kLargestJson = size_t{16} << 20;
inline constexpr size_t kLargestConfig = size_t{1} << 20;

// An object read from one file of a model folder. Getters return the fallback if a field is absent or null, and an
// error if it has another type.
class JsonObject {
 public:
  // Errors: kInvalidFile when `text` is not one JSON object in UTF-8; kLimitExceeded past `most` bytes, whole MiB.
  static Result<JsonObject> Parse(std::string_view text, std::string_view file_name, size_t most = kLargestJson);

  const Json& root() const { return *document_; }
  const std::string& file() const { return file_; }
  // The member; a null pointer if it is absent or null.
  const Json* Find(const char* field) const;

  Result<bool> Bool(const char* field, bool fallback) const;
  Result<double> Number(const char* field, double fallback) const;
  // An integer in [least, most]; the field must be present.
  Result<int64_t> Integer(const char* field, int64_t least, int64_t most) const;
  Result<int64_t> Integer(const char* field, int64_t least, int64_t most, int64_t fallback) const;
  Result<std::string_view> String(const char* field, std::string_view fallback) const;

  Error Invalid(const char* field, std::string message) const;
  Error Unsupported(const char* field, std::string message) const;

 private:
  std::unique_ptr<rapidjson::Document> document_;
  std::string file_;
};

}  // namespace qkv
