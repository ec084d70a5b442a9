// Bindings of the program that can change a model's forward pass.
#include "wasm/changes.h"

#include "core/explain/change_list.h"
#include "wasm/values.h"

namespace qkv::wasm {

Result<std::shared_ptr<const PassChanges>> ReadChanges(const val& options, const SequenceConfig& config) {
  using Parsed = std::shared_ptr<const PassChanges>;
  const val json = Field(options, "interventions");
  if (!json.isString()) return Parsed();
  Result<std::shared_ptr<const ChangeList>> changes =
      ParseChanges(json.as<std::string>(), ChangeablePlaces::Of(config));
  return changes ? Result<Parsed>(std::move(*changes)) : changes.error();
}

}  // namespace qkv::wasm
