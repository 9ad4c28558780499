#include "plan/explain_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "plan/layers.h"
#include "scan/dependence.h"

namespace pawl::plan {
namespace {

using graph::Graph;
using graph::Node;
using graph::ScanOp;
using graph::ValueId;
using scan::Dependence;

// In pixels.
constexpr int kWidth = 128;
constexpr int kHeight = 30;
constexpr int kGapX = 44;
constexpr int kMargin = 24;
constexpr int kTitle = 72;
constexpr int kTop = kTitle + 14;  ///< of the first row
constexpr int kReturn = 12;        ///< between two arrows that come back
constexpr int kLoopMargin = 24;    ///< between the loop's edge and its boxes

enum class Place : std::uint8_t { before, loop, after };

struct Box {
  std::string name;
  std::string below;  ///< a second, smaller line
  const char* fill = "";
  Place place = Place::loop;
  int column = 0;
  int x = 0;
  int y = 0;
};

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
      case '&': safe += "&amp;"; break;
      case '<': safe += "&lt;"; break;
      case '>': safe += "&gt;"; break;
      case '"': safe += "&quot;"; break;
      default: safe += static_cast<unsigned char>(c) < 32 ? ' ' : c;
    }
  }
  return safe;
}

/// At most so many characters; the end gives way.
std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t cut = most - 1;
  while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) --cut;
  return text.substr(0, cut) + "…";
}

/// "n [4,256]", cut in the name.
std::string labelled(const graph::ValueInfo& value) {
  constexpr std::size_t kMost = 24;
  const std::string shape = value.fact.type.shape ? to_string(*value.fact.type.shape) : std::string();
  return shortened(value.name, shape.size() + 6 < kMost ? kMost - 1 - shape.size() : 5) + " " + shape;
}

class Picture {
 public:
  Picture(const Graph& outer, const Node& node, const ScanOp& scan, const std::vector<scan::Note>& notes,
          std::string summary)
      : outer_(outer),
        node_(node),
        summary_(std::move(summary)),
        scan_(scan),
        body_(*scan.body.graph),
        dependence_(scan),
        box_of_(body_.values.size(), kNone) {
    for (const scan::Note& note : notes)
      if (note.scan == node.label) what_.emplace(note.node, note.what);
    add_boxes();
    set_columns();
    set_positions();
  }

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }

  [[nodiscard]] std::string draw(int top) const {
    std::string out = fmt::format("<g transform=\"translate(0,{})\">\n", top);
    out += fmt::format("<text x=\"{}\" y=\"26\" font-size=\"16\" font-weight=\"bold\">{}</text>\n", kMargin,
                       escaped(node_.label));
    out += fmt::format("<text x=\"{}\" y=\"44\" font-size=\"12\" fill=\"#44443e\">{}</text>\n", kMargin,
                       escaped(summary_));
    out += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"10\" fill=\"#f7f7f4\" stroke=\"#8a8a80\" "
        "stroke-dasharray=\"6 4\"/>\n",
        loop_x_, kTitle - 14, loop_width_, loop_height_);
    if (before_end_ > 0) out += heading(kMargin, "before the loop, for all steps at once");
    out += heading(loop_x_ + 10, "in the loop");
    if (has_sunk()) out += heading(left_of(loop_end_), "after the loop, for all steps at once");
    for (std::size_t i = 0; i < arrows_.size(); ++i) out += draw_arrow(i);
    for (std::size_t i = 0; i < returns_.size(); ++i)
      out += draw_return(boxes_[returns_[i].from], boxes_[returns_[i].to], static_cast<int>(i));
    for (const Box& box : boxes_) out += draw_box(box);
    return out + "</g>\n";
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  static std::string heading(int x, std::string_view words) {
    return fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"11\" fill=\"#6b6b62\">{}</text>\n", x, kTitle + 1, words);
  }

  [[nodiscard]] bool has_sunk() const {
    return std::any_of(what_.begin(), what_.end(), [](const auto& each) { return each.second == "sunk"; });
  }

  std::size_t add(Box box) {
    boxes_.push_back(std::move(box));
    return boxes_.size() - 1;
  }

  void add_boxes() {
    for (std::size_t i = 0; i < body_.inputs.size(); ++i) {
      const bool is_state = i < scan_.states;
      const graph::ValueInfo& value = body_[body_.inputs[i]];
      box_of_[body_.inputs[i].index] =
          add({value.name, to_string(value.fact.type), is_state ? "#f6c7c7" : "#cfe3f7", Place::loop});
    }
    const std::vector<bool> reaches_next = graph::values_behind(body_, std::span(body_.outputs).first(scan_.states));
    for (const Node& node : body_.nodes) {
      const std::size_t box = add(box_for(node, reaches_next));
      for (const ValueId id : node.outputs)
        if (id.valid()) box_of_[id.index] = box;
      graph::for_each_read(node, [&](ValueId id) {
        if (box_of_[id.index] != kNone) arrows_.push_back({box_of_[id.index], box});
      });
    }
    for (std::size_t k = scan_.states; k < body_.outputs.size(); ++k) {
      const ValueId id = body_.outputs[k];
      const ValueId outside = node_.outputs[k];
      const std::string& name = outside.valid() ? outer_[outside].name : body_[id].name;
      const std::size_t box = add({name, "output", "#ffffff", Place::after});
      if (box_of_[id.index] != kNone) arrows_.push_back({box_of_[id.index], box});
    }
    for (std::size_t i = 0; i < scan_.states; ++i) {
      const std::size_t from = box_of_[body_.outputs[i].index];
      if (from != kNone) returns_.push_back({from, box_of_[body_.inputs[i].index]});
    }
  }

  Box box_for(const Node& node, const std::vector<bool>& reaches_next) const {
    Box box;
    const auto* call = std::get_if<graph::OpCall>(&node.operation);
    box.name = call != nullptr ? std::string(call->schema->name) : node.label.substr(0, node.label.find(' '));
    bool on_state = false;
    bool on_element = false;
    bool next = false;
    for (const ValueId id : node.outputs) {
      if (!id.valid()) continue;
      if (box.below.empty()) box.below = labelled(body_[id]);
      on_state = on_state || dependence_.on_state(id);
      on_element = on_element || dependence_.on_element(id);
      next = next || reaches_next[id.index];
    }
    box.fill = on_state ? (next ? "#f2b8a0" : "#d9f0d0") : on_element ? "#bcd9f2" : "#e3e0d6";
    if (const auto found = what_.find(node.label); found != what_.end())
      box.place = found->second == "hoisted" ? Place::before : found->second == "sunk" ? Place::after : Place::loop;
    return box;
  }

  /// Longest paths; what runs before the loop stands left of it, what runs after it right of it.
  void set_columns() {
    // Elements that only what moved before the loop reads stand there too.
    std::vector<bool> inside(boxes_.size(), false);
    std::vector<bool> outside(boxes_.size(), false);
    for (const Arrow& arrow : arrows_) (boxes_[arrow.to].place == Place::before ? outside : inside)[arrow.from] = true;
    for (std::size_t i = scan_.states; i < body_.inputs.size(); ++i)
      if (outside[i]) boxes_[i].place = Place::before;
    int start = 0;
    for (const Place place : {Place::before, Place::loop, Place::after}) {
      int last = start - 1;
      for (std::size_t i = 0; i < boxes_.size(); ++i) {
        if (boxes_[i].place != place) continue;
        int column = start;
        for (const Arrow& arrow : arrows_)
          if (arrow.to == i && boxes_[arrow.from].place == place)
            column = std::max(column, boxes_[arrow.from].column + 1);
        boxes_[i].column = column;
        last = std::max(last, column);
      }
      (place == Place::before ? before_end_ : place == Place::loop ? loop_end_ : after_end_) = last + 1;
      start = last + 1;
    }
  }

  void set_positions() {
    std::vector<int> columns;
    for (const Box& box : boxes_) columns.push_back(box.column);
    layers_ = place_in_layers(columns, arrows_, {.box = kHeight});
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      boxes_[i].x = left_of(boxes_[i].column);
      boxes_[i].y = kTop + layers_.center[i] - kHeight / 2;
    }
    const int end = std::max(after_end_, loop_end_);
    loop_x_ = left_of(before_end_) - kLoopMargin;
    loop_width_ = left_of(loop_end_ - 1) + kWidth + kLoopMargin - loop_x_;
    loop_height_ = kTop - kTitle + layers_.height + 24 + static_cast<int>(returns_.size()) * kReturn;
    width_ = std::max(left_of(end - 1) + kWidth, loop_x_ + loop_width_) + kMargin;
    width_ = std::max(width_, kMargin * 2 + static_cast<int>(summary_.size()) * 7);
    height_ = kTitle + loop_height_ + kMargin;
  }

  /// The columns of the loop keep a distance from those before and after it.
  [[nodiscard]] int left_of(int column) const {
    const int edges = (column >= before_end_ ? 1 : 0) + (column >= loop_end_ ? 1 : 0);
    return kMargin + column * (kWidth + kGapX) + edges * kLoopMargin;
  }

  static std::string draw_box(const Box& box) {
    return fmt::format(
        "<rect x=\"{0}\" y=\"{1}\" width=\"{2}\" height=\"{3}\" rx=\"5\" fill=\"{4}\" stroke=\"#55554e\"/>\n"
        "<text x=\"{5}\" y=\"{6}\" font-size=\"12\" text-anchor=\"middle\">{7}</text>\n"
        "<text x=\"{5}\" y=\"{8}\" font-size=\"9\" fill=\"#55554e\" text-anchor=\"middle\">{9}</text>\n",
        box.x, box.y, kWidth, kHeight, box.fill, box.x + kWidth / 2, box.y + 13, escaped(shortened(box.name, 16)),
        box.y + 25, escaped(shortened(box.below, 26)));
  }

  /// From the right side of a box to the left side of another, past those between them.
  [[nodiscard]] std::string draw_arrow(std::size_t number) const {
    const Box& from = boxes_[arrows_[number].from];
    const Box& to = boxes_[arrows_[number].to];
    int x = from.x + kWidth;
    int y = from.y + kHeight / 2;
    std::string path = fmt::format("M{} {}", x, y);
    const auto curve = [&](int to_x, int to_y) {
      path += fmt::format(" C{} {} {} {} {} {}", x + kGapX / 2, y, to_x - kGapX / 2, to_y, to_x, to_y);
      x = to_x;
      y = to_y;
    };
    int column = from.column;
    for (const int height : layers_.lanes[number]) {
      curve(left_of(++column), kTop + height);
      x += kWidth;
      path += fmt::format(" H{}", x);
    }
    curve(to.x - 2, to.y + kHeight / 2);
    return fmt::format("<path d=\"{}\" fill=\"none\" stroke=\"#77776d\" marker-end=\"url(#tip)\"/>\n", path);
  }

  /// Below everything, back to the start of the next step.
  [[nodiscard]] std::string draw_return(const Box& from, const Box& to, int number) const {
    const int count = std::max<int>(static_cast<int>(returns_.size()), 1);
    const int aside = 8 + number * (kGapX - 22) / count;
    const int bottom = kTop + layers_.height + 12 + number * kReturn;
    return fmt::format(
        "<path d=\"M{} {} H{} V{} H{} V{} H{}\" fill=\"none\" stroke=\"#b23b3b\" stroke-width=\"1.5\" "
        "marker-end=\"url(#back)\"/>\n",
        from.x + kWidth, from.y + kHeight - 6, from.x + kWidth + aside, bottom, to.x - 6 - number * 14 / count,
        to.y + kHeight / 2, to.x - 2);
  }

  const Graph& outer_;
  const Node& node_;
  std::string summary_;
  const ScanOp& scan_;
  const Graph& body_;
  const Dependence dependence_;
  std::map<std::string, std::string_view> what_;
  std::vector<std::size_t> box_of_;  ///< by value
  std::vector<Box> boxes_;
  std::vector<Arrow> arrows_;
  std::vector<Arrow> returns_;
  int before_end_ = 0;
  int loop_end_ = 0;
  int after_end_ = 0;
  Layers layers_;
  int loop_x_ = 0;
  int loop_width_ = 0;
  int loop_height_ = 0;
  int width_ = 0;
  int height_ = 0;
};

void collect(const Graph& graph, const std::vector<scan::Note>& notes, const Summaries& summaries,
             std::vector<Picture>& pictures) {
  for (const Node& node : graph.nodes) {
    if (const auto* scan = std::get_if<ScanOp>(&node.operation)) {
      const auto summary = summaries.find(node.label);
      pictures.emplace_back(graph, node, *scan, notes, summary == summaries.end() ? std::string() : summary->second);
    }
    graph::for_each_body(
        node, [&](const graph::Body& body, std::string_view) { collect(*body.graph, notes, summaries, pictures); });
  }
}

constexpr std::string_view kLegend[][2] = {{"#e3e0d6", "the same in every step"},
                                           {"#bcd9f2", "of elements only"},
                                           {"#f2b8a0", "a next state needs it"},
                                           {"#d9f0d0", "only outputs need it"},
                                           {"#f6c7c7", "state"}};

}  // namespace

std::string to_svg(const Graph& graph, const std::vector<scan::Note>& notes, const Summaries& summaries) {
  std::vector<Picture> pictures;
  collect(graph, notes, summaries, pictures);
  int width = 760;
  int height = 40;
  for (const Picture& picture : pictures) {
    width = std::max(width, picture.width());
    height += picture.height();
  }
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"sans-serif\">\n",
      width, height);
  out += "<defs>";
  for (const auto& [id, color] : {std::pair{"tip", "#77776d"}, std::pair{"back", "#b23b3b"}})
    out += fmt::format(
        "<marker id=\"{}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" "
        "orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\" fill=\"{}\"/></marker>",
        id, color);
  out += "</defs>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
  int x = kMargin;
  for (const auto& [color, words] : kLegend) {
    out += fmt::format(
        "<rect x=\"{}\" y=\"12\" width=\"14\" height=\"14\" fill=\"{}\" stroke=\"#55554e\"/><text x=\"{}\" y=\"23\" "
        "font-size=\"11\">{}</text>\n",
        x, color, x + 19, words);
    x += 40 + static_cast<int>(words.size()) * 6;
  }
  int top = 40;
  for (const Picture& picture : pictures) {
    out += picture.draw(top);
    top += picture.height();
  }
  return out + "</svg>\n";
}

}  // namespace pawl::plan
