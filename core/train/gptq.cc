#include "core/train/gptq.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <map>
#include <set>

#include "core/kernels/int4.h"
#include "core/kernels/quantized.h"

namespace qkv {
namespace {

// The part of the mean of H's diagonal that is added to the diagonal, as in the paper.
constexpr double kDamping = 0.01;

// Matrices, by the address of their floats, that multiply the same inputs.
using Group = std::vector<const float*>;

// The groups in the order in which a forward computes with them, but the logits' matrix first: with shared embeddings
// it is also the table that everything else reads.
std::vector<Group> GroupsInOrder(const TranslationModel& model, const CalibrationText& text, ThreadPool& pool) {
  std::vector<Group> groups;
  std::set<const float*> seen;
  const float* last = nullptr;
  ForEachProduct(model, {&text, 1}, pool, [&](const float* weights, ConstMatrixView x) {
    if (!seen.insert(weights).second) return;
    if (x.data() != last) groups.emplace_back();
    last = x.data();
    groups.back().push_back(weights);
  });
  std::rotate(groups.begin(), groups.end() - 1, groups.end());
  return groups;
}

// The sum of x x' of a group's inputs.
Eigen::MatrixXd MomentsOf(const TranslationModel& model, const std::vector<CalibrationText>& texts,
                          const float* weights, size_t inputs, ThreadPool& pool) {
  const auto size = static_cast<Eigen::Index>(inputs);
  Eigen::MatrixXd moments = Eigen::MatrixXd::Zero(size, size);
  ForEachProduct(model, texts, pool, [&](const float* each, ConstMatrixView x) {
    if (each == weights) moments.noalias() += (x.transpose() * x).cast<double>();
  });
  return moments;
}

// The integers and scales of a matrix, and where they will be stored.
struct Rounded {
  Weight* weight;
  std::vector<int8_t> integers;  // [outputs, inputs]
  std::vector<float> scales;     // [outputs]
};

// Rounds a matrix, and sets its floats to what the integers stand for.
Rounded RoundMatrix(Weight& weight, const Gptq& gptq, ThreadPool& pool) {
  const size_t inputs = weight.inputs(), outputs = weight.outputs();
  Rounded rounded{&weight, std::vector<int8_t>(inputs * outputs), std::vector<float>(outputs)};
  pool.For(outputs, 16, [&](size_t begin, size_t end) {
    std::vector<float> row(inputs);
    for (size_t o = begin; o < end; ++o) {
      weight.GetRow(o, row.data());
      const float scale = rounded.scales[o] = ScaleOfWeights(row.data(), inputs);
      int8_t* const integers = rounded.integers.data() + o * inputs;
      gptq.Round(row.data(), scale, integers);
      std::transform(integers, integers + inputs, row.begin(), [&](int8_t q) { return scale * static_cast<float>(q); });
      weight.floats().SetRow(o, row.data());
    }
  });
  return rounded;
}

void Store(const Rounded& rounded) {
  Weight& weight = *rounded.weight;
  const size_t outputs = weight.outputs(), inputs = weight.inputs();
  weight.Reserve(Numbers::kInt8, outputs, inputs);
  for (size_t o = 0; o < outputs; ++o) {
    weight.int8().SetRow(o, rounded.integers.data() + o * inputs);
    weight.int8().SetScale(o, rounded.scales[o]);
  }
}

}  // namespace

Gptq::Gptq(const Eigen::MatrixXd& moments) {
  const Eigen::Index size = moments.rows();
  const double mean = moments.diagonal().mean();
  Eigen::MatrixXd h = moments;
  h.diagonal().array() += mean > 0 ? kDamping * mean : 1;
  const Eigen::MatrixXd inverse = h.llt().solve(Eigen::MatrixXd::Identity(size, size));
  factor_ = inverse.llt().matrixU();
}

void Gptq::Round(const float* weights, float scale, int8_t* rounded) const {
  const auto inputs = static_cast<size_t>(factor_.rows());
  std::vector<double> row(inputs);  // what is still to be rounded, in units of int8
  for (size_t i = 0; i < inputs; ++i) row[i] = scale > 0 ? weights[i] / scale : 0;
  for (size_t first = 0; first < inputs; first += kInt4Group) {
    // An error at input i costs its square over U[i, i]^2, after later inputs have made up for what they can.
    float group[kInt4Group], importance[kInt4Group];
    for (size_t i = 0; i < kInt4Group; ++i) {
      const auto at = static_cast<Eigen::Index>(first + i);
      group[i] = static_cast<float>(row[first + i]);
      importance[i] = static_cast<float>(1 / (factor_(at, at) * factor_(at, at)));
    }
    const int m = ChooseInt4Byte(group, importance);
    // Each weight in turn is rounded; later ones change by its error times U[i, j] / U[i, i].
    for (size_t i = first; i < first + kInt4Group; ++i) {
      const double* const factors = factor_.data() + i * inputs;
      rounded[i] = static_cast<int8_t>(RoundToInt4(static_cast<float>(row[i]), m));
      const double error = (row[i] - rounded[i]) / factors[i];
      for (size_t j = i + 1; j < inputs; ++j) row[j] -= error * factors[j];
    }
  }
}

Result<void> QuantizeByGptq(TranslationModel& model, const WeightSlots& slots, const std::vector<std::string>& texts,
                            ThreadPool& pool) {
  QKV_TRY(const std::vector<CalibrationText> translated, TranslateForCalibration(model, texts, pool));
  std::map<const float*, Weight*> matrices;
  for (const WeightSlot& slot : slots.slots) {
    if (!IsForInt4(slot)) continue;
    Weight* const weight = std::get<Weight*>(slot.to);
    matrices[weight->floats().data()] = weight;
  }
  std::vector<Rounded> done;
  for (const Group& group : GroupsInOrder(model, translated.front(), pool)) {
    const auto first = matrices.find(group.front());
    if (first == matrices.end()) continue;
    const Gptq gptq(MomentsOf(model, translated, group.front(), first->second->inputs(), pool));
    for (const float* weights : group) {
      if (const auto found = matrices.find(weights); found != matrices.end()) {
        done.push_back(RoundMatrix(*found->second, gptq, pool));
      }
    }
  }
  for (const Rounded& rounded : done) Store(rounded);
  return {};
}

}  // namespace qkv
