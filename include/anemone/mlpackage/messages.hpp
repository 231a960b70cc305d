#pragma once

#include "wire.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

/// The messages of a Core ML model of the kind ML Program, as far as a program needs them: names and numbers are those of
/// the public schema (Model.proto, FeatureTypes.proto, MIL.proto), the description is our own. What they hold points
/// into the file, or into what is written. Only bodies include this header.
namespace ane::mlpackage::inline ANEMONE_WAY {

// MIL.proto: programs.

struct dimension_constant {
    static constexpr std::string_view name = "Dimension.ConstantDimension";
    std::uint64_t size = 0;
    template <class Self, class On> static void describe(Self& m, const On& on) { on(1, m.size); }
};

struct dimension {
    static constexpr std::string_view name = "Dimension";
    std::optional<dimension_constant> constant;
    skipped unknown;
    template <class Self, class On> static void describe(Self& m, const On& on) {
        on(1, m.constant);
        on(2, m.unknown);
    }
};

struct tensor_type {
    static constexpr std::string_view name = "TensorType";
    std::int64_t data_type = 0; ///< schema_numbers.hpp
    std::int64_t rank = 0;
    std::vector<dimension> dimensions;
    skipped attributes;
    template <class Self, class On> static void describe(Self& m, const On& on) {
        on(1, m.data_type);
        on(2, m.rank);
        on(3, m.dimensions);
        on(4, m.attributes);
    }
};

struct state_type;

/// One of them.
struct value_type {
    static constexpr std::string_view name = "ValueType";
    std::optional<tensor_type> tensor;
    skipped list;
    skipped tuple;
    skipped dictionary;
    std::unique_ptr<state_type> state;
    template <class Self, class On> static void describe(Self& m, const On& on) {
        on(1, m.tensor);
        on(2, m.list);
        on(3, m.tuple);
        on(4, m.dictionary);
        on(5, m.state);
    }
};

struct state_type {
    static constexpr std::string_view name = "StateType";
    value_type wrapped;
    template <class Self, class On> static void describe(Self& m, const On& on) { on(1, m.wrapped); }
};

struct named_value_type {
    static constexpr std::string_view name = "NamedValueType";
    std::string_view called;
    value_type type;
    template <class Self, class On> static void describe(Self& m, const On& on) {
        on(1, m.called);
        on(2, m.type);
    }
};

/// RepeatedFloats, RepeatedInts and the others.
template <class T> struct repeated_values {
    static constexpr std::string_view name = "the values of a TensorValue";
    std::vector<T> values;
    template <class Self, class On> static void describe(Self& m, const On& on) { on(1, m.values); }
};

struct repeated_bytes {
    static constexpr std::string_view name = "TensorValue.RepeatedBytes";
    std::string_view values;
    template <class Self, class On> static void describe(Self& m, const On& on) { on(1, m.values); }
};

/// One of them.
struct tensor_value {
    static constexpr std::string_view name = "TensorValue";
    std::optional<repeated_values<float>> floats;
    std::optional<repeated_values<std::int64_t>> ints;
    std::optional<repeated_values<std::int64_t>> bools;
    std::optional<repeated_values<std::string_view>> strings;
    std::optional<repeated_values<std::int64_t>> long_ints;
    std::optional<repeated_values<double>> doubles;
    std::optional<repeated_bytes> bytes; ///< of all types that have no list: little-endian, narrow ones packed
    template <class Self, class On> static void describe(Self& m, const On& on) {
        on(1, m.floats);
        on(2, m.ints);
        on(3, m.bools);
        on(4, m.strings);
        on(5, m.long_ints);
        on(6, m.doubles);
        on(7, m.bytes);
    }
};

/// One of them.
struct immediate_value {
    static constexpr std::string_view name = "Value.ImmediateValue";
    std::optional<tensor_value> tensor;
    skipped tuple;
    skipped list;
    skipped dictionary;
    template <class Self, class On> static void describe(Self& m, const On& on) {
        on(1, m.tensor);
        on(2, m.tuple);
        on(3, m.list);
        on(4, m.dictionary);
    }
};

struct blob_file_value {
    static constexpr std::string_view name = "Value.BlobFileValue";
    std::string_view file;
    std::uint64_t offset = 0; ///< of the metadata of an entry
    template <class Self, class On> static void describe(Self& m, const On& on) {
        on(1, m.file);
        on(2, m.offset);
    }
};

/// Immediate, or in a file.
struct value {
    static constexpr std::string_view name = "Value";
    skipped documentation;
    value_type type;
    std::optional<immediate_value> immediate;
    std::optional<blob_file_value> blob;
    template <class Self, class On> static void describe(Self& m, const On& on) {
        on(1, m.documentation);
        on(2, m.type);
        on(3, m.immediate);
        on(5, m.blob);
    }
};

/// The name of a value, or a value.
struct binding {
    static constexpr std::string_view name = "Argument.Binding";
    std::optional<std::string_view> variable;
    std::unique_ptr<value> given;
    template <class Self, class On> static void describe(Self& m, const On& on) {
        on(1, m.variable);
        on(2, m.given);
    }
};

struct argument {
    static constexpr std::string_view name = "Argument";
    std::vector<binding> bindings; ///< several: a tuple
    template <class Self, class On> static void describe(Self& m, const On& on) { on(1, m.bindings); }
};

struct operation {
    static constexpr std::string_view name = "Operation";
    std::string_view type;
    std::vector<map_entry<argument>> inputs;
    std::vector<named_value_type> outputs;
    skipped blocks;
    std::vector<map_entry<value>> attributes;
    template <class Self, class On> static void describe(Self& m, const On& on) {
        on(1, m.type);
        on(2, m.inputs);
        on(3, m.outputs);
        on(4, m.blocks);
        on(5, m.attributes);
    }
};

struct block {
    static constexpr std::string_view name = "Block";
    skipped inputs;
    std::vector<std::string_view> outputs;
    std::vector<encoded<operation>> operations;
    skipped attributes;
    template <class Self, class On> static void describe(Self& m, const On& on) {
        on(1, m.inputs);
        on(2, m.outputs);
        on(3, m.operations);
        on(4, m.attributes);
    }
};

struct function {
    static constexpr std::string_view name = "Function";
    std::vector<named_value_type> inputs;
    std::string_view opset;
    std::vector<map_entry<block>> blocks; ///< one for each opset that it is written for
    skipped attributes;
    template <class Self, class On> static void describe(Self& m, const On& on) {
        on(1, m.inputs);
        on(2, m.opset);
        on(3, m.blocks);
        on(4, m.attributes);
    }
};

struct program {
    static constexpr std::string_view name = "Program";
    std::int64_t version = 0;
    std::vector<map_entry<encoded<function>>> functions;
    skipped documentation;
    skipped attributes;
    template <class Self, class On> static void describe(Self& m, const On& on) {
        on(1, m.version);
        on(2, m.functions);
        on(3, m.documentation);
        on(4, m.attributes);
    }
};

// FeatureTypes.proto and Model.proto: what a model says of its ports.

struct array_shape {
    static constexpr std::string_view name = "ArrayFeatureType.Shape";
    std::vector<std::int64_t> extents;
    template <class Self, class On> static void describe(Self& m, const On& on) { on(1, m.extents); }
};

struct enumerated_shapes {
    static constexpr std::string_view name = "ArrayFeatureType.EnumeratedShapes";
    std::vector<array_shape> shapes;
    template <class Self, class On> static void describe(Self& m, const On& on) { on(1, m.shapes); }
};

struct size_range {
    static constexpr std::string_view name = "SizeRange";
    std::int64_t lower = 0;
    std::int64_t upper = 0; ///< below 0: open
    template <class Self, class On> static void describe(Self& m, const On& on) {
        on(1, m.lower);
        on(2, m.upper);
    }
};

struct shape_range {
    static constexpr std::string_view name = "ArrayFeatureType.ShapeRange";
    std::vector<size_range> axes;
    template <class Self, class On> static void describe(Self& m, const On& on) { on(1, m.axes); }
};

struct array_feature_type {
    static constexpr std::string_view name = "ArrayFeatureType";
    std::vector<std::int64_t> shape;
    std::int64_t data_type = 0; ///< schema_numbers.hpp
    std::optional<mlpackage::enumerated_shapes> enumerated;
    std::optional<shape_range> range;
    skipped default_integer;
    skipped default_float;
    skipped default_double;
    template <class Self, class On> static void describe(Self& m, const On& on) {
        on(1, m.shape);
        on(2, m.data_type);
        on(21, m.enumerated);
        on(31, m.range);
        on(41, m.default_integer);
        on(51, m.default_float);
        on(61, m.default_double);
    }
};

struct state_feature_type {
    static constexpr std::string_view name = "StateFeatureType";
    std::optional<array_feature_type> array;
    template <class Self, class On> static void describe(Self& m, const On& on) { on(1, m.array); }
};

/// One of them.
struct feature_type {
    static constexpr std::string_view name = "FeatureType";
    skipped integer;
    skipped number;
    skipped text;
    skipped image;
    std::optional<array_feature_type> array;
    skipped dictionary;
    skipped sequence;
    std::optional<state_feature_type> state;
    skipped is_optional;
    template <class Self, class On> static void describe(Self& m, const On& on) {
        on(1, m.integer);
        on(2, m.number);
        on(3, m.text);
        on(4, m.image);
        on(5, m.array);
        on(6, m.dictionary);
        on(7, m.sequence);
        on(8, m.state);
        on(1000, m.is_optional);
    }
};

struct feature_description {
    static constexpr std::string_view name = "FeatureDescription";
    std::string_view called;
    skipped documentation;
    feature_type type;
    template <class Self, class On> static void describe(Self& m, const On& on) {
        on(1, m.called);
        on(2, m.documentation);
        on(3, m.type);
    }
};

/// Of one of several functions.
struct function_description {
    static constexpr std::string_view name = "FunctionDescription";
    std::string_view called;
    std::vector<feature_description> inputs;
    std::vector<feature_description> outputs;
    skipped predicted_feature;
    skipped predicted_probabilities;
    std::vector<feature_description> states;
    template <class Self, class On> static void describe(Self& m, const On& on) {
        on(1, m.called);
        on(2, m.inputs);
        on(3, m.outputs);
        on(4, m.predicted_feature);
        on(5, m.predicted_probabilities);
        on(6, m.states);
    }
};

struct model_description {
    static constexpr std::string_view name = "ModelDescription";
    std::vector<feature_description> inputs;
    std::vector<feature_description> outputs;
    skipped predicted_feature;
    skipped predicted_probabilities;
    std::vector<feature_description> states;
    std::vector<function_description> functions;
    std::string_view default_function;
    skipped training_inputs;
    skipped metadata;
    template <class Self, class On> static void describe(Self& m, const On& on) {
        on(1, m.inputs);
        on(10, m.outputs);
        on(11, m.predicted_feature);
        on(12, m.predicted_probabilities);
        on(13, m.states);
        on(20, m.functions);
        on(21, m.default_function);
        on(50, m.training_inputs);
        on(100, m.metadata);
    }
};

struct model {
    static constexpr std::string_view name = "Model";
    std::int64_t specification_version = 0;
    model_description description;
    skipped is_updatable;
    std::optional<encoded<program>> ml_program;
    template <class Self, class On> static void describe(Self& m, const On& on) {
        on(1, m.specification_version);
        on(2, m.description);
        on(10, m.is_updatable);
        on(502, m.ml_program);
    }
};

} // namespace ane::mlpackage::inline ANEMONE_WAY
