// Reads the options of a request of the attention family.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "core/attention/attend.h"
#include "wasm/tensor.h"

namespace qkv::wasm {

// The choices. `attention` refers to the other members.
struct Choices {
  Attention attention;
  std::deque<std::string> names;
  std::deque<Tensor> tensors;
  std::vector<Parameter> parameters;
  std::vector<uint8_t> allowed;

  ConstHeads Store(const val& tensor, bool columns = false) {
    return tensors.emplace_back(ReadTensor(tensor, columns)).view();
  }
};

// {score, parameters: [{name, data, shape}], selection, temperature, alpha, seedHigh, seedLow, window, mask, maskUsed,
// columns, spread}; web/lib/engine/glue.d.ts describes them.
Result<void> ReadChoices(const val& request, Choices& choices);

// {query, key, value, valueIsKey, columns, spread}: the inputs of a request, stored in `choices`. With `spread` each
// query is a head.
AttentionInputs ReadInputs(const val& request, Choices& choices);

}  // namespace qkv::wasm
