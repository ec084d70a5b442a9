// Builds the config.json of a model that will be trained.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/json.h"

namespace qkv {

class ConfigJson {
 public:
  // `name`, and `value` if it is text, outlive this object.
  template <class T>
  void Set(const char* name, T value) {
    if constexpr (std::is_same_v<T, size_t>) {
      json_.AddMember(rapidjson::StringRef(name), static_cast<uint64_t>(value), json_.GetAllocator());
    } else if constexpr (std::is_same_v<T, const char*>) {
      json_.AddMember(rapidjson::StringRef(name), rapidjson::StringRef(value), json_.GetAllocator());
    } else {
      json_.AddMember(rapidjson::StringRef(name), value, json_.GetAllocator());
    }
  }
  void SetArchitecture(const char* name) {
    Json architectures(rapidjson::kArrayType);
    architectures.PushBack(rapidjson::StringRef(name), json_.GetAllocator());
    json_.AddMember("architectures", architectures, json_.GetAllocator());
  }
  // A list.
  void SetTexts(const char* name, const std::vector<std::string>& texts);
  // id2label and label2id.
  void SetLabels(const std::vector<std::string>& labels);
  // Replaces values by those of `text`, a JSON object. Errors: kInvalidFile for a field that does not exist.
  Result<void> Change(const std::string& text);
  std::string Text() const;

 private:
  rapidjson::Document json_{rapidjson::kObjectType};
};

// With line breaks and an indent of two.
std::string PrettyText(const Json& json);

}  // namespace qkv
