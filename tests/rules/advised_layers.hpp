#pragma once

#include <anemone/rules/evaluate.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

/// Layers by their numbers, so that an advice is a change of these, and one advice can be followed after another.
namespace advised_layers {

using namespace ane;

// `follow` is what a suggestion makes of a layer on a target; nothing where it is no change of the layer (the host, another
// device) or is not known here.

/// The suggestions that `follow` did not know.
std::set<std::string>& not_known();

/// A convolution of x [1, channels, height, width]; as frames, a product of matrices.
struct convolution {
    std::int64_t channels = 8, height = 64, width = 64, outputs = 8;
    std::int64_t kernel_height = 1, kernel_width = 1;
    size2 stride{1, 1};
    int dilation = 1;
    int groups = 1;
    bool as_frames = false;
    bool in_palette = false;

    dynamic_graph built() const;
    std::string text() const;
    static std::optional<convolution> follow(const convolution& from, rule of, const std::string& suggestion, target t);
    static std::vector<convolution> some(bool all);

private:
    /// Halves the results along an axis until a rule is kept.
    void tile(std::int64_t convolution::*image, std::int64_t kernel, int step, rule of, target t);
};

/// A sum of products of promised numbers, each scaled by a power of two that is taken back behind it.
struct product {
    std::int64_t terms = 64;
    double x = 1, w = 1; ///< no element is larger
    double x_least = 0;  ///< and none of x smaller
    double x_scale = 1, w_scale = 1;
    bool in_codes = false;   ///< w in 8 bits
    double deviation = 0;    ///< of both, where no range is promised
    bool in_palette = false; ///< w in 4 bits

    dynamic_graph built() const;
    std::string text() const;
    static std::optional<product> follow(const product& from, rule of, const std::string& suggestion, target t);
    static std::vector<product> some(bool all);
};

/// A norm, a length or a sum of a row.
struct row_function {
    op kind = op::layer_norm;
    std::int64_t width = 64;
    double most = 1;
    float epsilon = 1e-5F;
    double scale = 1;     ///< of the operand; taken back where the result is not the same
    bool by_ones = false; ///< a sum as a product with ones

    dynamic_graph built() const;
    std::string text() const;
    static std::optional<row_function> follow(const row_function& from, rule of, const std::string& suggestion,
                                              target t);
    static std::vector<row_function> some(bool all);
};

/// Windows over x [1, 4, height, width].
struct pooling {
    op kind = op::max_pool;
    std::int64_t height = 60, width = 60;
    size2 kernel{2, 2}, stride{2, 2};
    bool reduces = false; ///< the whole plane at once, by a reduction

    dynamic_graph built() const;
    std::string text() const;
    static std::optional<pooling> follow(const pooling& from, rule of, const std::string& suggestion, target t);
    static std::vector<pooling> some(bool all);
};

/// Functions of a whole tensor, whose sum is the result.
struct whole_tensor {
    extents shape;
    int branches = 1;
    bool as_tree = false;
    bool keeps_first = false; ///< the first function is read again behind two more

    dynamic_graph built() const;
    std::string text() const;
    static std::optional<whole_tensor> follow(const whole_tensor& from, rule of, const std::string& suggestion,
                                              target t);
    static std::vector<whole_tensor> some(bool all);
};

/// A sum that is kept from one run to the next.
struct kept_state {
    extents shape;

    dynamic_graph built() const;
    std::string text() const;
    static std::optional<kept_state> follow(const kept_state& from, rule of, const std::string& suggestion, target t);
    static std::vector<kept_state> some(bool all);
};

/// A product of rows with a matrix, which is a weight in some form or computed.
struct stored_matrix {
    std::int64_t rows = 1, terms = 64, outputs = 64;
    bool is_computed = false;
    std::optional<compression> form{};

    dynamic_graph built() const;
    std::string text() const;
    static std::optional<stored_matrix> follow(const stored_matrix& from, rule of, const std::string& suggestion,
                                               target t);
    static std::vector<stored_matrix> some(bool all);
};

} // namespace advised_layers
