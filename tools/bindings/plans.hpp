#pragma once

#include "arrays.hpp"
#include "model.hpp"
#include <anemone/compress/compress.hpp>
#include <anemone/cost/device_plan.hpp>
#include <anemone/cost/timeline_values.hpp>
#include <anemone/proof/proof.hpp>
#include <anemone/rewrites/optimize.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// What `anemone optimize`, `compress`, `placement` and `timeline` do, for the C interface and the Python module.
namespace bindings {

/// A model that is shared with the plans made of it.
using shared_model = std::shared_ptr<const model>;

/// A search over rewrites, and what running the model before and after each step gave.
struct optimized_plan {
    ane::optimized found;
    std::optional<ane::rewrite_proof> proof{};
};

/// What was found of a model.
struct plan {
    std::variant<optimized_plan, ane::compression_plan, ane::device_plan, ane::timeline> found;
    std::string text;
    std::string json;
    std::function<std::string()> draw{}; ///< as SVG; empty: there is no drawing
    shared_model made{};                 ///< what became of the model; null: it stays as it is
};

/// That an input stays from `low` to `high`.
struct input_range {
    std::string input;
    double low = 0;
    double high = 0;
};

struct optimizing {
    bool bits = false;     ///< only rewrites that keep every bit
    bool values = false;   ///< first of all fewer values that may overflow
    bool errors = false;   ///< then a smaller expected error of the least exact product
    bool resident = false; ///< no more operands than before that do not stay on the chip
    bool prove = false;    ///< run the model before and after each step, in the chip's arithmetic
    std::vector<input_range> ranges{};
};

/// Rewrites a model. Throws what `ane::optimize` and `ane::prove` throw, and `ane::error` (errc::argument) for a range that
/// is none.
plan optimize(const shared_model& of, const std::string& target, const optimizing& how);

struct compressing {
    double most_loss = 0.01;
    std::string goal = "size"; ///< or "time"
    std::string to = "mil";    ///< or "mlpackage": the file that is to hold the weights
    std::string backend = "cpu";
    bool plain = false; ///< without error feedback
    /// Runs to learn from and to judge by, one after the other along a first axis; none: random numbers.
    std::vector<input_array> data{};
    std::size_t runs = 0; ///< of random numbers, or in arrays without a shape
};

/// Chooses a form for each weight. Throws what `ane::choose_compression` throws, and `ane::error` for another goal, file
/// or backend, and for data that are no runs.
plan compress(const shared_model& of, const std::string& target, const compressing& how);

struct placing {
    std::string goal = "time"; ///< or "energy"
    std::int64_t batches = 0;  ///< the text has a table of batches up to this; 0: none
};

/// Where a model and its layers belong. Throws what `ane::place_model` throws, and `ane::error` (errc::argument) for
/// another goal.
plan place(const shared_model& of, const std::string& target, const placing& how);

struct calling {
    int calls = 8;              ///< of each model
    double period = 0;          ///< s from one call of a model to its next; 0: when the one before it has ended
    double idle = 0;            ///< s of rest before the first call
    bool is_warm = false;       ///< the models have run before
    std::vector<int> batches{}; ///< the text has what a sample takes in batches of these sizes
};

/// Calls of models that share the engine, over time. Throws what `ane::simulate` throws, and `ane::error` (errc::argument)
/// for no model and for calls that are none.
plan simulate(const std::vector<shared_model>& of, const std::string& target, const calling& how);

} // namespace bindings
