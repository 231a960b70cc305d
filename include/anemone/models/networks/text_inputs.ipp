#pragma once

#include "../../base/way.hpp"
ANEMONE_INCLUDED(anemone_models_networks_text_inputs_hpp);

#include "../../base/error.hpp"
#include "../../base/formatted.hpp"
#include "../token_rows.hpp"
#include "text_inputs.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

namespace ane::models::inline ANEMONE_WAY {

ANEMONE_INLINE void refuse_text [[noreturn]] (const std::string& why) { throw error(errc::argument, "text", why); }

/// The rows of a table; of one that a network does not have, none.
class rows_of_table {
public:
    ANEMONE_INLINE rows_of_table(const weight_store& tables, const host_table& table, std::string_view what)
        : count_(table.rows), what_(what) {
        if (!table.name.empty()) {
            constexpr std::string_view end = ".weight";
            rows_ = ane::detail::token_rows(tables, table.name.substr(0, table.name.size() - end.size()), table.rows,
                                            table.width);
        }
    }
    bool empty() const { return rows_.empty(); }

    ANEMONE_INLINE void add(std::int64_t row, std::vector<float>& into) {
        if (row < 0 || row >= count_) {
            refuse_text(count_ == 0 ? formatted("has the {} {}, the network has none", what_, row)
                                    : formatted("has the {} {}, the network has 0 to {}", what_, row, count_ - 1));
        }
        rows_.read(row, read_);
        for (std::size_t i = 0; i < into.size(); ++i) {
            into[i] += read_[i];
        }
    }

private:
    ane::detail::token_rows rows_;
    std::int64_t count_;
    std::string_view what_;
    std::vector<float> read_;
};

ANEMONE_BODY_OF text_values text_inputs(const network& n, const weight_store& tables,
                                        std::span<const std::int64_t> tokens, const network_form& form,
                                        std::span<const std::int64_t> types) {
    const std::optional<text_ports> ports = text_ports_of(n);
    if (!ports) {
        refuse_text("is for networks of texts: this one takes images");
    }
    if (const std::string_view wrong = fault_of_network(n); !wrong.empty()) {
        throw error(errc::graph, "text", std::string(wrong));
    }
    const std::int64_t run = tokens_of_run(*ports, form);
    const auto count = static_cast<std::int64_t>(tokens.size());
    if (count < 1 || count > run) {
        refuse_text(formatted("has {} tokens, a run of this form takes 1 to {}", count, run));
    }
    if (!types.empty() && types.size() != tokens.size()) {
        refuse_text(formatted("has {} tokens and {} token types", count, types.size()));
    }
    const host_tables all = host_tables_of(n);
    rows_of_table words(tables, all[0], "token");
    rows_of_table positions(tables, all[1], "position");
    rows_of_table kinds(tables, all[2], "token type");
    const bool is_rows = form.layout == activation_layout::rows;
    text_values made{.x = std::vector<float>(static_cast<std::size_t>(run * ports->width)),
                     .mark = std::vector<float>(static_cast<std::size_t>(run),
                                                ports->mark == text_mark::padding ? -40000.0F : 0.0F)};
    std::vector<float> row;
    for (std::int64_t at = 0; at < count; ++at) {
        const auto index = static_cast<std::size_t>(at);
        row.assign(static_cast<std::size_t>(ports->width), 0);
        words.add(tokens[index], row);
        positions.add(at + ports->first_position, row);
        if (!kinds.empty() || !types.empty()) {
            kinds.add(types.empty() ? 0 : types[index], row);
        }
        for (std::int64_t i = 0; i < ports->width; ++i) {
            made.x[static_cast<std::size_t>(is_rows ? at * ports->width + i : i * run + at)] =
                row[static_cast<std::size_t>(i)];
        }
        if (ports->mark == text_mark::padding) {
            made.mark[index] = 0;
        }
    }
    if (ports->mark == text_mark::end) {
        const auto end = std::find(tokens.begin(), tokens.end(), ports->end_token);
        if (end == tokens.end()) {
            refuse_text(formatted("has no token {}, which ends it", ports->end_token));
        }
        made.mark[static_cast<std::size_t>(end - tokens.begin())] = 1;
    }
    return made;
}

} // namespace ane::models::inline ANEMONE_WAY
