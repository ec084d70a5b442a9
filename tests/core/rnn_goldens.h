// The goldens of recurrent models, tests/goldens/rnn.json: each case and the model that it is of.
#pragma once

#include <gtest/gtest.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/models/any_sequence_model.h"
#include "core/train/loss_pass.h"
#include "core/train/parameters.h"
#include "tests/core/goldens.h"

namespace qkv {

inline std::string Text(const Json& json) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  json.Accept(writer);
  return buffer.GetString();
}

// A case of the goldens, and the model that it is of.
class RnnCase {
 public:
  // `more`: members of the config, each with a comma after it.
  RnnCase(const Json& json, float smoothing, const std::vector<double>& data, const std::string& more = "")
      : smoothing(smoothing), json_(json), data_(data) {
    Result<std::unique_ptr<SequenceModel>> made = MakeSequenceModel("{" + more + Text(json["config"]).substr(1));
    EXPECT_TRUE(made) << made.error().ToString();
    model = std::move(*made);
    slots = model->Slots();
    ReserveFloats(slots);
    parameters = std::make_unique<Parameters>(slots);
    for (LearntParameter& p : parameters->all()) {
      const std::vector<double> weight = (*this)["w " + p.name];
      EXPECT_EQ(weight.size(), p.outputs * p.inputs) << p.name;
      PackInto(p, std::vector<float>(weight.begin(), weight.end()).data(), p.value);
    }
    for (const Json& pair : json["pairs"].GetArray()) batch.AddPair(Ids(pair[0]), Ids(pair[1]), model->config().start);
  }

  std::string name() const { return json_["name"].GetString(); }
  double loss() const { return json_["loss"].GetDouble(); }
  bool Has(const std::string& name) const { return json_["tensors"].HasMember(name.c_str()); }
  std::vector<double> operator[](const std::string& name) const {
    const Json& tensor = json_["tensors"][name.c_str()];
    const auto at = data_.begin() + static_cast<std::ptrdiff_t>(tensor["offset"].GetUint());
    return {at, at + static_cast<std::ptrdiff_t>(tensor["size"].GetUint())};
  }
  // Pair i of the batch.
  std::span<const int32_t> source(size_t i) const { return Of(batch.source, batch.source_segments, i); }
  std::span<const int32_t> read(size_t i) const { return Of(batch.target_in, batch.target_segments, i); }
  std::span<const int32_t> target(size_t i) const { return Of(batch.target_out, batch.target_segments, i); }

  std::unique_ptr<SequenceModel> model;
  WeightSlots slots;
  std::unique_ptr<Parameters> parameters;
  Batch batch;
  float smoothing;

 private:
  static std::span<const int32_t> Of(const std::vector<int32_t>& ids, const Segments& segments, size_t i) {
    return {ids.data() + segments.begin(i), segments.length(i)};
  }
  const Json& json_;
  const std::vector<double>& data_;
};

// Whether a config may have hard attention: a global window without input feeding.
inline bool CanBeHard(const Json& config) {
  return std::string_view(config["variant"].GetString()) == "luong" && !config.HasMember("window") &&
         !config.HasMember("input_feeding");
}

// Calls test(case) for each case; if `hard`, for those that can have hard attention, with it.
template <class Test>
void ForEachRnnCase(const Test& test, bool hard = false) {
  const JsonObject json = ReadGoldens("tests/goldens/rnn.json");
  const std::vector<double> data = ReadDoubles("tests/goldens/rnn.bin");
  for (const Json& each : (*json.Find("cases")).GetArray()) {
    if (hard && !CanBeHard(each["config"])) continue;
    RnnCase golden(each, json.Find("smoothing")->GetFloat(), data, hard ? R"("selection": "hard",)" : "");
    SCOPED_TRACE(golden.name());
    test(golden);
  }
}

}  // namespace qkv
