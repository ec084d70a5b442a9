// What the commands write JSON with.
#pragma once

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <string_view>

namespace qkv::cli {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

// Writes the whole text, also with a NUL in it.
inline void String(Writer& json, std::string_view text) {
  json.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

// Writes "key": [...], where `write` writes one value.
template <class Values, class Write>
void Array(Writer& json, const char* key, const Values& values, const Write& write) {
  json.Key(key);
  json.StartArray();
  for (const auto& value : values) write(value);
  json.EndArray();
}

}  // namespace qkv::cli
