#include "core/train/config_fields.h"

#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace qkv {
namespace {

// A bound, not below 0, with at most six digits behind the point. The C library's printing of a double would be 4 KB of
// each page that trains.
std::string Shown(double x) {
  const double whole = std::floor(x);
  const std::string text = std::to_string(static_cast<uint64_t>(whole));
  // A 1 before them keeps the zeros behind the point.
  std::string digits = std::to_string(1'000'000 + std::lround((x - whole) * 1e6));
  digits.erase(digits.find_last_not_of('0') + 1);
  return digits.size() == 1 ? text : text + "." + digits.substr(1);
}

}  // namespace

std::string Listed(std::span<const std::string_view> names) {
  std::string all;
  for (const std::string_view name : names) all += (all.empty() ? "" : ", ") + std::string(name);
  return all;
}

void ConfigFields::Add(ConfigField field, Reader reader) {
  readers_[field.path] = std::move(reader);
  fields_.push_back(std::move(field));
}

void ConfigFields::Text(const char* name, std::string& to) {
  Add({name, ConfigField::Kind::kText}, [this, name, &to](const Json& json) -> Result<void> {
    if (!json.IsString()) return Wrong(name, "must be text");
    to = json.GetString();
    return {};
  });
}

void ConfigFields::Number(ConfigField field, std::function<void(double)> take) {
  const bool whole = field.kind == ConfigField::Kind::kWhole;
  const double least = field.least, most = field.most;
  std::string name = field.path;
  Add(std::move(field),
      [this, name = std::move(name), whole, least, most, take = std::move(take)](const Json& json) -> Result<void> {
        if (!json.IsNumber() || !(json.GetDouble() >= least && json.GetDouble() <= most) ||
            (whole && json.GetDouble() != std::floor(json.GetDouble()))) {
          return Wrong(name, std::string("must be a ") + (whole ? "whole " : "") + "number from " + Shown(least) +
                                 " to " + Shown(most));
        }
        take(json.GetDouble());
        return {};
      });
}

void ConfigFields::Choice(const char* name, std::span<const std::string_view> names, size_t absent,
                          std::function<void(size_t)> take) {
  Add({name, ConfigField::Kind::kChoice, 0, 0, static_cast<double>(absent), names},
      [this, name, names, take = std::move(take)](const Json& json) -> Result<void> {
        for (size_t i = 0; i < names.size(); ++i) {
          if (!json.IsString() || names[i] != json.GetString()) continue;
          take(i);
          return {};
        }
        return Wrong(name, "must be one of " + Listed(names));
      });
}

void ConfigFields::Other(const char* name, Reader read) { Add({name, ConfigField::Kind::kOther}, std::move(read)); }

void ConfigFields::Part(const char* name, ConfigFields& part) {
  readers_[name] = [&part](const Json& json) { return part.Read(json); };
  parts_.push_back(&part);
}

void ConfigFields::List(std::vector<ConfigField>& to) const {
  for (const ConfigField& field : fields_) {
    to.push_back(field);
    to.back().path = PathOf(field.path);
  }
  for (const ConfigFields* part : parts_) part->List(to);
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
  return {ErrorCode::kInvalidFile, std::move(message), file_ + ", " + PathOf(name)};
}

}  // namespace qkv
