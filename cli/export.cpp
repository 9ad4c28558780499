// pawl export: a model as a kernel package for WebGPU.
#include "pawl/export.h"

#include <filesystem>
#include <memory>
#include <random>

#include "base/file.h"
#include "base/try.h"
#include "command.h"
#include "output_files.h"
#include "random_inputs.h"
#include "terminal.h"

namespace pawl::cli {
namespace {

namespace fs = std::filesystem;

struct ExportArguments {
  std::string model;
  std::string target;
  std::string output;
  std::string name;
  int version = 1;
  std::string license = "unknown";
  std::vector<std::string> dims;
};

/// The folder must not be there, be empty, or be a package: nothing else is replaced. Errors: bad_argument.
Result<void> check_folder(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder, error)) return {};
  if (!fs::is_directory(folder, error)) return fail(Code::bad_argument, "{} is no folder", folder.string());
  if (fs::is_empty(folder, error) || fs::exists(folder / "build/webgpu/manifest.json", error)) return {};
  return fail(Code::bad_argument, "{} holds something else than a package: it is left as it is", folder.string());
}

/// All files, in a folder beside it first, so that a failure leaves what was there. Errors: io.
Result<void> write_folder(const fs::path& folder, const std::map<std::string, std::string>& files) {
  const fs::path whole = fs::absolute(folder).lexically_normal();
  const fs::path clean = whole.has_filename() ? whole : whole.parent_path();
  const std::string mark = fmt::format(".{:08x}", std::random_device()());
  fs::path made = clean, old = clean;
  made += mark;
  old += mark + ".old";
  std::error_code error;
  const auto give_up = [&](Error failure) {
    std::error_code ignored;
    fs::remove_all(made, ignored);
    return failure;
  };
  for (const auto& [path, bytes] : files) {
    fs::create_directories((made / path).parent_path(), error);
    if (error) return give_up(fail(Code::io, "{}: {}", (made / path).parent_path().string(), error.message()));
    Result<void> written = base::write_file(made / path, bytes);
    if (!written.ok()) return give_up(written.error());
  }
  if (fs::exists(clean, error)) fs::rename(clean, old, error);
  if (!error) fs::rename(made, clean, error);
  if (error) return give_up(fail(Code::io, "{}: {}", clean.string(), error.message()));
  fs::remove_all(old, error);
  return {};
}

Result<int> export_model(const ExportArguments& arguments) {
  if (arguments.target != "webgpu")
    return fail(Code::bad_argument, "--target {}: there is webgpu alone", arguments.target);
  TRY(check_folder(arguments.output));
  TRY_ASSIGN(const Model model, Model::load(arguments.model));
  ExportOptions options;
  const fs::path file(arguments.model);
  options.model = file.filename().string();
  options.name = arguments.name.empty() ? file_stem(file.stem().string()) : arguments.name;
  options.tool = "pawl " PAWL_VERSION;
  options.version = arguments.version;
  options.license = arguments.license;
  TRY_ASSIGN(const DimValues dims, parse_dims(arguments.dims, model.inputs()));
  options.dims.assign(dims.begin(), dims.end());
  using Files = std::map<std::string, std::string>;
  TRY_ASSIGN_IN_FILE(arguments.model, const Files files, export_webgpu(model, options));
  TRY(write_folder(arguments.output, files));
  return 0;
}

}  // namespace

Action define_export(CLI::App& command) {
  const auto arguments = std::make_shared<ExportArguments>();
  command.add_option("MODEL", arguments->model, "An .onnx file, or .onnxtxt in ONNX's text syntax")->required();
  command.add_option("--target", arguments->target, "What the package is for: webgpu")->type_name("TARGET")->required();
  command
      .add_option("-o,--out", arguments->output,
                  "The package's folder: a new or empty one, or a package that is replaced")
      ->type_name("DIR")
      ->required();
  command
      .add_option("--dim", arguments->dims,
                  "T=4096 …: the extent of a symbolic dim, or of an unnamed one as INPUT.AXIS=4096; calls of the "
                  "package choose all others")
      ->type_name("DIM=N");
  command.add_option("--name", arguments->name, "The package's name; without it, the model's")->type_name("NAME");
  command.add_option("--package-version", arguments->version, "The package's version")
      ->type_name("N")
      ->check(CLI::PositiveNumber);
  command.add_option("--license", arguments->license, "The licence that metadata.json names")->type_name("ID");
  return [arguments] { return export_model(*arguments); };
}

}  // namespace pawl::cli
