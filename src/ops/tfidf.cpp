// TfIdfVectorizer: counts of n-grams.
#include <map>

#include "ops/convert.h"
#include "ops/families.h"
#include "ops/op.h"

namespace pawl::ops {
namespace {

/// The attributes, checked. Tokens are strings or int64s; pools[n - 1] maps each n-gram to its number among all of
/// them.
template <class Token>
struct Vocabulary {
  std::vector<std::map<std::vector<Token>, std::size_t>> pools;
  std::span<const std::int64_t> coordinates;  ///< of the n-grams, in the output
  std::vector<float> weights;                 ///< of the n-grams
  bool cut = false;                           ///< counts above 1 are 1
  std::int64_t min_length = 1;
  std::int64_t max_length = 1;
  std::int64_t max_skip = 0;
};

/// One more than the largest of `ngram_indexes`. Errors: bad_value.
Result<std::int64_t> output_width(const Attributes& attributes) {
  std::int64_t width = 0;
  for (const std::int64_t index : attributes.integers("ngram_indexes")) {
    if (index < 0 || index >= std::int64_t{1} << 32) return fail(Code::bad_value, "ngram_indexes has {}", index);
    width = std::max(width, index + 1);
  }
  return width;
}

/// Splits the pool: the n-grams of length n begin at ngram_counts[n - 1] and end where the next length begins.
template <class Token>
Result<void> fill_pools(Vocabulary<Token>& vocabulary, std::span<const std::int64_t> begins,
                        const std::vector<Token>& pool) {
  std::size_t number = 0;
  for (std::size_t n = 1; n <= begins.size(); ++n) {
    const std::int64_t begin = begins[n - 1];
    const std::int64_t end = n < begins.size() ? begins[n] : static_cast<std::int64_t>(pool.size());
    if (begin < 0 || begin > end || end > static_cast<std::int64_t>(pool.size()))
      return fail(Code::bad_value, "ngram_counts has {} in front of {} for a pool of {}", begin, end, pool.size());
    if ((end - begin) % static_cast<std::int64_t>(n) != 0)
      return fail(Code::bad_value, "{} tokens of the pool make no whole {}-grams", end - begin, n);
    std::map<std::vector<Token>, std::size_t>& grams = vocabulary.pools.emplace_back();
    for (auto at = pool.begin() + begin; at != pool.begin() + end; at += static_cast<std::ptrdiff_t>(n))
      grams.emplace(std::vector<Token>(at, at + static_cast<std::ptrdiff_t>(n)), number++);
  }
  if (number != vocabulary.coordinates.size())
    return fail(Code::bad_value, "{} n-grams and {} ngram_indexes", number, vocabulary.coordinates.size());
  return {};
}

template <class Token>
Result<Vocabulary<Token>> read_vocabulary(const Attributes& attributes, std::string_view pool_name) {
  Vocabulary<Token> vocabulary;
  vocabulary.coordinates = attributes.integers("ngram_indexes");
  const std::string mode = attributes.text("mode", "");
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF")
    return fail(Code::bad_value, "mode \"{}\" is none of TF, IDF, TFIDF", mode);
  vocabulary.cut = mode == "IDF";
  vocabulary.weights.assign(vocabulary.coordinates.size(), 1.0F);
  if (const auto* weights = attributes.get<std::vector<float>>("weights"); weights != nullptr && mode != "TF") {
    if (weights->size() != vocabulary.coordinates.size())
      return fail(Code::bad_value, "{} weights and {} ngram_indexes", weights->size(), vocabulary.coordinates.size());
    vocabulary.weights = *weights;
  }
  vocabulary.min_length = attributes.integer("min_gram_length", 1);
  vocabulary.max_length = attributes.integer("max_gram_length", 1);
  vocabulary.max_skip = attributes.integer("max_skip_count", 0);
  if (vocabulary.min_length < 1 || vocabulary.max_length < vocabulary.min_length)
    return fail(Code::bad_value, "lengths from {} to {} are no range of n-grams", vocabulary.min_length,
                vocabulary.max_length);
  const auto* pool = attributes.get<std::vector<Token>>(pool_name);
  if (pool == nullptr) return fail(Code::bad_value, "{} is missing for an input of that type", pool_name);
  TRY(fill_pools(vocabulary, attributes.integers("ngram_counts"), *pool));
  return vocabulary;
}

/// How often each n-gram is in a row. Its tokens lie skip + 1 apart, for every skip from 0 to the largest.
template <class Token>
std::vector<std::int64_t> count_grams(const Vocabulary<Token>& vocabulary, std::span<const Token> row) {
  std::vector<std::int64_t> counts(vocabulary.coordinates.size(), 0);
  const auto length = static_cast<std::int64_t>(row.size());
  const std::int64_t longest = std::min(vocabulary.max_length, static_cast<std::int64_t>(vocabulary.pools.size()));
  for (std::int64_t n = vocabulary.min_length; n <= longest; ++n) {
    const auto& pool = vocabulary.pools[static_cast<std::size_t>(n - 1)];
    if (pool.empty()) continue;
    for (std::int64_t step = 1; step <= length && step - 1 <= vocabulary.max_skip; ++step) {
      if (n == 1 && step > 1) break;  // a single token has no gaps
      for (std::int64_t first = 0; (n - 1) * step < length - first; ++first) {
        std::vector<Token> gram;
        for (std::int64_t k = 0; k < n; ++k) gram.push_back(row[static_cast<std::size_t>(first + k * step)]);
        if (const auto found = pool.find(gram); found != pool.end()) ++counts[found->second];
      }
    }
  }
  return counts;
}

template <class Token>
Result<Tensor> vectorized(const Tensor& x, const Vocabulary<Token>& vocabulary, std::int64_t width) {
  const bool batch = x.rank() == 2;
  const std::int64_t rows = batch ? x.shape()[0] : 1;
  const std::int64_t length = batch ? x.shape()[1] : x.shape()[0];
  TRY_ASSIGN(Tensor y, Tensor::allocate(DType::f32, batch ? Dims{rows, width} : Dims{width}));
  for (float& element : y.mutable_values<float>()) element = 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::span<const Token> row =
        x.values<Token>().subspan(static_cast<std::size_t>(r * length), static_cast<std::size_t>(length));
    const std::vector<std::int64_t> counts = count_grams(vocabulary, row);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const std::int64_t count = vocabulary.cut ? std::min<std::int64_t>(counts[i], 1) : counts[i];
      y.mutable_data<float>()[r * width + vocabulary.coordinates[i]] +=
          static_cast<float>(count) * vocabulary.weights[i];
    }
  }
  return y;
}

Result<void> infer_tfidf(InferContext& context) {
  TRY_ASSIGN(const std::int64_t width, output_width(context.attributes));
  const SymbolicShape* shape = context.shape(0);
  if (shape == nullptr) return {};
  if (shape->size() != 1 && shape->size() != 2)
    return fail(Code::bad_shape, "input {} is neither [C] nor [N,C]", to_string(*shape));
  context.set_shape(0, shape->size() == 2 ? SymbolicShape{(*shape)[0], width} : SymbolicShape{width});
  return {};
}

Result<void> eval_tfidf(EvalContext& context) {
  TRY_ASSIGN(const std::int64_t width, output_width(context.attributes));
  TRY_ASSIGN(Tensor x, context.dense(0));
  if (x.rank() != 1 && x.rank() != 2)
    return fail(Code::bad_shape, "input {} is neither [C] nor [N,C]", to_string(x.shape()));
  if (x.dtype() == DType::string) {
    TRY_ASSIGN(const auto vocabulary, read_vocabulary<std::string>(context.attributes, "pool_strings"));
    TRY_ASSIGN(context.outputs[0], vectorized(x, vocabulary, width));
    return {};
  }
  TRY_ASSIGN(x, convert(x, DType::i64));
  TRY_ASSIGN(const auto vocabulary, read_vocabulary<std::int64_t>(context.attributes, "pool_int64s"));
  TRY_ASSIGN(context.outputs[0], vectorized(x, vocabulary, width));
  return {};
}

constexpr OpDef kTfidf[] = {
    {.name = "TfIdfVectorizer", .since = {9}, .infer = infer_tfidf, .eval = eval_tfidf, .axes = kOpaqueAxes},
};

}  // namespace

std::span<const OpDef> tfidf_ops() { return kTfidf; }

}  // namespace pawl::ops
