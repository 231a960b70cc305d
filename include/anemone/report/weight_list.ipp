#pragma once

#include "../base/formatted.hpp"
#include "../graph/weights_of.hpp"
#include "../passes/print.hpp"
#include "../passes/validate.hpp"
#include "../rules/phrases.hpp"
#include "weight_list.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace ane::detail::inline ANEMONE_WAY {

/// "within [-1, 1], row_l1 3"; empty where nothing is promised.
ANEMONE_INLINE std::string promise_phrase(const contract& promise) {
    std::vector<std::string> parts;
    if (promise.declared) {
        parts.push_back(formatted("within [{}, {}]", promise.low, promise.high));
    }
    if (promise.row_l1 < contract::any) {
        parts.push_back(formatted("row_l1 {}", promise.row_l1));
    }
    if (promise.column_l1 < contract::any) {
        parts.push_back(formatted("column_l1 {}", promise.column_l1));
    }
    if (promise.deviation > 0) {
        parts.push_back(formatted("deviating {}", promise.deviation));
    }
    return joined(parts);
}

/// `linear #4 (model.cpp:12)`
ANEMONE_INLINE std::string reader_phrase(const graph_view& g, int index) {
    const source_location& where = g[index].where;
    const std::string place =
        where.line > 0 ? formatted(" ({}:{})", printable(base_name(where.file)), where.line) : std::string();
    return formatted("{} #{}{}", name(g[index].kind), index, place);
}
/// Some of them, and how many more there are.
ANEMONE_INLINE std::string readers_phrase(const graph_view& g, const std::vector<int>& readers) {
    constexpr std::size_t shown = 3;
    std::string text;
    for (std::size_t i = 0; i < readers.size() && i < shown; ++i) {
        const bool last = i + 1 == readers.size();
        text += (i == 0 ? "" : last ? " and " : ", ") + reader_phrase(g, readers[i]);
    }
    return readers.size() > shown ? text + formatted(" and {} more", readers.size() - shown) : text;
}

/// Whether two readers are the same operation of the same line.
ANEMONE_INLINE bool is_read_again(const graph_view& g, const wanted_weight& weight) {
    for (std::size_t i = 1; i < weight.readers.size(); ++i) {
        const node& a = g[weight.readers[i]];
        const node& b = g[weight.readers[0]];
        if (a.kind == b.kind && a.where.line > 0 && a.where.line == b.where.line &&
            std::string_view(a.where.file) == b.where.file) {
            return true;
        }
    }
    return false;
}

ANEMONE_INLINE std::string shared_sentence(const graph_view& g, const std::vector<wanted_weight>& weights) {
    constexpr std::size_t shown = 3;
    const wanted_weight& first = weights[0];
    std::string text = formatted("{} {} shared: \"{}\" {} is read by {}", weights.size(),
                                 weights.size() == 1 ? "weight is" : "weights are", printable(first.name),
                                 print(first.shape), readers_phrase(g, first.readers));
    for (std::size_t i = 1; i < weights.size() && i <= shown; ++i) {
        text += formatted("{}\"{}\"", i == 1 ? "; so " + std::string(weights.size() == 2 ? "is " : "are ") : ", ",
                          printable(weights[i].name));
    }
    return weights.size() > shown + 1 ? text + formatted(" and {} more", weights.size() - shown - 1) : text;
}

/// Lines of columns that start at the same place.
ANEMONE_INLINE std::string in_columns(const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> width;
    for (const auto& row : rows) {
        width.resize(std::max(width.size(), row.size()), 0);
        for (std::size_t i = 0; i < row.size(); ++i) {
            width[i] = std::max(width[i], row[i].size());
        }
    }
    std::string text;
    for (const auto& row : rows) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            line += width[i] == 0 ? std::string() : row[i] + std::string(width[i] - row[i].size() + 2, ' ');
        }
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
}

ANEMONE_INLINE std::string megabytes(double bytes) {
    return bytes < 1e6 ? formatted("{:.1f} kB", bytes / 1e3) : formatted("{:.1f} MB", bytes / 1e6);
}

ANEMONE_BODY std::vector<remark> remarks_on_shared_weights(const graph_view& g) {
    std::vector<wanted_weight> again;
    std::vector<wanted_weight> others;
    for (wanted_weight& weight : weights_of(g)) {
        if (weight.is_shared()) {
            (is_read_again(g, weight) ? again : others).push_back(std::move(weight));
        }
    }
    std::vector<remark> remarks;
    if (!again.empty()) {
        remarks.push_back(
            {shared_sentence(g, again) +
                 "; if they are not meant to be tied, give each use a scope of its own: g.scope(\"layers\", i)",
             again[0].readers[1]});
    }
    if (!others.empty()) {
        remarks.push_back({shared_sentence(g, others), others[0].readers[1]});
    }
    return remarks;
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY std::string print_weights(const graph_view& g) {
    validate(g);
    std::vector<std::vector<std::string>> rows;
    double elements = 0;
    for (const wanted_weight& weight : weights_of(g)) {
        elements += static_cast<double>(weight.shape.count());
        std::string form;
        if (weight.is_compressed) {
            form = formatted("{}, {} bits", name(weight.form.form), weight.form.bits);
        }
        rows.push_back({std::string(detail::printable(weight.name)), print(weight.shape),
                        detail::promise_phrase(weight.promise), form,
                        (weight.is_shared() ? "shared: " : "") + detail::readers_phrase(g, weight.readers)});
    }
    const std::size_t count = rows.size();
    return detail::in_columns(rows) + formatted("{} weight{}, {:.0f} elements, {} as fp16\n", count,
                                                count == 1 ? "" : "s", elements, detail::megabytes(2 * elements));
}

ANEMONE_BODY std::string print(const weight_store& store) {
    std::vector<std::vector<std::string>> rows;
    double elements = 0;
    double bytes = 0;
    for (const stored_tensor& tensor : store) {
        elements += static_cast<double>(tensor.shape.count());
        bytes += static_cast<double>(tensor.bytes.size());
        rows.push_back({std::string(detail::printable(tensor.name)), std::string(facts_of(tensor.type).safetensors),
                        print(tensor.shape)});
    }
    const std::size_t count = rows.size();
    return detail::in_columns(rows) + formatted("{} tensor{}, {:.0f} elements, {}\n", count, count == 1 ? "" : "s",
                                                elements, detail::megabytes(bytes));
}

} // namespace ane::inline ANEMONE_WAY
