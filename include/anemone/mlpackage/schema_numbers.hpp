#pragma once

#include <array>
#include <cstdint>
#include <string_view>

/// Numbers by which the messages of Core ML name versions and kinds (the public schema).
namespace ane::mlpackage {

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
