#include "test_support.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <sys/stat.h>

using namespace standin_test;

namespace {

/// The worked example of the facts: one fp16 [2, 2] = {1, -0.5, 0.25, 2}, 136 bytes.
std::string example() {
    std::string file(136, '\0');
    const auto put = [&](std::size_t at, std::initializer_list<int> list) {
        for (const int byte : list) {
            file[at++] = static_cast<char>(byte);
        }
    };
    put(0, {0x01, 0, 0, 0, 0x02});
    put(64, {0xEF, 0xBE, 0xAD, 0xDE, 0x01, 0, 0, 0, 0x08, 0, 0, 0, 0, 0, 0, 0, 0x80});
    put(128, {0x00, 0x3C, 0x00, 0xB8, 0x00, 0x34, 0x00, 0x40});
    return file;
}

sa::blob_reader reader(const std::string& file) {
    return sa::blob_reader(std::vector<std::uint8_t>(file.begin(), file.end()));
}

std::string refused_blob(const std::string& file, std::uint64_t offset = 64, sa::element type = sa::element::fp16,
                         std::int64_t count = 4) {
    try {
        static_cast<void>(reader(file).entry(offset, type, count));
        return "accepted";
    } catch (const sa::refusal& r) {
        return r.what();
    }
}

} // namespace

TEST_CASE("stand-in: the worked example of the weight file reads back") {
    const sa::blob_reader file = reader(example());
    CHECK(file.count() == 1);
    const auto data = file.entry(64, sa::element::fp16, 4);
    const std::vector<ane::half> values = sa::detail::halves_of(data);
    CHECK(values == halves({1, -0.5, 0.25, 2}));
}

TEST_CASE("stand-in: every field of a weight file is checked") {
    CHECK(refused_blob(example()) == "accepted");
    CHECK(contains(refused_blob(example(), 128), "beyond the end")); // the offset of the data, not of the metadata
    CHECK(contains(refused_blob(example(), 0), "not that of a metadata record"));
    CHECK(contains(refused_blob(example(), 96), "not that of a metadata record"));
    CHECK(contains(refused_blob(example(), 1024), "beyond the end"));
    CHECK(contains(refused_blob(example(), ~std::uint64_t{63}), "beyond the end"));
    CHECK(contains(refused_blob(example(), 64, sa::element::int8, 8),
                   "Metadata data type does not match requested type."));
    CHECK(contains(refused_blob(example(), 64, sa::element::fp16, 3), "holds 4 elements"));
    CHECK(contains(refused_blob(example(), 64, sa::element::fp16, 5), "holds 4 elements"));

    std::string file = example();
    file[4] = 1;
    CHECK(refused_blob(file) == "Storage Reader expects file format version 2.");
    file = example();
    file[64] = 0;
    CHECK(contains(refused_blob(file), "sentinel"));
    file = example();
    file[72] = 16; // size past the end
    CHECK(contains(refused_blob(file), "does not lie in the file"));
    file = example();
    file[80] = 64; // data over the metadata
    CHECK(contains(refused_blob(file), "does not lie in the file"));
    CHECK(contains(refused_blob(std::string(63, '\0')), "less than the 64"));
}

TEST_CASE("stand-in: counts of sub-byte entries need the right padding") {
    // 12 mask bits in two bytes: 4 bits of padding (facts: weights, section 3.3).
    const std::string good = bytes().header(1).entry(9, {0x12, 0x09}, 4).text();
    CHECK(refused_blob(good, 64, sa::element::uint1, 12) == "accepted");
    CHECK(sa::unpack_integers(reader(good).entry(64, sa::element::uint1, 12), sa::element::uint1, 12) ==
          std::vector<std::int64_t>{0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1});
    const std::string unpadded = bytes().header(1).entry(9, {0x12, 0x09}).text();
    CHECK(contains(refused_blob(unpadded, 64, sa::element::uint1, 12), "holds 16 elements"));
    const std::string odd = bytes().header(1).entry(11, {0x12, 0x09}, 2).text();
    CHECK(contains(refused_blob(odd, 64, sa::element::uint4, 3), "padding of 2 bits"));
}

TEST_CASE("stand-in: integers unpack low bits first, signed ones with their sign") {
    const std::vector<std::uint8_t> nibbles = {0xF3, 0x70, 0x18, 0xE2}; // facts: weights, section 3.2
    CHECK(sa::unpack_integers(nibbles, sa::element::uint4, 8) == std::vector<std::int64_t>{3, 15, 0, 7, 8, 1, 2, 14});
    CHECK(sa::unpack_integers(nibbles, sa::element::int4, 2) == std::vector<std::int64_t>{3, -1});
    const std::vector<std::uint8_t> row = {0x7F, 0xC0, 0x20, 0x00};
    CHECK(sa::unpack_integers(row, sa::element::int8, 4) == std::vector<std::int64_t>{127, -64, 32, 0});
}

TEST_CASE("stand-in: compressed weights expand to the values of the facts") {
    const scratch folder;
    // Section 3.1: two rows of int8 and their scales. Section 3.2: a palette. Section 3.3: a mask and its values.
    bytes file;
    file.header(6)
        .entry(4, {0x7F, 0xC0, 0x20, 0x00, 0x40, 0x81, 0x20, 0x10})   // at 64
        .entry(1, {0x08, 0x20, 0x08, 0x28})                           // at 192
        .entry(11, {0x01, 0x10})                                      // at 320
        .entry(1, {0, 0, 0, 0x3C, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, // at 448: lut[1] = 1
                   0, 0, 0, 0,    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})
        .entry(9, {0x12, 0x09}, 4)                                   // at 576
        .entry(1, {0x00, 0x3E, 0x00, 0xC0, 0x00, 0x38, 0x00, 0x42}); // at 704
    folder.write("weights.bin", file.text());
    const auto blob = [](const std::string& type, int offset) {
        return type + "(BLOBFILE(path = string(\"@model_path/weights.bin\"), offset = uint64(" +
               std::to_string(offset) + ")))";
    };
    const auto stored = [&](const std::string& type, const std::string& name, int offset) {
        return "        " + type + " " + name + " = const()[name = string(\"" + name +
               "\"), val = " + blob(type, offset) + "];\n";
    };
    std::string body;
    body += "        tensor<fp16, [2, 4]> a = constexpr_affine_dequantize()[axis = int32(0), name = string(\"a\"), "
            "quantized_data = " +
            blob("tensor<int8, [2, 4]>", 64) + ", scale = " + blob("tensor<fp16, [2]>", 192) +
            ", zero_point = int8(0)];\n";
    body += stored("tensor<uint4, [1, 4]>", "i", 320) + stored("tensor<fp16, [1, 1, 16, 1]>", "l", 448) +
            line("tensor<fp16, [1, 4]> p", "constexpr_lut_to_dense(indices = i, lut = l)");
    body += stored("tensor<uint1, [3, 4]>", "m", 576) + stored("tensor<fp16, [4]>", "v", 704) +
            line("tensor<fp16, [3, 4]> s", "constexpr_sparse_to_dense(nonzero_data = v, mask = m)");
    for (const char* const w : {"a", "p", "s"}) {
        const std::string n = w == std::string("a") ? "2" : w == std::string("p") ? "1" : "3";
        body += line("tensor<fp16, [1, " + n + "]> y" + w,
                     std::string("matmul(transpose_x = bool(false), transpose_y = bool(true), x = x, y = ") + w + ")");
    }
    const auto y = run(text("tensor<fp16, [1, 4]> x", body, "ya, yp, ys"), {{1, 2, 4, 8}}, folder.directory());
    // a = s * q with s = 0.0078735, 0.0314941 as fp16: {127, -64, 32, 0} and {64, -127, 32, 16}
    CHECK(y[0][0] == doctest::Approx((127 - 128 + 128) * 0.0078735).epsilon(2e-3));
    CHECK(y[0][1] == doctest::Approx((64 - 254 + 128 + 128) * 0.0314941).epsilon(2e-3));
    CHECK(y[1] == std::vector<double>{1 + 8});
    // With int8 weights, and only with them, an activation above 4094 is infinite.
    const auto large = run(text("tensor<fp16, [1, 4]> x", body, "ya, yp, ys"), {{4100, 0, 0, 0}}, folder.directory());
    CHECK(large[0][0] == std::numeric_limits<double>::infinity());
    CHECK(large[1][0] == 4100);
    CHECK(y[2] == std::vector<double>{3, -2, 0.5 + 24});

    // The expanded tensor is not reshaped, and the blockwise form is no operand of a contraction.
    const std::string reshaped =
        text("tensor<fp16, [1, 4]> x",
             stored("tensor<uint4, [1, 4]>", "i", 320) + stored("tensor<fp16, [1, 1, 16, 1]>", "l", 448) +
                 line("tensor<fp16, [1, 4]> p", "constexpr_lut_to_dense(indices = i, lut = l)") +
                 constant("tensor<int32, [2]>", "sh", "[4, 1]") +
                 line("tensor<fp16, [4, 1]> r", "reshape(shape = sh, x = p)"),
             "r");
    CHECK(contains(refusal_of(reshaped, folder.directory()), "Not implemented"));
    const std::string block = stored("tensor<int8, [2, 4]>", "d", 64) +
                              constant("tensor<fp16, [2, 2]>", "sc", "[1.0, 2.0, 0.5, 4.0]") +
                              line("tensor<fp16, [2, 4]> b", "constexpr_blockwise_shift_scale(data = d, scale = sc)");
    CHECK(contains(
        refusal_of(text("tensor<fp16, [1, 4]> x",
                        block + line("tensor<fp16, [1, 2]> y",
                                     "matmul(transpose_x = bool(false), transpose_y = bool(true), x = x, y = b)"),
                        "y"),
                   folder.directory()),
        "Not implemented"));
    const auto routed = run(text("tensor<fp16, [1, 4]> x",
                                 block + line("tensor<fp16, [2, 4]> c", "add(x = b, y = fp16(0.0))") +
                                     line("tensor<fp16, [1, 2]> y",
                                          "matmul(transpose_x = bool(false), transpose_y = bool(true), x = x, y = c)"),
                                 "y"),
                            {{1, 1, 1, 1}}, folder.directory());
    CHECK(routed[0] == std::vector<double>{127 - 64 + 2 * 32, 0.5 * (64 - 127) + 4 * (32 + 16)});
}

TEST_CASE("stand-in: a weight file that is no file is refused, not waited for") {
    const scratch folder;
    REQUIRE(::mkfifo((folder.directory() + "/weights.bin").c_str(), 0600) == 0);
    CHECK_THROWS_AS(sa::blob_reader::open(folder.directory() + "/weights.bin"), sa::refusal);
    CHECK_THROWS_AS(sa::blob_reader::open("/dev/zero"), sa::refusal);
    CHECK_THROWS_AS(sa::blob_reader::open(folder.directory()), sa::refusal);
}
