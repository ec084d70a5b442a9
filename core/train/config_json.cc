#include "core/train/config_json.h"

#include <rapidjson/prettywriter.h>
#include <rapidjson/stringbuffer.h>

namespace qkv {

std::string PrettyText(const Json& json) {
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> writer(buffer);
  writer.SetIndent(' ', 2);
  json.Accept(writer);
  return buffer.GetString();
}

void ConfigJson::SetTexts(const char* name, const std::vector<std::string>& texts) {
  auto& memory = json_.GetAllocator();
  Json list(rapidjson::kArrayType);
  for (const std::string& text : texts) list.PushBack(Json(text.c_str(), memory), memory);
  json_.AddMember(rapidjson::StringRef(name), list, memory);
}

void ConfigJson::SetLabels(const std::vector<std::string>& labels) {
  auto& memory = json_.GetAllocator();
  const auto copy = [&](const std::string& text) { return Json(text.c_str(), memory); };
  Json names(rapidjson::kObjectType), numbers(rapidjson::kObjectType);
  for (size_t i = 0; i < labels.size(); ++i) {
    names.AddMember(copy(std::to_string(i)), copy(labels[i]), memory);
    numbers.AddMember(copy(labels[i]), Json(static_cast<uint64_t>(i)), memory);
  }
  json_.AddMember("id2label", names, memory);
  json_.AddMember("label2id", numbers, memory);
}

Result<void> ConfigJson::Change(const std::string& text) {
  rapidjson::Document changes;
  changes.Parse(text.c_str(), text.size());
  for (auto& change : changes.GetObject()) {
    const auto member = json_.FindMember(change.name);
    if (member == json_.MemberEnd()) {
      return Error{ErrorCode::kInvalidFile, "is not a field of the config.json that a preset makes",
                   std::string("model.") + change.name.GetString()};
    }
    member->value.CopyFrom(change.value, json_.GetAllocator());
  }
  return {};
}

std::string ConfigJson::Text() const { return PrettyText(json_); }

}  // namespace qkv
