// Reads the fields of a config. An unknown field is an error, so a misspelt one is not silently ignored.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "core/base/error.h"
#include "core/base/json.h"

namespace qkv {

// One object of a file: each field has a reader, and a field without one is an error. Errors: kInvalidFile, with the
// file's name and the field's path.
class ConfigFields {
 public:
  // `path`: "" for the whole file. `file` outlives this, and so does whatever fields are read into.
  ConfigFields(const std::string& file, std::string path) : file_(file), path_(std::move(path)) {}
  ConfigFields(const ConfigFields&) = delete;  // its readers know where it is
  ConfigFields& operator=(const ConfigFields&) = delete;

  void Text(const char* name, std::string& to);
  // A number from `least` to `most`, an integer if T is one.
  template <class T>
  void Number(const char* name, T& to, double least, double most) {
    Number(name, std::is_integral_v<T>, least, most, [&to](double x) { to = static_cast<T>(x); });
  }
  // One of `names`, which outlive this object; `take` gets its index.
  void Choice(const char* name, std::span<const std::string_view> names, const std::function<void(size_t)>& take);
  void Other(const char* name, std::function<Result<void>(const Json&)> read) { readers_[name] = std::move(read); }
  // A nested object.
  void Part(const char* name, ConfigFields& part);

  Result<void> Read(const Json& json) const;
  // An error about that field; `message` follows its name.
  Error Wrong(const std::string& name, std::string message) const;

 private:
  void Number(const char* name, bool whole, double least, double most, const std::function<void(double)>& take);

  const std::string& file_;
  std::string path_;
  std::map<std::string, std::function<Result<void>(const Json&)>> readers_;
};

// "a, b, c"
std::string Listed(std::span<const std::string_view> names);

}  // namespace qkv
