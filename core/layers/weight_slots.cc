#include "core/layers/weight_slots.h"

namespace qkv {

void ReserveFloats(WeightSlots& slots) {
  for (WeightSlot& slot : slots.slots) {
    if (Weight* const* weight = std::get_if<Weight*>(&slot.to)) {
      (*weight)->Reserve(Numbers::kFloat, slot.outputs, slot.inputs);
    } else {
      (*std::get_if<Vector*>(&slot.to))->setZero(static_cast<Eigen::Index>(slot.outputs));
    }
  }
}

}  // namespace qkv
