#include "core/text/tokenizer_fields.h"

#include <utility>

#include "core/text/tokenizer_parts.h"

namespace qkv {
namespace {

constexpr size_t kMostSteps = 16;  // in one list, steps of nested lists included
constexpr size_t kDeepest = 4;     // depth of nested lists

}  // namespace

Result<void> TokenizerFields::Check() const {
  if (ok_) return {};
  return error_;
}

void TokenizerFields::Fail(std::string_view where, std::string message, ErrorCode code) {
  if (ok_) error_ = {code, std::move(message), file_ + ", " + std::string(where)};
  ok_ = false;
}

void TokenizerFields::Refuse(std::string_view where, std::string_view name) {
  Fail(where, "\"" + std::string(name) + "\" is not something that this engine does", ErrorCode::kUnsupported);
}

void TokenizerFields::Check(const Result<void>& result) {
  if (!result && ok_) error_ = result.error(), ok_ = false;
}

const Json* TokenizerFields::Find(const Json& object, const char* key) {
  if (!object.IsObject()) return Fail(key, "must be in an object"), nullptr;
  const auto member = object.FindMember(key);
  return member == object.MemberEnd() || member->value.IsNull() ? nullptr : &member->value;
}

const Json* TokenizerFields::List(const Json& object, const char* key) {
  const Json* const list = Find(object, key);
  if (list == nullptr || !list->IsArray()) return Fail(key, "must be a list"), nullptr;
  return list;
}

std::string_view TokenizerFields::Text(const Json& json, std::string_view where) {
  if (!json.IsString()) return Fail(where, "must be a string"), std::string_view();
  return {json.GetString(), json.GetStringLength()};
}

std::string_view TokenizerFields::Text(const Json& object, const char* key, std::string_view fallback) {
  const Json* const value = Find(object, key);
  if (value == nullptr) return fallback;
  const std::string_view text = Text(*value, key);
  if (text.size() > kLongestPiece) Fail(key, "is over 1,024 bytes", ErrorCode::kLimitExceeded);
  return text;
}

bool TokenizerFields::Flag(const Json& object, const char* key, bool fallback) {
  const Json* const value = Find(object, key);
  if (value == nullptr) return fallback;
  if (!value->IsBool()) Fail(key, "must be true or false");
  return value->IsTrue();
}

int64_t TokenizerFields::Whole(const Json& json, std::string_view where) {
  if (!json.IsInt64() || json.GetInt64() < 0 || json.GetInt64() >= kMostPieces) {
    return Fail(where, "must be a whole number below " + std::to_string(kMostPieces)), 0;
  }
  return json.GetInt64();
}

void TokenizerFields::Steps(const Json& json, const char* where, const char* list_name, Each each, size_t depth) {
  const std::string_view type = Text(json, "type", "");
  if (type != "Sequence") return ++steps_ > kMostSteps ? Fail(where, "has too many steps") : each(json, type);
  const Json* const list = depth < kDeepest ? List(json, list_name) : (Fail(where, "is nested too deeply"), nullptr);
  for (size_t i = 0; list != nullptr && ok_ && i < list->Size(); ++i) {
    Steps((*list)[static_cast<rapidjson::SizeType>(i)], where, list_name, each, depth + 1);
  }
}

}  // namespace qkv
