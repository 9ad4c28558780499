// One shader of a chunked Scan, piece by piece.
#pragma once

#include <set>

#include "backend/wgsl/chunked_scan.h"

namespace pawl::wgsl {

/// Scratch of all passes, behind the buffers of the call.
enum class ChunkScratch : std::uint8_t { parts, tiles, again };

/// Writes a shader and notes what it reads, writes and is told. Numbers that all passes share are named: steps, lanes;
/// group, groups (lanes of a workgroup side by side, and how many such there are); parts (of a tile, that invocations
/// have); rows (of a part); tiles; of staged ones also stages (of a tile, one after the other).
class ChunkedPass {
 public:
  ///   stage_words : numbers that a workgroup holds of each buffer that is staged
  ChunkedPass(const LaneLaws& laws, const ChunkedScanCall& call, const Target& target, const ChunkedScanPolicy& policy,
              int stage_words)
      : laws_(laws), call_(call), target_(target), policy_(policy), stage_words_(stage_words) {}

  /// Sums up the parts and the tile of each workgroup.
  Pass reduce();
  /// The steps, from the states before each part.
  Pass scan();
  /// The steps of doubtful lanes, one after the other.
  Pass again();

  /// Places among the buffers of all passes.
  [[nodiscard]] static std::size_t input_at(std::size_t i) { return i; }
  [[nodiscard]] std::size_t initial_at(std::size_t i) const { return laws_.inputs.size() + i; }
  [[nodiscard]] std::size_t final_at(std::size_t i) const { return initial_at(laws_.states.size()) + i; }
  [[nodiscard]] std::size_t output_at(std::size_t k) const { return final_at(laws_.states.size()) + k; }
  [[nodiscard]] std::size_t scratch_at(ChunkScratch which) const {
    return output_at(laws_.outputs.size()) + static_cast<std::size_t>(which);
  }

 private:
  using Row = std::function<void(const std::string& values, const std::string& t)>;

  // --- declarations: chunked_pass.cpp
  [[nodiscard]] const PlacedBuffer& placed(std::size_t at) const;
  std::string buffer(std::size_t at, bool writes);
  /// A literal, or a param of that name.
  std::string count(const std::string& name, const Count& value);
  std::string number(const std::string& name) { return count(name, Count::named(name)); }
  std::string declared(std::size_t at) const;
  Pass finish(const std::string& id, const Count& workgroups);
  void write_items(ChunkScratch which, const std::string& name);
  void write_scan_parts();
  void write_subgroup_scan();
  [[nodiscard]] bool doubts() const { return call_.again && laws_.doubts; }

  // --- what passes have in common: chunked_pass.cpp
  void find_lane(bool backward);
  void find_places(bool with_outputs);
  void add_place(std::size_t at, const std::string& name);
  [[nodiscard]] std::string loaded(std::size_t at, const std::string& index);
  void store(std::size_t at, const std::string& index, const std::string& value);
  [[nodiscard]] bool is_element(std::size_t input) const {
    return laws_.inputs[input].source == kernel::StepValue::Source::element;
  }
  /// `element` gives an element by its input.
  [[nodiscard]] std::string values_of(const std::function<std::string(std::size_t input)>& element) const;
  void read_states();
  void act(const std::string& item, const std::string& states);
  void one_step(const std::string& values, const std::function<void(std::size_t k)>& give);
  void write_finals(const std::string& condition);
  void doubt(const std::string& condition, const std::string& item, const std::string& states);
  void clear_doubt();
  /// Puts the items of parts together: `parts_before` and `parts_total` are then those of the tile's earlier parts and
  /// of all of them.
  void scan_parts(const std::string& own);
  /// The item of all tiles before: `before`, the same in all parts.
  void find_before();

  // --- chunked_direct.cpp
  void read_rows(const std::string& from, const std::string& to, const std::string& stride, const Row& row);
  void step_rows();
  void reduce_direct();
  void reduce_interleaved();
  void scan_direct();

  // --- chunked_staged.cpp
  void declare_stages(bool with_outputs);
  void place_stage(const std::string& stage, bool inputs, bool outputs);
  void for_stage_words(const std::function<void(std::size_t input, int round)>& each);
  void fetch_stage(const std::string& stage);
  void begin_stage(bool with_outputs);
  void stage_out();
  void sum_up_stage();
  void staged_rows(const Row& row);
  void reduce_staged();
  void scan_staged();

  const LaneLaws& laws_;
  const ChunkedScanCall& call_;
  const Target& target_;
  const ChunkedScanPolicy& policy_;
  int stage_words_;

  std::string functions_;
  std::string body_;
  Statements out_{body_};
  std::vector<std::size_t> used_;
  std::set<std::size_t> written_;
  std::vector<std::pair<std::string, Count>> params_;
};

/// The type that items are kept in by memory: that of all words, or u32 by their bits.
DType item_type(const LaneLaws& laws, const ChunkedScanCall& call);
/// Buffers that are staged: outputs take the places of elements of their type.
std::vector<DType> stage_types(const LaneLaws& laws, bool with_outputs);

}  // namespace pawl::wgsl
