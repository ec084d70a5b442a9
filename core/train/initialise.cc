#include "core/train/initialise.h"

#include <cmath>

#include "core/base/random.h"

namespace qkv {
namespace {

// Box and Muller 1958.
float Normal(Random& random) {
  const double u = 1 - static_cast<double>(random.Uniform()), v = random.Uniform();
  return static_cast<float>(std::sqrt(-2 * std::log(u)) * std::cos(2 * 3.14159265358979323846 * v));
}

}  // namespace

void Initialise(Parameters& parameters, uint64_t seed) {
  uint64_t stream = 0;
  for (LearntParameter& p : parameters.all()) {
    Random random(seed, stream++);
    const auto inputs = static_cast<float>(p.inputs), outputs = static_cast<float>(p.outputs);
    std::vector<float> rows(p.outputs * p.inputs);
    for (size_t i = 0; i < rows.size(); ++i) {
      // A draw by the parameter's kind; the second quarter of an LSTM's bias belongs to the forget gate.
      float& x = rows[i];
      switch (p.start) {
        case Start::kMatrix:
          x = (2 * random.Uniform() - 1) * std::sqrt(6 / (inputs + outputs));
          break;
        case Start::kEmbedding:
          x = Normal(random) / std::sqrt(inputs);
          break;
        case Start::kZeros:
          x = 0;
          break;
        case Start::kOnes:
          x = 1;
          break;
        case Start::kForgetting:
          x = 4 * i / rows.size() == 1 ? 1 : 0;
          break;
      }
    }
    std::fill_n(p.value, p.size, 0.0f);
    PackInto(p, rows.data(), p.value);
  }
}

}  // namespace qkv
