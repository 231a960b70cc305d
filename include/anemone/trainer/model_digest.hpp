#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../formats/cpp_text.hpp"
#include "../graph/graph.hpp"
#include "../io/sha256.hpp"
#include "../passes/print.hpp"
#include "../weights/store.hpp"

#include <span>
#include <string>

/// Only bodies include this header.
namespace ane::detail::inline ANEMONE_WAY {

/// What a graph computes, and with which of the weights that do not change: equal things have equal digests.
ANEMONE_INLINE std::string model_digest(const graph_view& g, const weight_store& frozen) {
    sha256 digest;
    for (int i = 0; i < g.size(); ++i) {
        const node& n = g[i];
        std::string text = formatted("{} {}", name(n.kind), print(n.type, n.shape));
        for (const int operand : g.operands(i)) {
            text += formatted(" {}", operand);
        }
        if (!is_source(n.kind)) {
            n.attributes.visit([&text](const auto& given) { text += " " + formats::cpp_struct(given); });
        }
        digest.update(std::as_bytes(std::span(text)));
        if (n.kind == op::constant) {
            digest.update(std::as_bytes(g.values(n)));
        }
    }
    for (const stored_tensor& each : frozen) {
        digest.update(std::as_bytes(std::span(each.name)));
        digest.update({each.bytes.data(), each.bytes.size()});
    }
    return digest.finish();
}

} // namespace ane::detail::inline ANEMONE_WAY
