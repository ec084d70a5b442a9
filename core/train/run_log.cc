#include "core/train/run_log.h"

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>

#include "core/base/json.h"
#include "core/io/files.h"

namespace qkv {
namespace {

struct Point {
  double x, y;
};

struct Curve {
  const char* kind;
  const char* field;
  const char* title;
  const char* unit;
};
constexpr Curve kCurves[] = {{"step", "loss", "Loss while learning", "nats a piece"},
                             {"measure", "loss", "Loss on held-out pairs", "nats a piece"},
                             {"measure", "bleu", "BLEU on held-out pairs", "0 to 100"},
                             {"step", "rate", "Learning rate", ""},
                             {"step", "gradient", "Length of the gradient", ""},
                             {"step", "tokens_per_second", "Speed", "tokens a second"}};

std::vector<Point> Points(const std::vector<std::string>& lines, const Curve& curve) {
  std::vector<Point> points;
  for (const std::string& line : lines) {
    rapidjson::Document json;
    json.Parse(line.c_str(), line.size());
    if (json.HasParseError() || !json.IsObject() || !json.HasMember("kind") || !json.HasMember("step")) continue;
    if (!json["kind"].IsString() || std::string_view(json["kind"].GetString()) != curve.kind) continue;
    if (!json.HasMember(curve.field) || !json[curve.field].IsNumber() || !json["step"].IsNumber()) continue;
    points.push_back({json["step"].GetDouble(), json[curve.field].GetDouble()});
  }
  return points;
}

// A step of 1, 2 or 5 times a power of ten, so that about four steps span the range.
double NiceStep(double range) {
  const double raw = range / 4, power = std::pow(10, std::floor(std::log10(raw)));
  for (const double nice : {1.0, 2.0, 5.0}) {
    if (raw <= nice * power) return nice * power;
  }
  return 10 * power;
}

std::string Number(double x, const char* format = "%.6g") {
  char text[32];
  std::snprintf(text, sizeof text, format, x);
  return text;
}

std::string Text(double x, double y, const char* anchor, const std::string& text) {
  return "<text x=\"" + Number(x) + "\" y=\"" + Number(y) + "\" text-anchor=\"" + anchor + "\">" + text + "</text>";
}

// One curve with its axes. A chart library would be larger than these lines.
std::string Figure(const Curve& curve, const std::vector<Point>& points) {
  constexpr double kWidth = 640, kHeight = 260, kLeft = 64, kBottom = 32, kTop = 12, kRight = 12;
  // The range of y; a flat curve gets a little space.
  double low = points[0].y, high = points[0].y;
  for (const Point& p : points) {
    low = std::min(low, p.y);
    high = std::max(high, p.y);
  }
  if (high - low < 1e-12 * std::max(1.0, std::abs(high))) high = low + std::max(1e-9, std::abs(low) * 0.01);
  // From values to pixels.
  const double last = std::max(points.back().x, 1.0);
  const auto x = [&](double v) { return kLeft + (kWidth - kLeft - kRight) * v / last; };
  const auto y = [&](double v) { return kTop + (kHeight - kTop - kBottom) * (high - v) / (high - low); };
  // The caption, and what a screen reader says.
  std::string svg = "<figure><figcaption>" + std::string(curve.title) +
                    (*curve.unit != 0 ? " <small>" + std::string(curve.unit) + "</small>" : "") +
                    "</figcaption><svg viewBox=\"0 0 640 260\" role=\"img\" aria-label=\"" + curve.title + ", from " +
                    Number(points.front().y, "%.4g") + " at step " + Number(points.front().x) + " to " +
                    Number(points.back().y, "%.4g") + " at step " + Number(points.back().x) + "\">";
  // Lines of the grid and numbers beside the axes.
  const double dy = NiceStep(high - low), dx = NiceStep(last);
  for (double v = std::ceil(low / dy) * dy; v <= high; v += dy) {
    svg += "<path class=\"grid\" d=\"M" + Number(kLeft) + " " + Number(y(v)) + "H" + Number(kWidth - kRight) + "\"/>" +
           Text(kLeft - 8, y(v) + 4, "end", Number(std::abs(v) < dy / 1e6 ? 0 : v, "%.4g"));
  }
  for (double v = 0; v <= last; v += dx) svg += Text(x(v), kHeight - 10, "middle", Number(v));
  // The curve; what is not finite is left out.
  std::string path;
  for (const Point& p : points) {
    if (std::isfinite(p.y)) path += (path.empty() ? "M" : "L") + Number(x(p.x), "%.5g") + " " + Number(y(p.y), "%.5g");
  }
  return svg + "<path class=\"line\" d=\"" + path + "\"/></svg></figure>\n";
}

constexpr const char* kPage = R"(<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Training</title>
<style>
  :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
  body { max-width: 720px; margin: 24px auto; padding: 0 16px; }
  figure { margin: 0 0 32px; }
  figcaption small { opacity: .7; }
  svg { width: 100%; height: auto; }
  text { font-size: 12px; fill: currentColor; opacity: .75; font-variant-numeric: tabular-nums; }
  .grid { stroke: currentColor; opacity: .15; }
  .line { stroke: #2f6fde; stroke-width: 1.5; fill: none; }
</style>
<h1>Training</h1>
)";

}  // namespace

Result<RunLog> RunLog::Open(const std::string& folder, uint64_t step) {
  RunLog log(folder);
  if (step > 0) {
    std::ifstream file(log.path());
    for (std::string line; std::getline(file, line);) {
      rapidjson::Document json;
      json.Parse(line.c_str(), line.size());
      const bool whole = !json.HasParseError() && json.IsObject() && json.HasMember("step") && json["step"].IsUint64();
      if (whole && json["step"].GetUint64() <= step) log.lines_.push_back(line);
    }
  }
  std::string text;
  for (const std::string& line : log.lines_) text += line + "\n";
  QKV_CHECK(WriteWholeFile(log.path(), text));
  return log;
}

Result<void> RunLog::Add(const char* kind, uint64_t step, const Values& values) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> json(buffer);
  json.SetMaxDecimalPlaces(8);
  // A line of JSON. JSON has no infinity and no NaN: they are null.
  json.StartObject();
  json.Key("kind");
  json.String(kind);
  json.Key("step");
  json.Uint64(step);
  for (const auto& [name, value] : values) {
    json.Key(name);
    if (std::isfinite(value)) {
      json.Double(value);
    } else {
      json.Null();
    }
  }
  json.EndObject();
  lines_.emplace_back(buffer.GetString());
  // The line is written at once, so that the log is complete after a crash.
  std::ofstream file(path(), std::ios::app);
  file << lines_.back() << "\n" << std::flush;
  if (!file) return Error{ErrorCode::kInvalidFile, "cannot be written", path()};
  return {};
}

Result<void> RunLog::Draw() const {
  std::string page = kPage;
  for (const Curve& curve : kCurves) {
    const std::vector<Point> points = Points(lines_, curve);
    if (points.size() > 1) page += Figure(curve, points);
  }
  return WriteWholeFile(folder_ + "/curves.html", page);
}

}  // namespace qkv
