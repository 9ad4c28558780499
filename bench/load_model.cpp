// How long a model with large weights takes to load, and how much memory that makes resident.
//   load_model [MEGABYTES] [RUNS]
// Writes two models of that size (weights inside the file; weights beside it), then loads each in a fresh process, RUNS
// times in turns, and prints medians: milliseconds in Model::load, and the process's peak resident set (VmHWM) as the
// kernel has it.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "onnx/write.h"
#include "pawl/model.h"

namespace {

using pawl::onnx::NamedTensor;

constexpr std::int64_t kWeights = 64;

/// y = x @ w_0 @ w_1 …: `kWeights` square matrices of floats that are `megabytes` together.
pawl::onnx::Model make_model(std::int64_t megabytes) {
  std::int64_t side = 1;
  while ((side + 1) * (side + 1) * 4 * kWeights <= megabytes * 1'000'000) ++side;
  pawl::onnx::Model model;
  model.ir_version = 8;
  model.opset_imports.push_back({"", 16});
  pawl::onnx::Graph& graph = model.graph;
  graph.name = "weights";
  graph.inputs.push_back({"h0", pawl::Type::tensor(pawl::DType::f32, pawl::Dims{1, side})});
  const auto zeros = std::make_shared<std::vector<float>>(static_cast<std::size_t>(side * side), 0.5F);
  for (std::int64_t i = 0; i < kWeights; ++i) {
    const std::string number = std::to_string(i);
    graph.initializers.push_back(
        {"w" + number, pawl::Tensor::borrow(pawl::DType::f32, {side, side}, zeros->data(), zeros), ""});
    pawl::onnx::Node node;
    node.op_type = "MatMul";
    node.inputs = {"h" + number, "w" + number};
    node.outputs = {"h" + std::to_string(i + 1)};
    graph.nodes.push_back(node);
  }
  graph.outputs.push_back({"h" + std::to_string(kWeights), pawl::Type::tensor(pawl::DType::f32, pawl::Dims{1, side})});
  return model;
}

/// The same model in text, its weights in one file beside it.
void write_external(const pawl::onnx::Model& model, const std::filesystem::path& folder) {
  const std::int64_t side = model.graph.initializers[0].tensor.shape()[0];
  std::ofstream data(folder / "weights.bin", std::ios::binary);
  std::ofstream text(folder / "external.onnxtxt");
  text << "<ir_version: 8, opset_import: [\"\" : 16]>\nweights (float[1," << side << "] h0) => (float[1," << side
       << "] h" << kWeights << ") <";
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < model.graph.initializers.size(); ++i) {
    const pawl::Tensor& tensor = model.graph.initializers[i].tensor;
    const std::int64_t bytes = tensor.size() * 4;
    data.write(reinterpret_cast<const char*>(tensor.bytes()), bytes);
    text << (i == 0 ? "" : ", ") << "float[" << side << "," << side << "] w" << i
         << " = [\"location\": \"weights.bin\", \"offset\": \"" << offset << "\", \"length\": \"" << bytes << "\"]";
    offset += bytes;
  }
  text << "> {\n";
  for (std::int64_t i = 0; i < kWeights; ++i) text << "  h" << i + 1 << " = MatMul(h" << i << ", w" << i << ")\n";
  text << "}\n";
}

double peak_megabytes() {
  std::ifstream status("/proc/self/status");
  std::string line;
  while (std::getline(status, line))
    if (line.rfind("VmHWM:", 0) == 0) return std::strtod(line.c_str() + 6, nullptr) / 1024.0;
  return 0;
}

/// In the fresh process: loads and prints what it took.
int load(const char* path) {
  const auto before = std::chrono::steady_clock::now();
  const auto model = pawl::Model::load(path);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - before;
  if (!model.ok()) {
    std::fprintf(stderr, "error: %s\n", model.error().to_string().c_str());
    return 2;
  }
  std::printf("%f %f\n", took.count(), peak_megabytes());
  return 0;
}

struct Sample {
  double milliseconds = 0;
  double megabytes = 0;
};

Sample measure(const std::string& self, const std::filesystem::path& path) {
  const std::string command = self + " --load " + path.string();
  Sample sample;
  if (std::FILE* pipe = ::popen(command.c_str(), "r")) {
    if (std::fscanf(pipe, "%lf %lf", &sample.milliseconds, &sample.megabytes) != 2) sample = {};
    ::pclose(pipe);
  }
  return sample;
}

template <class F>
double median(std::vector<Sample> samples, F&& key) {
  std::sort(samples.begin(), samples.end(), [&](const Sample& a, const Sample& b) { return key(a) < key(b); });
  return key(samples[samples.size() / 2]);
}

}  // namespace

int main(int count, char** arguments) {
  if (count == 3 && std::string(arguments[1]) == "--load") return load(arguments[2]);
  const std::int64_t megabytes = count > 1 ? std::atoll(arguments[1]) : 250;
  const int runs = count > 2 ? std::atoi(arguments[2]) : 11;
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("pawl_load_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const pawl::onnx::Model model = make_model(megabytes);
  const auto bytes = pawl::onnx::encode(model);
  if (!bytes.ok()) {
    std::fprintf(stderr, "error: %s\n", bytes.error().to_string().c_str());
    return 2;
  }
  std::ofstream(folder / "inside.onnx", std::ios::binary)
      .write(bytes->data(), static_cast<std::streamsize>(bytes->size()));
  write_external(model, folder);

  const std::vector<std::filesystem::path> files = {folder / "inside.onnx", folder / "external.onnxtxt"};
  std::vector<std::vector<Sample>> samples(files.size());
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  for (int run = 0; run < runs; ++run)
    for (std::size_t i = 0; i < files.size(); ++i) samples[i].push_back(measure(self, files[i]));
  std::printf("%lld MB of weights, %d runs in fresh processes, medians\n", static_cast<long long>(megabytes), runs);
  for (std::size_t i = 0; i < files.size(); ++i) {
    std::printf("%-18s %8.2f ms %8.1f MB resident at most\n", files[i].filename().c_str(),
                median(samples[i], [](const Sample& s) { return s.milliseconds; }),
                median(samples[i], [](const Sample& s) { return s.megabytes; }));
  }
  std::filesystem::remove_all(folder);
  return 0;
}
