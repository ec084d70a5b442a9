// Marian's own files from JavaScript: {sourceSpm, targetSpm, shortlist, weightsSize} and their names.
#pragma once

#include <emscripten/val.h>

#include <cstdint>
#include <string>
#include <vector>

#include "core/translate/marian_loader.h"
#include "wasm/values.h"

namespace qkv::wasm {

struct GivenMarian {
  explicit GivenMarian(const val& given)
      : names(Field(given, "names")),
        source(Bytes(Field(given, "sourceSpm"))),
        target(Bytes(Field(given, "targetSpm"))) {}

  // Views of the bytes in this object.
  MarianFiles Files(const val& given) const {
    return {.source_vocabulary = {source, Text(names, "sourceSpm")},
            .target_vocabulary = {target, Text(names, "targetSpm")},
            .shortlist = Bytes(Field(given, "shortlist")),
            .shortlist_name = Text(names, "shortlist")};
  }

  val names;
  std::vector<uint8_t> source, target;
};

// The size of the weights in bytes; 0 if it is not known.
inline uint64_t WeightsSize(const val& given) {
  const val bytes = Field(given, "weightsSize");
  return bytes.isNumber() ? static_cast<uint64_t>(bytes.as<double>()) : 0;
}

}  // namespace qkv::wasm
