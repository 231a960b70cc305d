// docs/operations.md says what the catalogue says. ANEMONE_UPDATE_DOCS=1 writes it anew.

#include "../rules/page_text.hpp"
#include "../sanitized.hpp"
#include "recipe.hpp"
#include <anemone/analysis/ranges.hpp>
#include <anemone/backend/cpu/constants.hpp>
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/oracle/oracle.hpp>
#include <anemone/catalogue/engine_path.hpp>
#include <anemone/catalogue/monotonicity.hpp>
#include <anemone/formats/mil.hpp>
#include <anemone/formats/netplist.hpp>
#include <anemone/forms/mil_vocabulary.hpp>
#include <anemone/gradient/derivatives.hpp>
#include <anemone/graph/meaning.hpp>
#include <anemone/passes/lowering.hpp>
#include <anemone/weights/random.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using namespace catalogue;
using pages::cell;
using pages::code;

namespace {

const std::filesystem::path page = std::filesystem::path(ANEMONE_TEST_DATA) / ".." / "docs" / "operations.md";

constexpr std::string_view titles[] = {"Sources",
                                       "Products",
                                       "Two operands",
                                       "Comparisons",
                                       "Logic",
                                       "Functions of one operand",
                                       "Functions with parameters for each channel",
                                       "Windows",
                                       "Normalisation",
                                       "Reductions",
                                       "Positions along an axis",
                                       "Running sums",
                                       "Moving elements",
                                       "Image sampling",
                                       "Integers and compressed weights",
                                       "Attention",
                                       "Order along an axis",
                                       "Layers of the netplist"};
static_assert(std::size(titles) == static_cast<std::size_t>(op_group::native) + 1);

std::string operands_of(op kind) {
    const op_signature& s = signature(kind);
    return s.least_operands == s.most_operands       ? fmt::format("{}", s.least_operands)
           : s.most_operands == s.least_operands + 1 ? fmt::format("{} or {}", s.least_operands, s.most_operands)
                                                     : fmt::format("{} or more", s.least_operands);
}

template <class Member> std::string spelled(const Member& value) {
    if constexpr (std::is_enum_v<Member> && requires { name(value); }) {
        return std::string(name(value));
    } else {
        return text_of(value);
    }
}

/// The attribute struct and its members as they begin: `axis {index = -1}`. Those of sources are the builder's to fill.
std::string attributes_of(op kind) {
    std::string text;
    default_attributes(kind).visit([&](const auto& a) {
        for_each_member(a, [&](std::string_view member, const auto& value) {
            text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", member, spelled(value));
        });
    });
    return text.empty() || is_source(kind) ? ""
                                           : code(fmt::format("{} {{{}}}", name(signature(kind).attributes), text));
}

std::string from(op kind) {
    const operation_support& s = support_of(kind);
    const int mac = std::max(generation_tier(s.floor) - 1, 1); // tier 2, A13, is the M1
    constexpr std::string_view routes[] = {"", ", MIL", ", netplist"};
    return fmt::format("M{}{}", mac, routes[static_cast<std::size_t>(s.route)]);
}

/// Nodes of the operation: where there are any those that read fp16, some of it from an input, of a rank above 0, and
/// have the default attributes (if these are good for more than extents of one).
std::vector<recipe> examples_of(op kind) {
    std::vector<recipe> all;
    recipe_maker maker(kind, 1);
    for (int i = 0; i < 4000 && (i < 1000 || all.size() < 800); ++i) {
        recipe r = maker.draw(i % 4 == 3);
        try {
            bench(r.operands).add(kind, r.values, r.result);
            all.push_back(std::move(r));
        } catch (const error&) {}
    }
    if (signature(kind).least_operands == 0) {
        return all;
    }
    const auto keep = [&all](const auto& what) {
        if (std::any_of(all.begin(), all.end(), what)) {
            all.erase(std::remove_if(all.begin(), all.end(), [&](const recipe& r) { return !what(r); }), all.end());
        }
    };
    keep([](const recipe& r) {
        return std::all_of(r.operands.begin(), r.operands.end(), [](auto& o) { return o.type == dtype::f16; });
    });
    keep([](const recipe& r) { // else it is computed when the program is compiled
        return std::any_of(r.operands.begin(), r.operands.end(), [](auto& o) { return !o.is_weight; });
    });
    keep([](const recipe& r) { return r.operands[0].shape.rank > 0; });
    const auto by_default = [](const recipe& r) { return r.values == default_attributes(r.kind); };
    if (std::any_of(all.begin(), all.end(), [&](const recipe& r) {
            const extents& x = r.operands[0].shape;
            return by_default(r) && std::find(x.extent, x.extent + x.rank, 1) == x.extent + x.rank;
        })) {
        keep(by_default);
    }
    return all;
}

std::string end(double value) {
    return value >= unbounded ? "inf" : value <= -unbounded ? "-inf" : fmt::format("{:.4g}", value + 0.0);
}

/// "" for what is no function of one operand.
std::string growth_text(op kind) {
    node n;
    n.kind = kind;
    n.attributes = default_attributes(kind);
    switch (monotonicity_of(n)) {
    case monotonicity::increasing: return ", increasing";
    case monotonicity::decreasing: return ", decreasing";
    case monotonicity::neither: break;
    }
    return "";
}

/// The range of the result of operands in [-8, 8].
std::string range_of(const std::vector<recipe>& examples) {
    std::string text;
    for (const recipe& r : examples) {
        const dynamic_graph g = graph_of(r, within(-8, 8));
        const std::vector<interval> all = ranges(g);
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (g.nodes[i].kind == r.kind) {
                const interval& x = all[i];
                const bool open = x.low <= -unbounded && x.high >= unbounded;
                const std::string here = open ? "unbounded" : fmt::format("{} to {}", end(x.low), end(x.high));
                if (!text.empty() && text != here) {
                    return "by extents";
                }
                text = here;
            }
        }
    }
    return text;
}

/// Which writers accept one of them.
std::string written(op kind, const std::vector<recipe>& examples) {
    bool mil = false;
    bool netplist = false;
    const auto accepts = [](const auto& emit) {
        try {
            emit();
            return true;
        } catch (const error&) { // of weights too: 0 / 0, or an index of 0.7
            return false;
        }
    };
    for (std::size_t i = 0; i < examples.size() && i < 200 && !(mil && netplist); ++i) {
        const dynamic_graph g = graph_of(examples[i], within(0.5, 2));
        const lowered_graph lowered = lower(g);
        folded_constants constants;
        if (accepts([&] { constants = fold_constants(lowered.view(), random_weights(g, 1)); })) {
            mil = mil || accepts([&] { (void)emit_mil(lowered.view(), constants); });
            netplist = netplist || accepts([&] { (void)emit_netplist(lowered.view(), constants); });
        }
    }
    std::string text = mil ? "MIL" : "";
    if (const mil_form* const form = find_mil_form(kind); form != nullptr && mil && !is_composed(kind)) {
        text += form->known == form_evidence::measured ? "" : fmt::format(" ({})", name(form->known));
    }
    text += netplist ? (mil ? ", netplist" : "netplist") : "";
    return text + (!text.empty() && is_composed(kind) ? " (in parts)" : "");
}

/// The path and how it is known; lowering leaves nothing of an operation that has none.
std::string arithmetic_of(op kind) {
    if (!has_engine_path(kind)) {
        return "that of its parts |";
    }
    const numerics::engine_path& row = engine_path_of(kind);
    return fmt::format("{} | {}: {}", name(row.path), name(row.known), cell(row.source));
}

/// Sources have no operands that a cotangent could reach.
std::string gradient_of(op kind) {
    const no_derivative r = derivative_refusal(kind);
    return is_source(kind)                    ? ""
           : r.any()                          ? fmt::format("no: {}", r.why)
           : detail::gradients::is_flat(kind) ? "none"
                                              : "yes";
}

std::string page_text() {
    std::string text = fmt::format(
        "# Operations\n\n"
        "<!-- Made from the catalogue by tests/catalogue/operations_page.cpp, not by hand: ANEMONE_UPDATE_DOCS=1 "
        "test_catalogue -->\n\n"
        "All {} operations, by group: first what each computes, then what is known of it on the engine. How they are "
        "called, with which template arguments, is on [models](models.md#operations). The CPU backend and the oracle "
        "run every one.\n\n"
        "- **Operands** are counted without optional ones first. **Attributes** are the struct that "
        "`dynamic_builder::add` takes, with its defaults.\n"
        "- **From** is the oldest Mac generation that has the operation, and the route where the engine takes it by one "
        "alone (guide chapter 35 and appendices A and B, decompiled). Your target need not accept it in every form: the "
        "[rules](rules/index.md) check that.\n"
        "- **Written**: which [formats](formats.md) this library can write it in; *in parts*: as other operations; "
        "*documented*: in MIL with the public names of its arguments, of which no accepted text is known; *predicted*: in a "
        "form that no source has. "
        "Emitting any other throws an `ane::error` of kind `lowering`; an operation on [constants](formats.md#constants) "
        "alone needs no written form.\n"
        "- **Range**: what [interval arithmetic](envelope.md) proves of the result where all fp16 operands lie in "
        "[-8, 8] and attributes have their defaults; *by extents*: it depends on the shapes. A function is *increasing* or *decreasing* "
        "where larger operands give larger or smaller results.\n"
        "- **Exact** operations compare, choose or move values and never round. **Arithmetic** is the path that the "
        "[oracle](oracle.md) takes, and **Known** how we know of it.\n"
        "- **Gradient**: whether the operation has a derivative ([gradients](gradients.md)), or why it has none.\n",
        op_count);
    for (std::size_t g = 0; g < std::size(titles); ++g) {
        std::string what;
        std::string how;
        for (std::size_t i = 0; i < op_count; ++i) {
            const auto kind = static_cast<op>(i);
            if (signature(kind).group != static_cast<op_group>(g)) {
                continue;
            }
            CAPTURE(std::string(name(kind)));
            CHECK(backend::cpu::supports(kind));
            CHECK(backend::oracle::supports(kind));
            const std::string_view onnx = signature(kind).onnx;
            what += fmt::format("| {} | {} | {} | {} | {} | {} |\n", code(name(kind)), cell(meaning(kind)),
                                operands_of(kind), attributes_of(kind), onnx, gradient_of(kind));
            const std::vector<recipe> examples = is_source(kind) ? std::vector<recipe>{} : examples_of(kind);
            REQUIRE((is_source(kind) || !examples.empty()));
            how += fmt::format("| {} | {} | {} | {} | {} | {} |\n", code(name(kind)), from(kind),
                               is_source(kind) ? "MIL, netplist" : written(kind, examples),
                               range_of(examples) + growth_text(kind), exact_ops.contains(kind) ? "exact" : "",
                               arithmetic_of(kind));
        }
        text += fmt::format("\n## {}\n\n| Operation | Computes | Operands | Attributes | ONNX | Gradient "
                            "|\n|---|---|---|---|---|---|\n"
                            "{}\n| Operation | From | Written | Range | Exact | Arithmetic | Known |\n"
                            "|---|---|---|---|---|---|---|\n{}",
                            titles[g], what, how);
    }
    return text;
}

} // namespace

TEST_CASE("the page of the operations follows from the catalogue (ANEMONE_UPDATE_DOCS=1 writes it anew)" *
          doctest::skip(sanitized)) { // of its text; the sweep is what sanitizers watch
    const std::string made = page_text();
    if (const char* const wanted = std::getenv("ANEMONE_UPDATE_DOCS"); wanted != nullptr && *wanted == '1') {
        std::ofstream(page, std::ios::binary) << made;
    }
    std::ifstream stream(page, std::ios::binary);
    std::istringstream expected(made);
    std::string line;
    for (std::string row; std::getline(expected, row);) {
        CHECK_MESSAGE((std::getline(stream, line) && line == row), "stale; run with ANEMONE_UPDATE_DOCS=1: ", row);
    }
    CHECK(!std::getline(stream, line));
}
