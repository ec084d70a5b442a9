// The options of a request of the attention family, by name.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "core/attention/attend.h"
#include "wasm/tensor.h"

namespace qkv::wasm {

// The choices, with everything that `attention` refers to.
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
// columns, spread}; web/lib/engine/glue.d.ts says what each is.
Result<void> ReadChoices(const val& request, Choices& choices);

// {query, key, value, valueIsKey, columns, spread}: the inputs of a request, kept in `choices`. With `spread` each
// query is a head of its own.
AttentionInputs ReadInputs(const val& request, Choices& choices);

}  // namespace qkv::wasm
