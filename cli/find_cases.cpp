#include <algorithm>
#include <system_error>

#include "base/try.h"
#include "conformance.h"
#include "expectations.h"

namespace pawl::cli {
namespace {

namespace fs = std::filesystem;

/// A table in force: the folder it lies in, and its rows.
struct Table {
  fs::path folder;
  Expectations rows;
};

/// The names in a folder, sorted; a folder that cannot be read is an io error.
Result<std::vector<fs::path>> sorted_entries(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    entries.push_back(at->path());
  if (error) return fail(Code::io, "{}: {}", folder.string(), error.message());
  std::sort(entries.begin(), entries.end());
  return entries;
}

bool is_model(const fs::path& path) { return path.extension() == ".onnx" || path.extension() == ".onnxtxt"; }

/// "x_output_0.pb" beside "x.onnx" marks the light layout.
bool is_light_model(const fs::path& path) {
  return path.extension() == ".onnx" && fs::exists(path.parent_path() / (path.stem().string() + "_output_0.pb"));
}

std::string number_suffix(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.substr(name.find_last_not_of("0123456789") + 1);
}

/// test_data_set_2 before test_data_set_10.
bool by_number(const fs::path& a, const fs::path& b) {
  const std::string x = number_suffix(a);
  const std::string y = number_suffix(b);
  return x.size() != y.size() ? x.size() < y.size() : x < y;
}

class Finder {
 public:
  Finder(const fs::path& root, const Expectation& otherwise) : root_(root), otherwise_(otherwise) {}

  Result<std::vector<Case>> find() {
    const fs::path absolute = fs::weakly_canonical(root_);
    for (fs::path above = absolute; tables_.empty() && above.has_relative_path();) {
      above = above.parent_path();
      TRY(read_table(above));
    }
    TRY(visit(root_));
    TRY(check_rows());
    if (cases_.empty())
      return fail(Code::bad_argument, "{}: no test case here (a folder with a model and test_data_set_*)",
                  root_.string());
    return std::move(cases_);
  }

 private:
  Result<void> read_table(const fs::path& folder) {
    if (!fs::exists(folder / kTableName)) return {};
    TRY_ASSIGN(Expectations rows, read_expectations(folder / kTableName));
    tables_.push_back({folder, std::move(rows)});
    return {};
  }

  Result<void> visit(const fs::path& folder) {
    const std::size_t tables_above = tables_.size();
    TRY(read_table(folder));
    const bool table_here = tables_.size() > tables_above;
    TRY_ASSIGN(const std::vector<fs::path> entries, sorted_entries(folder));
    if (!add_case(folder, entries)) {
      for (const fs::path& entry : entries) {
        if (is_light_model(entry))
          add_light(entry);
        else if (std::error_code unreadable; !fs::is_symlink(entry, unreadable) && fs::is_directory(entry, unreadable))
          TRY(visit(entry));
      }
    }
    if (table_here) {
      complete_.push_back(std::move(tables_.back()));
      tables_.pop_back();
    }
    return {};
  }

  bool add_case(const fs::path& folder, const std::vector<fs::path>& entries) {
    Case found;
    for (const fs::path& entry : entries) {
      if (is_model(entry)) found.models.push_back(entry);
      if (entry.filename().string().starts_with("test_data_set_") && fs::is_directory(entry))
        found.data_sets.push_back(entry);
    }
    const Expectation* listed = expectation_of(folder);
    if (found.data_sets.empty() && (listed == nullptr || found.models.empty())) return false;
    const auto named = std::find_if(found.models.begin(), found.models.end(),
                                    [](const fs::path& model) { return model.stem() == "model"; });
    if (named != found.models.end()) found.models = {*named};
    std::sort(found.data_sets.begin(), found.data_sets.end(), by_number);
    found.expectation = listed == nullptr ? otherwise_ : *listed;
    add(std::move(found), folder);
    return true;
  }

  void add_light(const fs::path& model) {
    Case found;
    found.models = {model};
    found.light = true;
    found.expectation = otherwise_;
    add(std::move(found), model.parent_path() / model.stem());
  }

  void add(Case found, const fs::path& folder) {
    const fs::path relative = folder.lexically_relative(root_);
    found.name = relative.empty() || relative == "." ? fs::weakly_canonical(folder).filename().string()
                                                     : relative.generic_string();
    found.folder = folder;
    cases_.push_back(std::move(found));
  }

  [[nodiscard]] const Expectation* expectation_of(const fs::path& folder) const {
    if (tables_.empty()) return nullptr;
    const Table& nearest = tables_.back();
    const auto row = nearest.rows.find(
        fs::weakly_canonical(folder).lexically_relative(fs::weakly_canonical(nearest.folder)).generic_string());
    return row == nearest.rows.end() ? nullptr : &row->second;
  }

  /// A row of a table whose folder was searched, and no such case: reported as a case without a model.
  Result<void> check_rows() {
    for (const Table& table : complete_)
      for (const auto& [name, expectation] : table.rows) {
        const fs::path folder = table.folder / name;
        const auto same = [&](const Case& found) { return found.folder == folder; };
        if (std::any_of(cases_.begin(), cases_.end(), same)) continue;
        Case missing;
        missing.expectation = expectation;
        add(std::move(missing), folder);
      }
    return {};
  }

  fs::path root_;
  Expectation otherwise_;
  std::vector<Table> tables_;    ///< in force where the search stands, the nearest last
  std::vector<Table> complete_;  ///< of folders that were searched
  std::vector<Case> cases_;
};

}  // namespace

Result<std::vector<Case>> find_cases(const std::filesystem::path& directory, const Expectation& otherwise) {
  std::error_code error;
  if (!std::filesystem::is_directory(directory, error)) return fail(Code::io, "{}: no such folder", directory.string());
  return Finder(directory, otherwise).find();
}

}  // namespace pawl::cli
