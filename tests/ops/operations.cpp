// Every operation that the facts name (tests/facts/operations.csv) is accounted for: it has a builder of its name, an
// alias, a composed builder, or one that does not compile.

#include <anemone/graph/op.hpp>
#include <anemone/ops/ops.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

using namespace ane;

namespace {

struct row {
    std::string name;
    std::string how;
    std::string what;
};

std::vector<row> read_rows() {
    std::ifstream file(ANEMONE_TEST_DATA "/facts/operations.csv");
    REQUIRE(file.good());
    std::vector<row> rows;
    bool heading = true;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') {
            continue;
        }
        if (heading) {
            CHECK(line == "name;how;what");
            heading = false;
            continue;
        }
        std::istringstream cells(line);
        row r;
        std::getline(cells, r.name, ';');
        std::getline(cells, r.how, ';');
        std::getline(cells, r.what);
        rows.push_back(r);
    }
    return rows;
}

std::vector<std::string> words(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> out;
    for (std::string w; in >> w;) {
        out.push_back(w);
    }
    return out;
}

bool is_operation(std::string_view wanted) {
    for (std::size_t i = 0; i < op_count; ++i) {
        if (name(static_cast<op>(i)) == wanted) {
            return true;
        }
    }
    return false;
}

bool is_refused(std::string_view wanted) {
    return std::any_of(refused_operations.begin(), refused_operations.end(),
                       [&](const refused_operation& r) { return r.name == wanted; });
}

bool is_alias(std::string_view wanted, std::string_view builder) {
    return std::any_of(operation_aliases.begin(), operation_aliases.end(),
                       [&](const operation_alias& a) { return a.name == wanted && a.builder == builder; });
}

} // namespace

TEST_CASE("every operation of the facts has a builder, an alias, a composed builder or a refusal") {
    const std::vector<row> rows = read_rows();
    CHECK(rows.size() == 204);
    std::set<std::string> names;
    std::set<std::string> mentioned;
    for (const row& r : rows) {
        CAPTURE(r.name);
        CHECK(names.insert(r.name).second);
        const std::vector<std::string> parts = words(r.what);
        mentioned.insert(parts.begin(), parts.end());
        if (r.how == "builder") {
            CHECK(r.what == r.name);
            CHECK(is_operation(r.name));
        } else if (r.how == "alias") {
            CHECK(is_alias(r.name, r.what));
            CHECK((is_operation(r.what) || r.what == "to_f16"));
        } else if (r.how == "composed") {
            CHECK(!parts.empty());
            for (const std::string& part : parts) {
                CHECK(is_operation(part));
            }
        } else {
            CHECK(r.how == "refused");
            // A class template has the name `shape`.
            CHECK(r.what == (r.name == "shape" ? "runtime_shape" : r.name));
            CHECK(is_refused(r.what));
        }
    }
    for (const refused_operation& r : refused_operations) {
        CAPTURE(r.name);
        CHECK(mentioned.count(std::string(r.name)) == 1);
    }
    for (const operation_alias& a : operation_aliases) {
        CAPTURE(a.name);
        CHECK(names.count(std::string(a.name)) == 1);
    }
    // Leaves of a graph, and operations that the facts list as modes or as layers of the netplist instead.
    const std::set<std::string_view> elsewhere{"input",
                                               "weight",
                                               "cast",
                                               "log2",
                                               "minmax_norm",
                                               "reflect_pad",
                                               "symmetric_pad",
                                               "replicate_pad",
                                               "top_k_indices",
                                               "radius_search",
                                               "scaled_elementwise",
                                               "cross_correlation",
                                               "furthest_point_sampling"};
    for (std::size_t i = 0; i < op_count; ++i) {
        const std::string_view own = name(static_cast<op>(i));
        CAPTURE(own);
        CHECK((mentioned.count(std::string(own)) + elsewhere.count(own)) == 1);
    }
}

TEST_CASE("refused operations: names that nothing else has, a fact, and a rewrite") {
    std::set<std::string_view> names;
    for (const refused_operation& r : refused_operations) {
        CAPTURE(r.name);
        CHECK(names.insert(r.name).second);
        CHECK_FALSE(is_operation(r.name));
        const bool is_rule = r.fact.size() == 4 && r.fact[0] == 'R';
        CHECK((is_rule || r.fact == "appendix A" || r.fact == "chapter 35" || r.fact == "ANEForge"));
        CHECK(r.rewrite.size() > 5);
        CHECK(r.rewrite.back() != '.');
    }
}

TEST_CASE("the builders of refused operations leave numbers to the standard library") {
    // Without the constraint on a tensor these would be calls of the builders, which do not compile.
    CHECK(tan(0.0) == 0.0);
    CHECK(sinh(0.0F) == 0.0F);
}
