#pragma once

#include "../readers/mil_element.hpp"

#include <array>
#include <cstdint>
#include <string_view>

/// Numbers by which the messages of Core ML name types, versions and kinds (the public schema).
namespace ane::mlpackage {

using readers::mil_element;

/// DataType of MIL.proto and ArrayDataType of FeatureTypes.proto; 0 where there is none.
struct element_number {
    mil_element element;
    std::int64_t data_type;
    std::int64_t array_data_type;
};

inline constexpr std::array<element_number, 20> element_numbers{{
    {mil_element::boolean, 1, 0},   {mil_element::text, 2, 0},      {mil_element::fp16, 10, 65552},
    {mil_element::fp32, 11, 65568}, {mil_element::fp64, 12, 65600}, {mil_element::bf16, 13, 0},
    {mil_element::int8, 21, 0},     {mil_element::int16, 22, 0},    {mil_element::int32, 23, 131104},
    {mil_element::int64, 24, 0},    {mil_element::int4, 25, 0},     {mil_element::uint8, 31, 0},
    {mil_element::uint16, 32, 0},   {mil_element::uint32, 33, 0},   {mil_element::uint64, 34, 0},
    {mil_element::uint4, 35, 0},    {mil_element::uint2, 36, 0},    {mil_element::uint1, 37, 0},
    {mil_element::uint6, 38, 0},    {mil_element::uint3, 39, 0},
}};

constexpr const element_number& numbers_of(mil_element e) {
    for (const element_number& each : element_numbers) {
        if (each.element == e) {
            return each;
        }
    }
    return element_numbers[0]; // not reached: a test looks up all of them
}

/// Finds the type of a DataType; false where there is none.
constexpr bool find_element(std::int64_t data_type, mil_element& found) {
    for (const element_number& each : element_numbers) {
        if (each.data_type == data_type) {
            found = each.element;
            return true;
        }
    }
    return false;
}

/// What a set of operations is called in text and in messages, and the version of the file format that came with it.
struct opset_names {
    std::string_view text;
    std::string_view message;
    std::int64_t specification_version;
};

inline constexpr std::array<opset_names, 4> opsets{{
    {"ios15", "CoreML5", 6},
    {"ios16", "CoreML6", 7},
    {"ios17", "CoreML7", 8},
    {"ios18", "CoreML8", 9},
}};

/// The kinds of model that Model has beside ML Program, by the number of their field.
constexpr std::string_view kind_of_model(std::uint64_t field) {
    struct kind {
        std::uint64_t field;
        std::string_view name;
    };
    constexpr kind kinds[] = {
        {200, "pipeline classifier"},
        {201, "pipeline regressor"},
        {202, "pipeline"},
        {300, "generalised linear regressor"},
        {301, "support vector regressor"},
        {302, "tree ensemble regressor"},
        {303, "neural network regressor"},
        {304, "Bayesian probit regressor"},
        {400, "generalised linear classifier"},
        {401, "support vector classifier"},
        {402, "tree ensemble classifier"},
        {403, "neural network classifier"},
        {404, "nearest neighbours classifier"},
        {500, "neural network"},
        {501, "item similarity recommender"},
        {555, "custom model"},
        {556, "linked model"},
        {560, "class confidence thresholding"},
        {600, "one-hot encoder"},
        {601, "imputer"},
        {602, "feature vectorizer"},
        {603, "dictionary vectorizer"},
        {604, "scaler"},
        {606, "categorical mapping"},
        {607, "normalizer"},
        {609, "array feature extractor"},
        {610, "non-maximum suppression"},
        {900, "identity"},
        {2000, "text classifier"},
        {2001, "word tagger"},
        {2002, "vision feature print"},
        {2003, "sound analysis preprocessing"},
        {2004, "gazetteer"},
        {2005, "word embedding"},
        {2006, "audio feature print"},
        {3000, "serialized model"},
    };
    for (const kind& each : kinds) {
        if (each.field == field) {
            return each.name;
        }
    }
    return {};
}

} // namespace ane::mlpackage
