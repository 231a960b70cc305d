#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_formats_cpp_hpp);

#include "../base/error.hpp"
#include "../base/formatted.hpp"
#include "../base/unique_names.hpp"
#include "../io/file.hpp"
#include "../passes/print.hpp"
#include "../passes/prune.hpp"
#include "../passes/validate.hpp"
#include "../weights/promises.hpp"
#include "../weights/safetensors.hpp"
#include "../weights/safetensors_file.hpp"
#include "cpp.hpp"
#include "cpp_writer.hpp"

#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace ane::formats::inline ANEMONE_WAY {

/// Whether a namespace of this name would hide, or be taken for, something of the library that headers use.
ANEMONE_INLINE bool is_name_of_ours(std::string_view word) {
    return word == "ane" || word == "std" || cpp_writer::is_reserved(word);
}

/// "a::b" of words that C++ takes for names of namespaces, and that are none of the library's.
ANEMONE_INLINE void require_namespace(std::string_view whole) {
    std::string_view text = whole;
    for (bool more = true; more;) {
        const std::size_t end = text.find("::");
        const std::string_view part = text.substr(0, end);
        if (part.empty() || cpp_identifier(part) != part || is_name_of_ours(part)) {
            throw error(errc::argument, std::string(whole),
                        "cannot be the name of a namespace beside that of the library");
        }
        more = end != std::string_view::npos;
        text.remove_prefix(more ? end + 2 : 0);
    }
}

/// The graph with its large constants as weights, whose values are added to the others.
ANEMONE_INLINE dynamic_graph with_constants_as_weights(const graph_view& g, weight_store& weights,
                                                       std::size_t largest_literal) {
    dynamic_graph result = prune(g); // a copy
    unique_names names;
    for (const stored_tensor& t : weights) {
        names.take(t.name);
    }
    for (std::size_t i = 0; i < result.nodes.size(); ++i) {
        node& n = result.nodes[i];
        if (n.kind != op::constant || result.view().values(n).size() <= largest_literal) {
            continue;
        }
        const std::string called = names.fresh(formatted("constant_{}", i));
        weights.add(called, n.shape, result.view().values(n));
        n.kind = op::weight;
        n.attributes = contract{};
        n.name = result.intern(called);
    }
    return result;
}

ANEMONE_INLINE void require_weights(const graph_view& g, const weight_store& weights) {
    for (int i = 0; i < g.size(); ++i) {
        if (g[i].kind != op::weight) {
            continue;
        }
        const stored_tensor* const found = weights.find(g.name(i));
        if (found == nullptr || found->shape != g[i].shape) {
            throw error(errc::weights, std::string(g.name(i)),
                        formatted("{}: the model wants {}",
                                  found == nullptr ? "is missing" : formatted("has shape {}", print(found->shape)),
                                  print(g[i].shape)));
        }
    }
}

} // namespace ane::formats::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF cpp_program emit_cpp(const graph_view& g, weight_store weights, const cpp_options& options) {
    formats::require_namespace(options.name);
    validate(g);
    dynamic_graph model = formats::with_constants_as_weights(g, weights, options.largest_literal);
    formats::require_weights(model, weights);
    (void)promise_statistics(model, weights); // the loader tells of elements that fp16 does not hold
    return {formats::cpp_writer(model, options).write(), std::move(weights)};
}

ANEMONE_BODY_OF std::string cpp_namespace(std::string_view name) {
    std::string word = formats::cpp_identifier(name.substr(0, 200));
    return formats::is_name_of_ours(word) ? word + "_model" : word;
}

ANEMONE_BODY_OF void write_cpp(const cpp_program& program, const std::string& header, const std::string& weights) {
    if (header == weights) {
        throw error(errc::argument, header, "is to hold the header and the weights: give them two files");
    }
    const detail::safetensors_file file(weights, program.weights);
    const std::span<const std::byte> text = std::as_bytes(std::span(program.header));
    const detail::named_pieces files[]{{weights, file.pieces()}, {header, std::span(&text, 1)}};
    detail::write_files(std::span<const detail::named_pieces>(files));
}

} // namespace ane::inline ANEMONE_WAY
