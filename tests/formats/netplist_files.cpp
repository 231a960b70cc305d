#include "netplist_models.hpp"
#include <anemone/io/file.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace ane;

namespace {

std::string read_text(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

std::filesystem::path scratch(std::string_view name) {
    return std::filesystem::temp_directory_path() / fmt::format("anemone_netplist_{}", name);
}

} // namespace

TEST_CASE("two emissions of a model are equal byte for byte") {
    netplist_models::for_each_model([](const netplist_models::named_model& model) {
        CAPTURE(model.name);
        const netplist a = model.program();
        const netplist b = model.program();
        CHECK(formats::to_xml(a.document) == formats::to_xml(b.document));
        REQUIRE(a.weights.size() == b.weights.size());
        for (std::size_t i = 0; i < a.weights.size(); ++i) {
            CHECK(a.weights[i].name == b.weights[i].name);
            CHECK(a.weights[i].bytes == b.weights[i].bytes);
        }
    });
}

TEST_CASE("one netplist is kept for people to read (ANEMONE_UPDATE_GOLDEN=1 writes it anew)") {
    const std::filesystem::path path = std::filesystem::path(ANEMONE_TEST_DATA) / "formats/golden/mlp.plist";
    const std::string text = formats::to_xml(netplist_models::emit(netplist_models::mlp(), "mlp").document);
    if (const char* const update = std::getenv("ANEMONE_UPDATE_GOLDEN"); update != nullptr && *update == '1') {
        write_file(path, text);
    }
    CHECK(read_text(path) == text);
}

TEST_CASE("a netplist directory holds net.plist and every weight file") {
    const std::filesystem::path place = scratch("directory");
    std::filesystem::remove_all(place);
    const netplist program = netplist_models::emit(netplist_models::mlp());
    const std::filesystem::path document = write_netplist(program, place);
    CHECK(document == place / "net.plist");
    CHECK(read_text(document) == formats::to_xml(program.document));
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(place)) {
        files += entry.is_regular_file() ? 1U : 0U;
    }
    CHECK(files == program.weights.size() + 1);
    for (const netplist_blob& b : program.weights) {
        CHECK(std::filesystem::file_size(place / b.name) == b.bytes.size());
    }
    std::filesystem::remove_all(place);
}
