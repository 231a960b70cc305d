// The table of docs/formats.md says what the form tables say. ANEMONE_UPDATE_DOCS=1 writes it anew.

#include "../rules/page_text.hpp"
#include <anemone/catalogue/catalogue.hpp>
#include <anemone/forms/mil_vocabulary.hpp>
#include <anemone/forms/netplist_vocabulary.hpp>
#include <anemone/forms/written.hpp>
#include <anemone/passes/lowering.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

using namespace ane;
using pages::code;

namespace {

const std::filesystem::path page = std::filesystem::path(ANEMONE_TEST_DATA) / ".." / "docs" / "formats.md";
constexpr std::string_view begin_mark =
    "<!-- made by tests/forms/formats_page.cpp: ANEMONE_UPDATE_DOCS=1 test_forms -->\n";
constexpr std::string_view end_mark = "<!-- end of the table -->\n";

/// Of an operation that lowering takes apart, its form where it is kept whole.
std::string whole(bool composed, const std::string& form) { return composed ? "whole: " + form : form; }

std::string mil_cells(op kind) {
    const mil_form* const form = find_mil_form(kind);
    const std::string parts = is_composed(kind) ? "in parts" : "";
    if (form == nullptr) {
        return parts.empty() ? "no | |" : parts + " | |";
    }
    return fmt::format("{}{}{} | {} |", parts, parts.empty() ? "" : "; ", whole(!parts.empty(), code(form->name)),
                       name(form->known));
}

std::string netplist_cells(op kind) {
    const netplist_form* const form = find_netplist_form(kind);
    const std::string parts = is_composed(kind) ? "in parts" : "";
    if (form == nullptr) {
        return parts.empty() ? "no | |" : parts + " | |";
    }
    const std::string unit = form->unit.empty()      ? "no unit is needed"
                             : form->variant.empty() ? code(form->unit)
                                                     : fmt::format("{} {}", code(form->unit), code(form->variant));
    return fmt::format("{}{}{} | {} |", parts, parts.empty() ? "" : "; ", whole(!parts.empty(), unit),
                       name(form->evidence));
}

std::string table() {
    std::string text = "\n| Operation | MIL text | known | Netplist | known |\n|---|---|---|---|---|\n";
    for (std::size_t i = 0; i < op_count; ++i) {
        const auto kind = static_cast<op>(i);
        if (is_source(kind) || kind == op::compressed) {
            continue;
        }
        text += fmt::format("| {} | {} {}\n", code(name(kind)), mil_cells(kind), netplist_cells(kind));
    }
    return text + "\n";
}

std::string read_page() {
    std::ifstream stream(page, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

} // namespace

TEST_CASE("the page of the formats says how each operation is written (ANEMONE_UPDATE_DOCS=1 writes it anew)") {
    std::string text = read_page();
    const std::size_t begin = text.find(begin_mark);
    const std::size_t end = text.find(end_mark);
    REQUIRE(begin != std::string::npos);
    REQUIRE(end != std::string::npos);
    const std::size_t from = begin + begin_mark.size();
    if (const char* const wanted = std::getenv("ANEMONE_UPDATE_DOCS"); wanted != nullptr && *wanted == '1') {
        text.replace(from, end - from, table());
        std::ofstream(page, std::ios::binary) << text;
    } else {
        CHECK(text.substr(from, end - from) == table());
    }
}

TEST_CASE("what neither route can say is known by name, and the engine has it on no route that we could write") {
    // Of these no source gives a form: MIL's compiler answers `Not implemented`, the keys of their units are unknown.
    const op_set unwritten{op::random_uniform,    op::crop_resize, op::resample,     op::gather_hw,
                           op::gather_along_axis, op::gather_nd,   op::radius_search};
    for (std::size_t i = 0; i < op_count; ++i) {
        const auto kind = static_cast<op>(i);
        const bool written = is_source(kind) || kind == op::compressed || is_composed(kind) ||
                             find_mil_form(kind) != nullptr || find_netplist_form(kind) != nullptr;
        CAPTURE(name(kind));
        CHECK(written == !unwritten.contains(kind));
        if (!written) {
            CHECK(rewrite_for(kind, form_reason::no_mil_form) != rewrite::none);
        }
    }
}
