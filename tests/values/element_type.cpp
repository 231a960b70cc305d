// The table of element types against the published names of each format (tests/facts/element_types.csv), cell by cell.

#include <anemone/values/dtype.hpp>
#include <anemone/values/element_type.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace ane;

namespace {

using row = std::map<std::string, std::string>;

std::vector<row> published() {
    std::ifstream file(ANEMONE_TEST_DATA "/facts/element_types.csv");
    REQUIRE(file.good());
    std::vector<row> rows;
    std::vector<std::string> columns;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with('#')) {
            continue;
        }
        std::vector<std::string> cells;
        std::istringstream text(line);
        for (std::string cell; std::getline(text, cell, ';');) {
            cells.push_back(cell);
        }
        if (columns.empty()) {
            columns = cells;
            continue;
        }
        REQUIRE(cells.size() == columns.size());
        row& r = rows.emplace_back();
        for (std::size_t i = 0; i < columns.size(); ++i) {
            r[columns[i]] = cells[i];
        }
    }
    return rows;
}

std::string cell(std::string_view name) { return name.empty() ? "-" : std::string(name); }
std::string cell(int number) { return number < 0 ? "-" : std::to_string(number); }

std::string kind_of(const element_facts& facts) {
    switch (facts.kind) {
    case number_kind::none: return "none";
    case number_kind::floating: return "floating";
    case number_kind::with_sign: return "signed";
    case number_kind::without_sign: return "unsigned";
    case number_kind::boolean: return "boolean";
    }
    return "";
}

/// The type of a row by the name of its enumerator; each is in this list or in the published table by mistake.
element_type named(const std::string& name) {
    const std::map<std::string, element_type> all{{"boolean", element_type::boolean},
                                                  {"uint1", element_type::uint1},
                                                  {"uint2", element_type::uint2},
                                                  {"uint3", element_type::uint3},
                                                  {"uint4", element_type::uint4},
                                                  {"uint6", element_type::uint6},
                                                  {"uint8", element_type::uint8},
                                                  {"uint16", element_type::uint16},
                                                  {"uint32", element_type::uint32},
                                                  {"uint64", element_type::uint64},
                                                  {"int4", element_type::int4},
                                                  {"int8", element_type::int8},
                                                  {"int16", element_type::int16},
                                                  {"int32", element_type::int32},
                                                  {"int64", element_type::int64},
                                                  {"f8_e4m3", element_type::f8_e4m3},
                                                  {"f8_e5m2", element_type::f8_e5m2},
                                                  {"f8_e4m3_fnuz", element_type::f8_e4m3_fnuz},
                                                  {"f8_e5m2_fnuz", element_type::f8_e5m2_fnuz},
                                                  {"f16", element_type::f16},
                                                  {"bf16", element_type::bf16},
                                                  {"f32", element_type::f32},
                                                  {"f64", element_type::f64},
                                                  {"complex64", element_type::complex64},
                                                  {"complex128", element_type::complex128},
                                                  {"text", element_type::text},
                                                  {"undefined", element_type::undefined}};
    return all.at(name);
}

} // namespace

TEST_CASE("each element type is called what the formats publish") {
    const std::vector<row> rows = published();
    std::set<element_type> seen;
    for (const row& r : rows) {
        INFO(r.at("type"));
        const element_facts& facts = facts_of(named(r.at("type")));
        CHECK(seen.insert(facts.type).second);
        CHECK(r.at("bits") == std::to_string(facts.bits));
        CHECK(r.at("kind") == kind_of(facts));
        CHECK(r.at("mil") == cell(facts.mil));
        CHECK(r.at("blob") == cell(facts.blob));
        CHECK(r.at("netplist") == cell(facts.netplist));
        CHECK(r.at("safetensors") == cell(facts.safetensors));
        CHECK(r.at("numpy") == cell(facts.numpy));
        CHECK(r.at("onnx") == cell(facts.onnx));
        CHECK(r.at("onnx_number") == cell(facts.onnx_number));
        CHECK(r.at("core_ml") == cell(facts.core_ml));
        CHECK(r.at("core_ml_array") == cell(facts.core_ml_array));
    }
    CHECK(seen.size() == std::size(element_types));
}

TEST_CASE("a row stands where its type says, and no vocabulary has a name twice") {
    std::map<std::string, std::set<std::string>> names;
    for (std::size_t i = 0; i < std::size(element_types); ++i) {
        const element_facts& row = element_types[i];
        CHECK(static_cast<std::size_t>(row.type) == i);
        const std::map<std::string, std::string> cells{{"mil", cell(row.mil)},
                                                       {"blob", cell(row.blob)},
                                                       {"netplist", cell(row.netplist)},
                                                       {"numpy", cell(row.numpy)},
                                                       {"onnx", cell(row.onnx)},
                                                       {"safetensors", cell(row.safetensors)},
                                                       {"number", cell(row.onnx_number)},
                                                       {"core_ml", cell(row.core_ml)},
                                                       {"array", cell(row.core_ml_array)},
                                                       {"c", cell(row.c)}};
        for (const auto& each : cells) {
            const auto& [vocabulary, name] = each;
            INFO(each.first, " ", each.second);
            CHECK((name == "-" || names[vocabulary].insert(name).second));
        }
    }
}

TEST_CASE("types are found by each of their names, and nothing is found by a name that is none") {
    for (const element_facts& row : element_types) {
        CHECK((row.mil.empty() || mil_element(row.mil) == row.type));
        CHECK((row.safetensors.empty() || find_element(&element_facts::safetensors, row.safetensors) == row.type));
        CHECK((row.onnx_number < 0 || find_element(&element_facts::onnx_number, row.onnx_number) == row.type));
    }
    static_assert(mil_element("") == element_type::undefined && mil_element("fp17") == element_type::undefined);
    static_assert(find_element(&element_facts::blob, -1) == element_type::undefined);
    static_assert(find_element(&element_facts::core_ml, 1'000'000'000'000) == element_type::undefined);
    static_assert(mil_name(element_type::bf16) == "bf16" && mil_name(element_of(dtype::f16)) == "fp16");
    static_assert(bytes(element_type::uint3, 3) == 2 && bytes(element_type::f64, 3) == 24);
    static_assert(bytes(element_type::undefined, 3) == 0);
}
