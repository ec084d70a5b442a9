#include "core/train/config_fields.h"

#include <cmath>
#include <utility>
#include <vector>

namespace qkv {
namespace {

std::string Shown(double x) {
  std::string text = std::to_string(x);
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

}  // namespace

std::string Listed(std::span<const std::string_view> names) {
  std::string all;
  for (const std::string_view name : names) all += (all.empty() ? "" : ", ") + std::string(name);
  return all;
}

void ConfigFields::Text(const char* name, std::string& to) {
  readers_[name] = [this, name, &to](const Json& json) -> Result<void> {
    if (!json.IsString()) return Wrong(name, "must be text");
    to = json.GetString();
    return {};
  };
}

void ConfigFields::Number(const char* name, bool whole, double least, double most,
                          const std::function<void(double)>& take) {
  readers_[name] = [this, name, whole, least, most, take](const Json& json) -> Result<void> {
    if (!json.IsNumber() || !(json.GetDouble() >= least && json.GetDouble() <= most) ||
        (whole && json.GetDouble() != std::floor(json.GetDouble()))) {
      return Wrong(name, std::string("must be a ") + (whole ? "whole " : "") + "number from " + Shown(least) + " to " +
                             Shown(most));
    }
    take(json.GetDouble());
    return {};
  };
}

void ConfigFields::Choice(const char* name, std::span<const std::string_view> names,
                          const std::function<void(size_t)>& take) {
  readers_[name] = [this, name, names, take](const Json& json) -> Result<void> {
    for (size_t i = 0; i < names.size(); ++i) {
      if (!json.IsString() || names[i] != json.GetString()) continue;
      take(i);
      return {};
    }
    return Wrong(name, "must be one of " + Listed(names));
  };
}

void ConfigFields::Part(const char* name, ConfigFields& part) {
  readers_[name] = [&part](const Json& json) { return part.Read(json); };
}

Result<void> ConfigFields::Read(const Json& json) const {
  if (!json.IsObject()) return Error{ErrorCode::kInvalidFile, "must be an object", file_ + ", " + path_};
  for (const auto& member : json.GetObject()) {
    const auto reader = readers_.find(member.name.GetString());
    if (reader == readers_.end()) {
      std::vector<std::string_view> known;
      known.reserve(readers_.size());
      for (const auto& [name, unused] : readers_) known.push_back(name);
      return Wrong(member.name.GetString(), "is not a field of this file; these are: " + Listed(known));
    }
    QKV_CHECK(reader->second(member.value));
  }
  return {};
}

Error ConfigFields::Wrong(const std::string& name, std::string message) const {
  return {ErrorCode::kInvalidFile, std::move(message), file_ + ", " + (path_.empty() ? "" : path_ + ".") + name};
}

}  // namespace qkv
