// What Apple's compilers and runtime were seen to take and to refuse (tests/facts/measured_limits.csv), line by line: no
// error for what was taken, one for what was refused.

#include "anemone/dynamic_volume.hpp"
#include "anemone/report/rule_report.hpp"
#include "anemone/report/sarif.hpp"
#include "one_node.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace one_node;

namespace {

struct line_of_limits {
    std::string id, operation, form, m4, m6;
};

std::vector<line_of_limits> limits() {
    std::ifstream file(ANEMONE_TEST_DATA "/facts/measured_limits.csv");
    REQUIRE(file.good());
    std::vector<line_of_limits> lines;
    for (std::string text; std::getline(file, text);) {
        if (text.empty() || text[0] == '#' || text.rfind("id;", 0) == 0) {
            continue;
        }
        line_of_limits l;
        std::istringstream cells(text);
        for (std::string* cell : {&l.id, &l.operation, &l.form, &l.m4, &l.m6}) {
            std::getline(cells, *cell, ';');
        }
        lines.push_back(l);
    }
    return lines;
}

/// Operations of the list that have no counterpart here: nothing can be asked about them.
bool is_missing_here(const line_of_limits& l) {
    static const std::set<std::string> missing{"conv_transpose3d", "log_softmax"};
    return missing.count(l.operation) == 1 || l.id == "L017"; // a program's results are fp16
}

/// "9x1": height and width.
size2 window_of(const std::string& form) {
    size2 w{};
    REQUIRE(std::sscanf(form.c_str(), "%dx%d", &w.height, &w.width) == 2);
    return w;
}
/// "K 32768"
std::int64_t extent_of(const std::string& form) { return std::stoll(form.substr(2)); }

dynamic_graph model_of(const line_of_limits& l) {
    const auto integers = [](const extents& shape) { return in(shape, {}, dtype::int32); };
    if (l.operation == "max_pool" || l.operation == "avg_pool") {
        const extents x{1, 4, 32, 32};
        const pool a{.kernel = window_of(l.form), .stride = 1};
        return make(l.operation == "max_pool" ? op::max_pool : op::avg_pool, resolve(a, x), {in(x)});
    }
    if (l.operation == "conv2d") {
        const size2 k = window_of(l.form);
        return make(op::conv2d, conv{}, {in({1, 8, 64, 64}), weight({8, 8, k.height, k.width})});
    }
    if (l.operation == "matmul" && l.form == "int32") {
        return make(op::matmul, transposed{}, {integers({4, 8}), integers({8, 4})});
    }
    if (l.operation == "matmul") {
        const std::int64_t k = extent_of(l.form);
        return make(op::matmul, transposed{}, {in({4, k}), in({k, 8})});
    }
    if (l.operation == "add" && l.form == "int32") {
        return make(op::add, no_attributes{}, {integers({4, 8}), integers({4, 8})});
    }
    if (l.operation == "add") {
        const std::int64_t e = extent_of(l.form);
        const extents shape = l.form[0] == 'W' ? extents{1, 1, 1, e} : extents{1, e, 1, 1};
        return make(op::add, no_attributes{}, {in(shape), in(shape)});
    }
    if (l.operation == "top_k") {
        return make(op::top_k, selection{.k = 5, .axis = 3}, {in({1, 4, 8, 64})});
    }
    if (l.operation == "pad") {
        return make(op::pad, pads{{0, 2, 0, 0}, {0, 1, 0, 0}}, {in({1, 4, 8, 8}), weight({})});
    }
    if (l.operation == "transpose") {
        return make(op::transpose, permutation{1, 0, 2, 3}, {in({2, 3, 4, 8})});
    }
    if (l.operation == "gather") {
        const int along = l.form == "W" ? 3 : 1;
        return make(op::gather, axis{along}, {in({1, 16, 8, 16}), in({4}, within(0, 15))});
    }
    if (l.operation == "replicate_pad") {
        return make(op::replicate_pad, pads{{0, 0, 2, 0}, {0, 0, 0, 1}}, {in({1, 4, 8, 8})});
    }
    if (l.operation == "logical_and" || l.operation == "conv3d" || l.operation == "avg_pool3d") {
        dynamic_builder g;
        const dynamic_tensor x = g.input("x", {1, 2, 4, 8, 8}, bounded(1));
        if (l.operation == "logical_and") {
            const dynamic_tensor both = g.add(
                op::logical_and, {g.add(op::less, {x, g.constant(0.5)}), g.add(op::greater, {x, g.constant(-0.5)})});
            g.output("y", g.add(op::select, {both, x, g.constant(0)}));
        } else if (l.operation == "conv3d") {
            g.output("y", conv3d(g, x, g.weight("w", {4, 2, 3, 3, 3}), nullptr));
        } else {
            g.output("y", avg_pool3d(g, x, {.kernel = 2}));
        }
        return g.finish();
    }
    REQUIRE(l.operation == "cast");
    dynamic_graph g = l.form == "int32 to f16" ? make(op::cast, no_attributes{}, {integers({4, 8})})
                                               : make(op::cast, no_attributes{}, {in({4, 8})});
    g.nodes[1].type = l.form == "f16 to int32" ? dtype::int32 : dtype::f16;
    return g;
}

} // namespace

TEST_CASE("every measured limit that a rule names stands in the table") {
    std::set<std::string> known;
    for (const line_of_limits& l : limits()) {
        known.insert(l.id);
    }
    std::set<std::string> named;
    for (std::size_t i = 0; i < rule_count; ++i) {
        std::istringstream facts(record_of(static_cast<rule>(i)).fact);
        for (std::string id; facts >> id;) {
            if (id.size() == 4 && id[0] == 'L') {
                named.insert(id);
                CHECK_MESSAGE(known.count(id) == 1, id);
            }
        }
    }
    CHECK(named == std::set<std::string>{"L001", "L003", "L006", "L008", "L012", "L014"});
}

TEST_CASE("a limit carries the mark that it has on the target") {
    const auto convolved = [](std::int64_t height) {
        return with_names(make(op::conv2d, conv{}, {in({1, 8, 64, 64}), weight({8, 8, height, 1})}));
    };
    const auto told = [](const dynamic_graph& g, target t, const char* words) {
        const std::string text = report(g, t).str();
        CAPTURE(text);
        CHECK(text.find(words) != std::string::npos);
    };
    told(convolved(30), h13, "kernel height 30 exceeds 29 on h13 (M1 base)");
    told(convolved(30), h13, "[R033 L003, measured]");
    told(convolved(33), h14, "[R033 L003, decompiled]"); // the HAL table
    told(convolved(32), h16g, "kernel height 32 exceeds 31 on h16g (M4 Pro, Max)");
    told(convolved(32), h16g, "[R033 L003, measured]");
    told(convolved(32), h17s, "[R033 L003, predicted]"); // carried over
    told(convolved(32), h18, "kernel height 32 exceeds 31 on h18 (M6 base)");
    told(convolved(32), h18, "[R033 L003, measured]");
    // One result for both, as well known as on the weaker of them.
    CHECK(sarif(convolved(32), {h16g, h18}).find("\"mark\": \"predicted\"") == std::string::npos);
    CHECK(sarif(convolved(32), {h16, h16g}).find("\"mark\": \"predicted\"") != std::string::npos);
}

TEST_CASE("what was measured to compile or to be refused on M4 and M6 is, line by line") {
    int asked = 0;
    for (const line_of_limits& l : limits()) {
        CAPTURE(l.id);
        CAPTURE(l.operation);
        CAPTURE(l.form);
        if (is_missing_here(l)) {
            continue;
        }
        const dynamic_graph g = model_of(l);
        for (const target t : {h16g, h18}) {
            CAPTURE(std::string(name(t)));
            const std::string& verdict = t == h16g ? l.m4 : l.m6;
            // Not `report`: among what is refused are types that no graph has.
            std::size_t errors = 0;
            for (const violation& v : violations(g, t, waive(rule::operation_is_not_written))) {
                errors += v.is_error ? 1 : 0;
            }
            if (verdict == "ok" || verdict == "placed" || verdict == "disputed") {
                CHECK(errors == 0);
                CHECK(breaks(g, rule::top_k_over_width_is_in_dispute, t) == (verdict == "disputed"));
            } else if (verdict == "refused" || verdict == "memory" || verdict == "not placed") {
                CHECK(errors > 0);
            } else {
                CHECK(verdict == "-");
                continue;
            }
            ++asked;
        }
    }
    CHECK(asked == 82);
}
