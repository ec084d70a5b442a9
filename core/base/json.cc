#include "core/base/json.h"

#include <rapidjson/error/en.h>

#include <algorithm>
#include <cmath>

#include "core/base/budget.h"

namespace qkv {
namespace {
constexpr unsigned kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseValidateEncodingFlag;

// An upper bound of the bytes that a text takes while it is parsed: for each value 16 on a stack that grows by half,
// beside its old block, and 16 in the document; the same for strings.
uint64_t ParseMemory(std::string_view text) {
  const auto values =
      std::count_if(text.begin(), text.end(), [](char c) { return c == ',' || c == ':' || c == '[' || c == '{'; });
  return uint64_t{56} * static_cast<uint64_t>(values) + uint64_t{4} * text.size();
}

}  // namespace

Result<JsonObject> JsonObject::Parse(std::string_view text, std::string_view file_name, size_t most) {
  JsonObject object;
  object.file_ = std::string(file_name);
  // Checks before parsing: the size of the text, and no NUL in it.
  if (text.size() > most) {
    return Error{ErrorCode::kLimitExceeded, "the JSON is larger than " + std::to_string(most >> 20) + " MiB",
                 object.file_};
  }
  // RapidJSON ends the text at a NUL. JavaScript, which reads the same files, does not.
  if (const size_t nul = text.find('\0'); nul != std::string_view::npos) {
    return Error{ErrorCode::kInvalidFile, "not valid JSON at byte " + std::to_string(nul) + ": a NUL", object.file_};
  }
  // The parser's memory is checked first, because an allocation that fails ends the process.
  QKV_CHECK(CheckMemory(ParseMemory(text), kTooLarge, file_name));
  object.document_ = std::make_unique<rapidjson::Document>();
  object.document_->Parse<kFlags>(text.data(), text.size());
  if (object.document_->HasParseError()) {
    const std::string reason = rapidjson::GetParseError_En(object.document_->GetParseError());
    return Error{ErrorCode::kInvalidFile,
                 "not valid JSON at byte " + std::to_string(object.document_->GetErrorOffset()) + ": " + reason,
                 object.file_};
  }
  if (!object.document_->IsObject()) {
    return Error{ErrorCode::kInvalidFile, "the file must hold one JSON object", object.file_};
  }
  return object;
}

const Json* JsonObject::Find(const char* field) const {
  const auto member = document_->FindMember(field);
  return member == document_->MemberEnd() || member->value.IsNull() ? nullptr : &member->value;
}

Error JsonObject::Invalid(const char* field, std::string message) const {
  return {ErrorCode::kInvalidFile, std::move(message), file_ + ", " + field};
}

Error JsonObject::Unsupported(const char* field, std::string message) const {
  return {ErrorCode::kUnsupported, std::move(message), file_ + ", " + field};
}

Result<bool> JsonObject::Bool(const char* field, bool fallback) const {
  const Json* value = Find(field);
  if (value == nullptr) return fallback;
  if (!value->IsBool()) return Invalid(field, "must be true or false");
  return value->GetBool();
}

Result<double> JsonObject::Number(const char* field, double fallback) const {
  const Json* value = Find(field);
  if (value == nullptr) return fallback;
  if (!value->IsNumber() || !std::isfinite(value->GetDouble())) return Invalid(field, "must be a finite number");
  return value->GetDouble();
}

Result<int64_t> JsonObject::Integer(const char* field, int64_t least, int64_t most) const {
  const Json* value = Find(field);
  if (value == nullptr) return Invalid(field, "is missing");
  if (!value->IsInt64() || value->GetInt64() < least || value->GetInt64() > most) {
    return Invalid(field, "must be an integer from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return value->GetInt64();
}

Result<int64_t> JsonObject::Integer(const char* field, int64_t least, int64_t most, int64_t fallback) const {
  if (Find(field) == nullptr) return fallback;
  return Integer(field, least, most);
}

Result<std::string_view> JsonObject::String(const char* field, std::string_view fallback) const {
  const Json* value = Find(field);
  if (value == nullptr) return fallback;
  if (!value->IsString()) return Invalid(field, "must be a string");
  return std::string_view(value->GetString(), value->GetStringLength());
}

}  // namespace qkv
