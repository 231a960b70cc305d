#pragma once

#include "contraction.hpp"
#include "einsum.hpp"
#include "elementwise.hpp"
#include "loss.hpp"
#include "movement.hpp"
#include "normalization.hpp"
#include "pooling.hpp"
#include "quantization.hpp"
#include "recurrent.hpp"
#include "sampling.hpp"
#include "signal.hpp"

/// The operators that are read: a converter for each. Only bodies include this header.
namespace ane::onnx::inline ANEMONE_WAY {

inline constexpr int newest_opset = 21;

ANEMONE_INLINE const converter_table& operator_table() {
    static const converter_table table = [] {
        converter_table t{{"Einsum", read_einsum}};
        add_elementwise(t);
        add_contraction(t);
        add_pooling(t);
        add_normalization(t);
        add_movement(t);
        add_quantization(t);
        add_recurrent(t);
        add_sampling(t);
        add_signal(t);
        add_losses(t);
        return t;
    }();
    return table;
}

constexpr bool is_training_step(std::string_view name) {
    return name == "Adagrad" || name == "Adam" || name == "Momentum";
}

/// Why an operator without a converter has none.
constexpr std::string_view reason_for(std::string_view name) {
    constexpr std::pair<std::string_view, std::string_view> reasons[] = {
        {"Loop", "loops: a model here writes its steps out"},
        {"Scan", "loops: a model here writes its steps out"},
        {"Gradient", "computes derivatives of a graph"},
        {"SequenceAt", "reads a sequence; only tensors are read"},
        {"SequenceConstruct", "makes a sequence; only tensors are read"},
        {"SequenceEmpty", "makes a sequence; only tensors are read"},
        {"SequenceErase", "makes a sequence; only tensors are read"},
        {"SequenceInsert", "makes a sequence; only tensors are read"},
        {"SequenceLength", "reads a sequence; only tensors are read"},
        {"SequenceMap", "makes a sequence; only tensors are read"},
        {"ConcatFromSequence", "reads a sequence; only tensors are read"},
        {"SplitToSequence", "makes a sequence; only tensors are read"},
        {"Optional", "makes an optional value; only tensors are read"},
        {"OptionalGetElement", "reads an optional value; only tensors are read"},
        {"OptionalHasElement", "reads an optional value; only tensors are read"},
        {"StringNormalizer", "reads strings"},
        {"Compress", "gives a shape that depends on data"},
        {"NonZero", "gives a shape that depends on data"},
        {"Unique", "gives a shape that depends on data"},
        {"NonMaxSuppression", "gives a shape that depends on data"},
        {"Bernoulli", "draws random numbers"},
        {"Multinomial", "draws random numbers"},
        {"RandomNormal", "draws random numbers"},
        {"RandomNormalLike", "draws random numbers"},
        {"RandomUniform", "draws random numbers"},
        {"RandomUniformLike", "draws random numbers"},
    };
    for (const auto& [operator_, reason] : reasons) {
        if (operator_ == name) {
            return reason;
        }
    }
    return "is an operator that no composition here computes";
}

} // namespace ane::onnx::inline ANEMONE_WAY
