// Runs the code of a translation before there is one to make. A browser first compiles a function of WebAssembly
// quickly, and compiles it again, to code that is several times as fast, when it has run for a while. An engine that
// waits for its model's weights uses the time for that.
#pragma once

#include <cstdint>
#include <memory>

#include "core/base/context.h"
#include "core/models/transformer.h"

namespace qkv {

class WarmUp {
 public:
  // Translates with a small Transformer whose weights are zeros. Its layers are those of a model with this config, and
  // its numbers are int8 or floats.
  WarmUp(TransformerConfig config, Numbers numbers);

  // The most bytes that it takes, its weights and a step together.
  static constexpr uint64_t kMemory = uint64_t{4} << 20;

  // Translates some made-up pieces. Returns true when that has been done often enough.
  bool Step(Context& ctx);

 private:
  std::unique_ptr<Transformer> model_;
  size_t steps_ = 0;
};

}  // namespace qkv
