// Reads the fields of a config. An unknown field is an error, so a misspelt one is not silently ignored.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"

namespace qkv {

// A field as the reader knows it.
struct ConfigField {
  enum class Kind { kWhole, kNumber, kChoice, kText, kOther };

  std::string path;  // "batch.tokens"
  Kind kind;
  double least = 0, most = 0, absent = 0;        // of a number; `absent` holds without the field
  std::span<const std::string_view> names = {};  // of a choice; `absent` is an index of them
};

// One object of a file: each field has a reader, and a field without one is an error. Errors: kInvalidFile, with the
// file's name and the field's path.
class ConfigFields {
 public:
  // `path`: "" for the whole file. `file` outlives this, and so does whatever fields are read into.
  ConfigFields(const std::string& file, std::string path) : file_(file), path_(std::move(path)) {}
  ConfigFields(const ConfigFields&) = delete;  // its readers hold its address
  ConfigFields& operator=(const ConfigFields&) = delete;

  void Text(const char* name, std::string& to);
  // A number from `least` to `most`, an integer if T is one.
  template <class T>
  void Number(const char* name, T& to, double least, double most) {
    const auto kind = std::is_integral_v<T> ? ConfigField::Kind::kWhole : ConfigField::Kind::kNumber;
    Number({name, kind, least, most, static_cast<double>(to)}, [&to](double x) { to = static_cast<T>(x); });
  }
  // One of `names`, which outlive this object. T is an enum whose values are their indices, or bool.
  template <class T>
  void Choice(const char* name, std::span<const std::string_view> names, T& to) {
    Choice(name, names, static_cast<size_t>(to), [&to](size_t i) { to = static_cast<T>(i); });
  }
  void Other(const char* name, std::function<Result<void>(const Json&)> read);
  // A nested object.
  void Part(const char* name, ConfigFields& part);

  Result<void> Read(const Json& json) const;
  // Adds all fields to `to`, nested ones by their paths.
  void List(std::vector<ConfigField>& to) const;
  // An error about that field; `message` follows its name.
  Error Wrong(const std::string& name, std::string message) const;

 private:
  using Reader = std::function<Result<void>(const Json&)>;

  void Number(ConfigField field, std::function<void(double)> take);
  void Choice(const char* name, std::span<const std::string_view> names, size_t absent,
              std::function<void(size_t)> take);
  void Add(ConfigField field, Reader reader);
  std::string PathOf(const std::string& name) const { return (path_.empty() ? "" : path_ + ".") + name; }

  const std::string& file_;
  std::string path_;
  std::map<std::string, Reader> readers_;
  std::vector<ConfigField> fields_;  // in the order in which they were added, without those of parts
  std::vector<const ConfigFields*> parts_;
};

// "a, b, c"
std::string Listed(std::span<const std::string_view> names);

}  // namespace qkv
