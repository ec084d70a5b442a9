// What the tests of the Transformer share: model folders, and PyTorch's results in the format of
// tests/goldens/README.md.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/models/transformer.h"
#include "core/translate/folder.h"

namespace qkv {

inline constexpr const char* kDefaultModel = "web/models/en-fr";  // int8
// Models of floats, each with its goldens beside it; the first is what the default model was quantised from.
inline constexpr const char* kModels[] = {"tests/goldens/en-fr", "tests/goldens/models/tiny-f32",
                                          "tests/goldens/models/tiny-f16", "tests/goldens/models/tiny-bf16",
                                          "tests/goldens/models/tiny-pre-norm"};

// The model of a folder that holds a Transformer.
inline const Transformer& TransformerOf(const TranslationModel& model) {
  return static_cast<const Transformer&>(model.model());
}

// Empty where there is no such file.
inline std::string ReadBytes(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Loaded once in a process. Null, with a failure noted, if the folder cannot be read.
inline const TranslationModel* SharedModel(const std::string& folder) {
  static auto& models = *new std::map<std::string, std::unique_ptr<TranslationModel>>;
  if (const auto found = models.find(folder); found != models.end()) return found->second.get();
  auto model = LoadFolder(folder);
  if (!model) ADD_FAILURE() << folder << ": " << model.error().ToString();
  return (models[folder] = model ? std::move(*model) : nullptr).get();
}

inline JsonObject ReadGoldens(const std::string& path) {
  Result<JsonObject> json = JsonObject::Parse(ReadBytes(path), path);
  if (!json) {
    ADD_FAILURE() << json.error().ToString();
    json = JsonObject::Parse("{}", path);
  }
  return std::move(*json);
}

inline std::vector<double> ReadDoubles(const std::string& path) {
  const std::string bytes = ReadBytes(path);
  std::vector<double> values(bytes.size() / sizeof(double));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(double));
  return values;
}

inline std::vector<int32_t> Ids(const Json& list) {
  std::vector<int32_t> ids;
  for (const Json& id : list.GetArray()) ids.push_back(id.GetInt());
  return ids;
}

// `list`, or 0, 1, ... `size` - 1 where it is null.
inline std::vector<int32_t> IdsOrAll(const Json& list, size_t size) {
  std::vector<int32_t> ids;
  if (!list.IsNull()) return Ids(list);
  for (size_t i = 0; i < size; ++i) ids.push_back(static_cast<int32_t>(i));
  return ids;
}

}  // namespace qkv
