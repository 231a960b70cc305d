// Weights of MIL text: blobs and what is wrong with them, compressed forms, and the writer's own files, which come out
// of a reader and the writer as they went in.

#include "mil_support.hpp"
#include <anemone/backend/cpu/constants.hpp>
#include <anemone/formats/mil.hpp>
#include <anemone/io/file.hpp>
#include <anemone/passes/lowering.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

using namespace reading;

namespace {

std::string blob(std::uint64_t offset) {
    return "BLOBFILE(path = string(\"@model_path/weights/weight.bin\"), offset = uint64(" + std::to_string(offset) +
           "))";
}

std::vector<std::byte> bytes_of(std::initializer_list<int> list) {
    std::vector<std::byte> bytes;
    for (const int b : list) {
        bytes.push_back(static_cast<std::byte>(b));
    }
    return bytes;
}

std::vector<ane::half> halves(std::initializer_list<double> list) { return {list.begin(), list.end()}; }

/// What the variable `w` of shape [n] is, read by adding zeros.
numbers values_of(const std::string& statements, const ane::blob_writer& b, int n) {
    const std::string type = "tensor<fp16, [" + std::to_string(n) + "]>";
    const auto m = read(program_of(type + " x", statements + "\n" + type + " f = reshape(x = w, shape = [" +
                                                    std::to_string(n) + "]);\n" + type + " y = add(x = x, y = f);"),
                        b.bytes());
    return run(m, {numbers(static_cast<std::size_t>(n))})[0];
}

/// Variables by the order in which they appear.
std::string with_plain_names(const std::string& text) {
    static const std::regex variable(R"(\bt_*[0-9]+)");
    std::map<std::string, std::string> names;
    std::string result;
    auto from = text.begin();
    for (std::sregex_iterator i(text.begin(), text.end(), variable), end; i != end; ++i) {
        result.append(from, text.begin() + i->position());
        result += names.emplace(i->str(), "v" + std::to_string(names.size())).first->second;
        from = text.begin() + i->position() + i->length();
    }
    return result.append(from, text.end());
}

/// The statements whatever their order, without names and places in the blob.
std::vector<std::string> sorted_statements(const std::string& text) {
    static const std::regex variable(R"(\bt_*[0-9]+|uint64\([0-9]+\))");
    std::istringstream in(std::regex_replace(text, variable, "v"));
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    std::sort(lines.begin(), lines.end());
    return lines;
}

ane::mil_program written(const ane::read_model& m) {
    const ane::lowered_graph lowered = ane::lower(m.graph);
    return ane::emit_mil(lowered.graph, ane::fold_constants(lowered.graph, m.weights));
}

} // namespace

TEST_CASE("the writer's files come back as they were") {
    for (const std::string name : {"arithmetic", "digits_like", "encoder", "moved", "residual"}) {
        CAPTURE(name);
        std::ifstream file(std::string(ANEMONE_TEST_DATA) + "/formats/golden/" + name + ".mil");
        const std::string text((std::istreambuf_iterator<char>(file)), {});
        REQUIRE(!text.empty());
        // A blob with a value for each place.
        ane::blob_writer weights;
        static const std::regex entry(
            R"(tensor<fp16, \[([0-9, ]+)\]>\(BLOBFILE\(path = string\("[^"]*"\), offset = uint64\(([0-9]+)\))");
        for (std::sregex_iterator i(text.begin(), text.end(), entry), end; i != end; ++i) {
            std::size_t count = 1;
            const std::string shape = (*i)[1];
            static const std::regex number("[0-9]+");
            for (std::sregex_iterator n(shape.begin(), shape.end(), number); n != end; ++n) {
                count *= std::stoul(n->str());
            }
            std::vector<ane::half> values;
            for (std::size_t k = 0; k < count; ++k) {
                values.emplace_back(static_cast<double>(k % 61 + 1) / 64);
            }
            REQUIRE(weights.add(values) == std::stoul((*i)[2]));
        }
        const ane::mil_program again = written(read(text, weights.bytes()));
        CHECK(sorted_statements(again.text) == sorted_statements(text));
        if (name != "encoder") { // whose products the lowering puts into another order, once
            CHECK(with_plain_names(again.text) == with_plain_names(text));
            const auto a = again.weights.bytes();
            const auto b = weights.bytes();
            CHECK(std::equal(a.begin(), a.end(), b.begin(), b.end()));
        }
        CHECK(written(read(again.text, again.weights.bytes())).text == again.text);
    }
}

TEST_CASE("constants of every type come out of blobs") {
    struct sample {
        const char* type;
        std::uint32_t code;
        std::vector<std::byte> data;
        numbers expected;
    };
    for (const sample& s : std::vector<sample>{{"fp32", 2, bytes_of({0, 0, 0x80, 0x3F, 0, 0, 0, 0xC0}), {1, -2}},
                                               {"bf16", 5, bytes_of({0x80, 0x3F, 0x00, 0xC0}), {1, -2}},
                                               {"int8", 4, bytes_of({1, 0xFE}), {1, -2}},
                                               {"uint8", 3, bytes_of({1, 0xFE}), {1, 254}},
                                               {"int16", 6, bytes_of({1, 0, 0xFE, 0xFF}), {1, -2}},
                                               {"uint16", 7, bytes_of({1, 0, 2, 0}), {1, 2}},
                                               {"int32", 14, bytes_of({1, 0, 0, 0, 0xFE, 0xFF, 0xFF, 0xFF}), {1, -2}},
                                               {"uint32", 15, bytes_of({1, 0, 0, 0, 2, 0, 0, 0}), {1, 2}},
                                               {"int4", 8, bytes_of({0xE1}), {1, -2}},
                                               {"uint4", 11, bytes_of({0xE1}), {1, 14}}}) {
        CAPTURE(std::string(s.type));
        for (const int version : {1, 2}) {
            ane::blob_writer b;
            const std::uint64_t at = b.add(static_cast<ane::blob_type>(s.code), s.data, 0);
            std::vector<std::byte> file(b.bytes().begin(), b.bytes().end());
            file[4] = static_cast<std::byte>(version);
            const std::string t = std::string("tensor<") + s.type + ", [2]>";
            const auto m = read(
                program_of(
                    "tensor<fp16, [2]> x",
                    t + " w = const()[val = " + t + "(" + blob(at) + ")];\n" +
                        "tensor<fp16, [2]> c = cast(x = w, dtype = \"fp16\");\ntensor<fp16, [2]> y = add(x = x, y = c);"),
                file);
            CHECK(run(m, {{0, 0}})[0] == s.expected);
        }
    }
    // A tensor without axes.
    ane::blob_writer b;
    b.add(halves({3}));
    CHECK(run(read(program_of("tensor<fp16, [1]> x", "tensor<fp16, []> w = const()[val = tensor<fp16, []>(" + blob(64) +
                                                         ")];\ntensor<fp16, [1]> y = add(x = x, y = w);"),
                   b.bytes()),
              {{1}}) == std::vector<numbers>{{4}});
}

TEST_CASE("compressed weights are what the facts say of their forms") {
    ane::blob_writer b;
    b.add(ane::blob_type::int8, bytes_of({0x7F, 0xC0, 0x40, 0x81}), 0); // 64
    b.add(halves({0.5, 0.25}));                                         // 192
    CHECK(
        values_of(
            "tensor<fp16, [2, 2]> w = constexpr_affine_dequantize()[axis = int32(0), name = string(\"w\"), quantized_data = tensor<int8, [2, 2]>(" +
                blob(64) + "), scale = tensor<fp16, [2]>(" + blob(192) + "), zero_point = int8(0)];",
            b, 4) == numbers{63.5, -32, 16, -31.75});
    CHECK(
        values_of(
            "tensor<fp16, [2, 2]> w = constexpr_affine_dequantize()[axis = int32(1), quantized_data = tensor<int8, [2, 2]>(" +
                blob(64) + "), scale = tensor<fp16, [2]>(" + blob(192) + "), zero_point = tensor<int8, [2]>([1, 0])];",
            b, 4) == numbers{63, -16, 31.5, -31.75});
    CHECK(
        values_of(
            "tensor<int8, [2, 2]> d = const()[val = tensor<int8, [2, 2]>(" + blob(64) +
                ")];\n"
                "tensor<fp16, [2, 2]> w = constexpr_blockwise_shift_scale(data = d, scale = tensor<fp16, [1, 2]>([[0.5, 0.25]]))[name = \"w\"];",
            b, 4) == numbers{63.5, -16, 32, -31.75});
    // weights section 3.2: the codes 3,15,0,7,8,1,2,14 are f3 70 18 e2.
    ane::blob_writer p;
    p.add(static_cast<ane::blob_type>(11), bytes_of({0xF3, 0x70, 0x18, 0xE2}), 0);
    const std::string lut = "tensor<fp16, [1, 1, 16, 1]>([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15])";
    CHECK(values_of("tensor<uint4, [2, 4]> i = const()[val = tensor<uint4, [2, 4]>(" + blob(64) +
                        ")];\n"
                        "tensor<fp16, [2, 4]> w = constexpr_lut_to_dense(indices = i, lut = " +
                        lut + ")[name = \"w\"];",
                    p, 8) == numbers{3, 15, 0, 7, 8, 1, 2, 14});
    CHECK(
        values_of(
            "tensor<fp16, [2, 4]> w = constexpr_lut_to_dense()[indices = tensor<uint8, [4]>([243, 112, 24, 226]), lut = tensor<fp16, "
            "[16]>([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]), shape = tensor<uint32, [2]>([2, 4])];",
            p, 8) == numbers{3, 15, 0, 7, 8, 1, 2, 14});
    CHECK(
        values_of(
            "tensor<fp16, [4, 1]> w = constexpr_lut_to_dense(indices = tensor<uint1, [2, 1]>([1, 0]), lut = tensor<fp16, [1, 1, 2, 2]>([1, 2, 3, 4]), "
            "vector_axis = int32(0));",
            p, 4) == numbers{3, 4, 1, 2});
    CHECK(
        values_of(
            "tensor<fp16, [2, 2]> w = constexpr_sparse_to_dense(nonzero_data = tensor<fp16, [2]>([5, 6]), mask = tensor<uint1, [2, 2]>([0, 1, 1, 0]));",
            p, 4) == numbers{0, 5, 6, 0});
    CHECK(
        values_of(
            "tensor<fp16, [2, 2]> w = constexpr_sparse_to_dense()[nonzero_data = tensor<fp16, [2]>([5, 6]), mask = tensor<uint8, [1]>([6]), shape = tensor<uint32, "
            "[2]>([2, 2])];",
            p, 4) == numbers{0, 5, 6, 0});
    CHECK(
        values_of(
            "tensor<uint1, [2, 2]> m, tensor<fp16, [2]> v = constexpr_lut_to_sparse(indices_mask = tensor<uint1, [2, 2]>([0, 1, 1, 0]), indices_nonzero_data = "
            "tensor<uint1, [2]>([1, 0]), lut = tensor<fp16, [1, 1, 2, 1]>([7, 8]));\n"
            "tensor<fp16, [2, 2]> w = constexpr_sparse_to_dense(nonzero_data = v, mask = m);",
            p, 4) == numbers{0, 8, 7, 0});
    CHECK(
        values_of(
            "tensor<uint1, [2, 2]> m, tensor<fp16, [2]> v = constexpr_sparse_blockwise_shift_scale(data_mask = tensor<uint1, [2, 2]>([0, 1, 1, 0]), nonzero_data = "
            "tensor<int8, [2]>([3, -4]), scale = tensor<fp16, [2, 1]>([0.5, 2]), offset = tensor<int8, [2, 1]>([1, 0]));\n"
            "tensor<fp16, [2, 2]> w = constexpr_sparse_to_dense(nonzero_data = v, mask = m);",
            p, 4) == numbers{0, 1, -8, 0});
}

TEST_CASE("a compressed weight stays compressed where the library stores it the same") {
    ane::blob_writer b;
    b.add(ane::blob_type::int8, bytes_of({0x7F, 0xC0, 0x40, 0x81}), 0);
    b.add(halves({0.5, 0.25}));
    b.add(ane::blob_type::int8, bytes_of({0x7E, 0xC0, 0x40, 0x82}), 0); // no element uses 127
    const auto compressed = [&](std::uint64_t data) {
        const auto m = read(
            program_of(
                "tensor<fp16, [1, 2]> x",
                "tensor<fp16, [2, 2]> w = constexpr_affine_dequantize()[axis = int32(0), quantized_data = tensor<int8, [2, 2]>(" +
                    blob(data) + "), scale = tensor<fp16, [2]>(" + blob(192) +
                    "), zero_point = int8(0)];\ntensor<fp16, [1, 2]> y = matmul(x = x, y = w);"),
            b.bytes());
        int found = 0;
        for (const ane::node& n : m.graph.nodes) {
            found += n.kind == ane::op::compressed ? 1 : 0;
        }
        const double first = data == 64 ? 63.5 : 63;
        CHECK(run(m, {{1, 0}}) == std::vector<numbers>{{first, -32}});
        CHECK(m.notes.size() == (found == 0 ? 1 : 0));
        return found;
    };
    CHECK(compressed(64) == 1);
    CHECK(compressed(320) == 0);
}

TEST_CASE("blobs are not believed") {
    ane::blob_writer good;
    good.add(halves({1, 2}));
    const std::vector<std::byte> file(good.bytes().begin(), good.bytes().end());
    const auto refused = [&](std::vector<std::byte> bytes, const std::string& part,
                             const std::string& type = "tensor<fp16, [2]>", const std::string& offset = "64") {
        const auto faults =
            faults_of(program_of("tensor<fp16, [2]> x", type + " w = const()[val = " + type +
                                                            "(BLOBFILE(path = string(\"w\"), offset = uint64(" +
                                                            offset + ")))];\ntensor<fp16, [2]> y = add(x = x, y = w);"),
                      bytes);
        REQUIRE(faults.size() == 1);
        INFO(faults[0].reason);
        CHECK(faults[0].line == 4);
        CHECK(faults[0].reason.find(part) != std::string::npos);
    };
    const auto with = [&](std::size_t at, std::initializer_list<int> bytes) {
        std::vector<std::byte> changed = file;
        for (const int b : bytes) {
            changed.at(at++) = static_cast<std::byte>(b);
        }
        return changed;
    };
    refused({}, "0 bytes");
    refused({file.begin(), file.begin() + 100}, "none for the metadata");
    refused(with(4, {3}), "version 3");
    refused(with(64, {0}), "sentinel");
    refused(with(68, {2}), "type 2");
    refused(with(72, {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}), "claims");
    refused(with(80, {0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}), "claims");
    refused(file, "takes more", "tensor<fp16, [3]>");
    refused(file, "takes more", "tensor<fp16, [1000000, 1000000, 1000000]>");
    refused(file, "takes 2", "tensor<fp16, [1]>");
    refused(file, "metadata at", "tensor<fp16, [2]>", "18446744073709551615");
    refused(file, "sentinel", "tensor<fp16, [2]>", "65");
    // As often as a text refers to a blob, its bytes are copied: within what the caller allows.
    std::string many;
    for (int i = 0; i < 100; ++i) {
        const std::string n = std::to_string(i);
        many += "tensor<fp16, [2]> w" + n + " = const()[val = tensor<fp16, [2]>(" + blob(64) +
                ")];\ntensor<fp16, [2]> y" + n + " = add(x = x, y = w" + n + ");\n";
    }
    const auto faults = faults_of(program_of("tensor<fp16, [2]> x", many, "y99"), file, {.memory = 200});
    REQUIRE(faults.size() == 50);
    CHECK(faults[0].reason.find("more memory") != std::string::npos);
}

TEST_CASE("files are found beside the text") {
    const std::string folder =
        std::filesystem::temp_directory_path() / ("anemone-readers-" + std::to_string(::getpid()));
    ane::blob_writer b;
    b.add(halves({1, 2}));
    ane::write_file(folder + "/weights/weight.bin", b.bytes());
    ane::write_file(folder + "/m.mil", program_of("tensor<fp16, [2]> x",
                                                  "tensor<fp16, [2]> w = const()[val = tensor<fp16, [2]>(" + blob(64) +
                                                      ")];\n"
                                                      "tensor<fp16, [2]> y = add(x = x, y = w);"));
    const auto m = ane::read_mil_file(folder + "/m.mil");
    CHECK(run(m, {{1, 1}}) == std::vector<numbers>{{2, 3}});
    CHECK(m.weights.contains("w"));
    std::filesystem::remove(folder + "/weights/weight.bin");
    try {
        ane::read_mil_file(folder + "/m.mil");
        FAIL("a blob is missing");
    } catch (const ane::unreadable& e) {
        CHECK(e.faults().at(0).line == 4);
        CHECK(e.faults()[0].reason.find("cannot be found") != std::string::npos);
    }
    CHECK_THROWS_AS(ane::read_mil_file(folder), ane::error);
    CHECK_THROWS_AS(ane::read_mil_file(folder + "/none.mil"), ane::error);
    std::filesystem::remove_all(folder);
}
