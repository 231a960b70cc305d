#include "../from_environment.hpp"
#include "test_support.hpp"

#include <doctest/doctest.h>

#include <array>
#include <random>

using namespace standin_test;

namespace {

/// A text with every statement form and most operations.
std::string rich() {
    return text(
        "tensor<fp16, [1, 2, 4, 4]> x, tensor<uint8, [1, 2, 4, 4]> image",
        constant("tensor<int32, [2]>", "one", "[1, 1]") + constant("tensor<int32, [4]>", "pad", "[1, 1, 1, 1]") +
            constant("string", "custom", "\"custom\"") +
            constant("tensor<fp16, [2, 1, 3, 3]>", "w",
                     "[0x1p+0, 0x0p+0, 0x1p+0, 0x0p+0, 0x1p+0, 0x0p+0, 0x1p+0, 0x0p+0, 0x1p+0, "
                     "0x1p-1, 0x0p+0, 0x1p+0, 0x0p+0, 0x1p+0, 0x0p+0, 0x1p+0, 0x0p+0, -0x1.8p+0]") +
            "        tensor<fp16, [2, 2]> v = const()[name = string(\"v\"), val = tensor<fp16, [2, 2]>(BLOBFILE(path = "
            "string(\"@model_path/weights.bin\"), offset = uint64(64)))];\n" +
            line("tensor<fp16, [1, 2, 4, 4]> f", "cast(dtype = string(\"fp16\"), x = image)") +
            line("tensor<fp16, [1, 2, 4, 4]> s", "add(x = x, y = f)") +
            line(
                "tensor<fp16, [1, 2, 4, 4]> c",
                "conv(dilations = one, groups = int32(2), pad = pad, pad_type = custom, strides = one, weight = w, x = s)") +
            constant("tensor<fp16, [1, 2, 1, 1]>", "b", "[1.0, 2.0]") +
            line("tensor<fp16, [1, 2, 4, 4]> d", "add(x = c, y = b)") +
            line("tensor<fp16, [1, 2, 4, 4]> e", "clip(alpha = fp16(0.0), beta = fp16(6.0), x = d)") +
            constant("tensor<int32, [2]>", "k", "[2, 2]") + constant("tensor<int32, [4]>", "nopad", "[0, 0, 0, 0]") +
            line("tensor<fp16, [1, 2, 2, 2]> p",
                 "avg_pool(ceil_mode = bool(false), exclude_padding_from_average = bool(true), kernel_sizes = k, "
                 "pad = nopad, pad_type = custom, strides = k, x = e)") +
            line("tensor<fp16, [1, 2, 2, 2]> m",
                 "matmul(transpose_x = bool(false), transpose_y = bool(true), x = p, y = v)") +
            line("tensor<fp16, [1, 1, 2, 2]> g, tensor<fp16, [1, 1, 2, 2]> h",
                 "split(axis = int32(1), num_splits = int32(2), x = m)") +
            line("tensor<fp16, [1, 1, 4, 2]> j",
                 "concat(axis = int32(-2), interleave = bool(false), values = (g, h))") +
            constant("tensor<int32, [4]>", "perm", "[0, 1, 3, 2]") +
            line("tensor<fp16, [1, 1, 2, 4]> t", "transpose(perm = perm, x = j)") +
            constant("tensor<int32, [1]>", "axes", "[3]") +
            line("tensor<fp16, [1, 1, 2]> r", "reduce_mean(axes = axes, keep_dims = bool(false), x = t)") +
            constant("tensor<int32, [2]>", "flat", "[1, 2]") +
            line("tensor<fp16, [1, 2]> q", "reshape(shape = flat, x = r)") +
            line("tensor<fp16, [1, 2]> y", "softmax(axis = int32(-1), x = q)"),
        "y, t");
}

std::string weights() { return bytes().header(1).entry(1, {0x00, 0x3C, 0x00, 0xB8, 0x00, 0x34, 0x00, 0x40}).text(); }

/// Accepted texts are executed too when they are small: a wrong bound in the executor must show.
void try_out(const std::string& mil, const std::string& directory, int& accepted) {
    try {
        const sa::program p = check(mil, directory);
        std::int64_t elements = 0;
        for (const sa::value& v : p.values) {
            elements += sa::element_count(v.type.shape);
        }
        const std::vector<sa::step> steps = sa::fuse(p);
        if (elements < 20000) {
            sa::executor e(p, steps);
            for (const int id : p.inputs) {
                const std::vector<std::uint8_t> zeros(e.port_bytes(id));
                e.write(id, zeros.data());
            }
            e.run();
        }
        ++accepted;
    } catch (const sa::refusal& r) {
        CHECK(r.what()[0] != '\0');
    }
}

} // namespace

TEST_CASE("stand-in: the text that is fuzzed is accepted") {
    const scratch folder;
    folder.write("weights.bin", weights());
    CHECK(refusal_of(rich(), folder.directory()) == "accepted");
}

TEST_CASE("stand-in: mutated texts are accepted or refused, nothing else") {
    const unsigned s = from_environment::seed();
    std::mt19937 random(s);
    const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    const scratch folder;
    folder.write("weights.bin", weights());
    const std::string good = rich();
    const std::array<std::string, 24> pieces = {"(",
                                                ")",
                                                "[",
                                                "]",
                                                "<",
                                                ">",
                                                ",",
                                                ";",
                                                "=",
                                                "->",
                                                "{",
                                                "}",
                                                "-1",
                                                "0",
                                                "65536",
                                                "4294967296",
                                                "9223372036854775807",
                                                "0x1p+15",
                                                "tensor<fp16, [2]>",
                                                "fp16(1.0)",
                                                "x",
                                                "\"",
                                                "BLOBFILE",
                                                "uint8"};
    int accepted = 0;
    for (int round = 0; round < 3000; ++round) {
        std::string mil = good;
        const std::size_t edits = 1 + below(3);
        for (std::size_t i = 0; i < edits; ++i) {
            const std::size_t at = below(mil.size());
            switch (below(6)) {
            case 0: mil[at] = static_cast<char>(below(256)); break;
            case 1: mil.erase(at, 1 + below(12)); break;
            case 2: mil.insert(at, pieces[below(pieces.size())]); break;
            case 3: {
                const std::size_t from = below(mil.size());
                mil.insert(at, mil.substr(from, 1 + below(60)));
                break;
            }
            case 4: { // a digit becomes another
                const std::size_t digit = mil.find_first_of("0123456789", at);
                if (digit != std::string::npos) {
                    mil[digit] = static_cast<char>('0' + below(10));
                }
                break;
            }
            default: { // a word becomes another piece
                const std::size_t word = mil.find_first_of(" (", at);
                const std::size_t end = mil.find_first_of(" ,)", word == std::string::npos ? at : word + 1);
                if (word != std::string::npos && end != std::string::npos) {
                    mil.replace(word + 1, end - word - 1, pieces[below(pieces.size())]);
                }
            }
            }
        }
        CAPTURE(s);
        CAPTURE(round);
        try_out(mil, folder.directory(), accepted);
    }
    MESSAGE("accepted " << accepted << " of 3000");
}

TEST_CASE("stand-in: mutated weight files are accepted or refused, nothing else") {
    const unsigned s = from_environment::seed();
    std::mt19937 random(s);
    const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
    const std::string good = weights();
    int accepted = 0;
    for (int round = 0; round < 2000; ++round) {
        std::string file = good;
        for (std::size_t i = 0; i <= below(3); ++i) {
            file[64 + below(32)] = static_cast<char>(below(256));
        }
        file.resize(below(4) == 0 ? below(file.size()) : file.size());
        CAPTURE(s);
        CAPTURE(round);
        try {
            const sa::blob_reader reader(std::vector<std::uint8_t>(file.begin(), file.end()));
            const std::uint64_t offset = below(4) == 0 ? random() : 64;
            const auto data = reader.entry(offset, sa::element::fp16, 4);
            std::uint8_t sum = 0;
            for (const std::uint8_t byte : data) {
                sum = static_cast<std::uint8_t>(sum + byte);
            }
            accepted += data.size() == 8 && sum != 1 ? 1 : 0;
        } catch (const sa::refusal& r) {
            CHECK(r.what()[0] != '\0');
        }
    }
    MESSAGE("accepted " << accepted << " of 2000");
}
