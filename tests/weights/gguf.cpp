// GGUF files: what is in them, block by block, against decoders that are written from the published layouts in double
// precision; and whatever is wrong with one is refused by name. tests/python/gguf.py has NumPy's decoders.

#include "../from_environment.hpp"
#include "gguf_writer.hpp"
#include <anemone/weights/convert.hpp>
#include <anemone/weights/gguf.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

using namespace ane;
using gguf_files::key;
using gguf_files::little_endian;

namespace {

std::string gguf_outcome(const std::string& bytes) {
    const gguf_files::written on_disk(bytes);
    try {
        const gguf_file read(on_disk.path());
        return "accepted";
    } catch (const error& e) {
        CHECK(e.code() == errc::file);
        CHECK(e.subject() == on_disk.path());
        return e.what();
    }
}

void check_refused(const gguf_files::file& f, const std::string& part) {
    const std::string said = gguf_outcome(f.bytes());
    INFO(said);
    INFO(part);
    CHECK(said.find(part) != std::string::npos);
}

double scale_at(const std::string& data, std::size_t at) {
    half value;
    std::memcpy(&value.bits, data.data() + at, 2);
    return static_cast<double>(static_cast<float>(value));
}
int byte_of(const std::string& data, std::size_t at) { return static_cast<unsigned char>(data[at]); }
int signed_of(const std::string& data, std::size_t at) { return static_cast<signed char>(data[at]); }

/// Element `i` of the tensor whose blocks are `data`, from the documents of the types.
double element_q8_0(const std::string& data, std::size_t i) {
    const std::size_t block = i / 32 * 34;
    return scale_at(data, block) * signed_of(data, block + 2 + i % 32);
}
double element_q4_0(const std::string& data, std::size_t i) {
    const std::size_t block = i / 32 * 18;
    const int both = byte_of(data, block + 2 + i % 16);
    return scale_at(data, block) * ((i % 32 < 16 ? both % 16 : both / 16) - 8);
}
double element_q4_k(const std::string& data, std::size_t i) {
    const std::size_t block = i / 256 * 144;
    const std::size_t group = i % 256 / 32;
    // Twelve bytes, 96 bits: of groups 0 to 3 the factors and offsets are the lower 6 bits of bytes 0 to 3 and 4 to 7; of the
    // others the lower 4 are in bytes 8 to 11 and the upper 2 on top of those of the groups before.
    const auto six = [&](std::size_t at) { return byte_of(data, block + 4 + at); };
    const int factor = group < 4 ? six(group) % 64 : six(group + 4) % 16 + six(group - 4) / 64 * 16;
    const int offset = group < 4 ? six(group + 4) % 64 : six(group + 4) / 16 + six(group) / 64 * 16;
    const int both = byte_of(data, block + 16 + group / 2 * 32 + i % 32);
    const int code = group % 2 == 0 ? both % 16 : both / 16;
    return scale_at(data, block) * factor * code - scale_at(data, block + 2) * offset;
}
double element_q6_k(const std::string& data, std::size_t i) {
    const std::size_t block = i / 256 * 210;
    const std::size_t in_block = i % 256;
    const std::size_t which = in_block / 128;
    const std::size_t run = in_block % 128 / 32;
    const std::size_t at = in_block % 32;
    const int low_byte = byte_of(data, block + which * 64 + (run == 1 || run == 3 ? 32 : 0) + at);
    const int low = run < 2 ? low_byte % 16 : low_byte / 16;
    const int high = byte_of(data, block + 128 + which * 32 + at) /
                     (run == 0   ? 1
                      : run == 1 ? 4
                      : run == 2 ? 16
                                 : 64) %
                     4;
    return scale_at(data, block + 208) * signed_of(data, block + 192 + in_block / 16) * (low + 16 * high - 32);
}

struct block_type {
    gguf_type type;
    std::size_t elements, bytes;
    std::vector<std::size_t> scales; ///< where fp16 numbers stand
    double (*element)(const std::string&, std::size_t);
};
const block_type block_types[] = {{gguf_type::q8_0, 32, 34, {0}, element_q8_0},
                                  {gguf_type::q4_0, 32, 18, {0}, element_q4_0},
                                  {gguf_type::q4_k, 256, 144, {0, 2}, element_q4_k},
                                  {gguf_type::q6_k, 256, 210, {208}, element_q6_k}};

/// Blocks of random codes; scales of any size whose products fp16 holds.
std::string random_blocks(const block_type& of, std::size_t count, std::mt19937& draw) {
    std::string data(count * of.bytes, '\0');
    for (char& each : data) {
        each = static_cast<char>(draw() & 0xFFU);
    }
    for (std::size_t i = 0; i < count; ++i) {
        for (const std::size_t at : of.scales) {
            const half value(
                std::ldexp(static_cast<float>(draw() % 2048) / 1024.0F - 1.0F, static_cast<int>(draw() % 26) - 24));
            std::memcpy(data.data() + i * of.bytes + at, &value.bits, 2);
        }
    }
    return data;
}

const std::string one_half_row(64, '\0'); ///< 32 elements of fp16

} // namespace

TEST_CASE("a GGUF file's metadata of every type, its tensors with their extents in reverse, in both versions") {
    for (const std::uint32_t version : {2U, 3U}) {
        gguf_files::file f;
        f.version = version;
        f.keys = {key("u8", 0, "\xFE"),
                  key("i8", 1, "\xFE"),
                  key("u16", 2, little_endian(std::uint16_t{65534})),
                  key("i16", 3, little_endian(std::int16_t{-2})),
                  key("u32", 4, little_endian(std::uint32_t{4294967294})),
                  key("i32", 5, little_endian(std::int32_t{-2})),
                  key("f32", 6, little_endian(0.25F)),
                  key("truth", 7, "\x01"),
                  key("text", 8, gguf_files::text("llama")),
                  key("numbers", 9,
                      little_endian(std::uint32_t{5}) + little_endian(std::uint64_t{2}) +
                          little_endian(std::int32_t{-7}) + little_endian(std::int32_t{9})),
                  key("texts", 9,
                      little_endian(std::uint32_t{8}) + little_endian(std::uint64_t{2}) + gguf_files::text("a\xFF") +
                          gguf_files::text("")),
                  key("u64", 10, little_endian(std::uint64_t{1} << 63U)),
                  key("i64", 11, little_endian(std::int64_t{-2})),
                  key("f64", 12, little_endian(0.1))};
        f.tensors = {{"b", {3, 2}, 0, 0}, {"a", {2}, 30, 32}};
        f.data = little_endian(1.0F) + little_endian(2.0F) + little_endian(3.0F) + little_endian(4.0F) +
                 little_endian(5.0F) + little_endian(1e6F) + std::string(8, '\0') + std::string("\x80\x3F\x00\xC0", 4);
        const gguf_files::written on_disk(f);
        const gguf_file g(on_disk.path());
        CHECK(g.version() == version);
        CHECK(g.alignment() == 32);
        CHECK(g.keys().size() == 14);
        CHECK(g.integer("u8") == 254);
        CHECK(g.integer("i8") == -2);
        CHECK(g.integer("u16") == 65534);
        CHECK(g.integer("i16") == -2);
        CHECK(g.integer("u32") == 4294967294);
        CHECK(g.integer("i32") == -2);
        CHECK(g.number("f32") == 0.25);
        CHECK(g.truth("truth") == true);
        CHECK(g.text("text") == "llama");
        CHECK(g.numbers("numbers") == std::vector<double>{-7, 9});
        CHECK(g.texts("texts") == std::vector<std::string>{"a\xFF", ""});
        CHECK(g.length("texts") == 2);
        CHECK(g.number("u64") == 0x1p63);
        CHECK(g.integer("i64") == -2);
        CHECK(g.number("f64") == 0.1);
        CHECK(!g.integer("none"));
        CHECK_THROWS_AS(static_cast<void>(g.integer("u64")), error); // beyond 2^63 - 1
        CHECK_THROWS_AS(static_cast<void>(g.integer("f32")), error);
        CHECK_THROWS_AS(static_cast<void>(g.text("u8")), error);
        CHECK_THROWS_AS(static_cast<void>(g.numbers("texts")), error);

        REQUIRE(g.tensors().size() == 2);
        CHECK(g.tensors()[0].name == "b");
        CHECK(g.tensors()[0].shape == extents{2, 3});
        REQUIRE(g.find("b") != nullptr);
        CHECK(g.find("c") == nullptr);
        CHECK(to_float(g.read(*g.find("b"))) == std::vector<float>{1, 2, 3, 4, 5, 1e6F});
        CHECK(to_float(g.read(*g.find("a"))) == std::vector<float>{1, -2});
        CHECK(g.beyond_fp16(*g.find("b")) == 1);
        CHECK(g.beyond_fp16(*g.find("a")) == 0);
        const weight_store all = load_gguf(on_disk.path());
        CHECK(all.size() == 2);
        CHECK(all.at("a").type == element_type::bf16);
    }
}

TEST_CASE("every type of block is decoded as its layout says, whole and in any part") {
    std::mt19937 draw(from_environment::seed());
    for (const block_type& of : block_types) {
        CAPTURE(name(of.type));
        for (const std::size_t blocks : {std::size_t{1}, std::size_t{6}, std::size_t{1800}}) {
            gguf_files::file f;
            const std::uint64_t rows = blocks % 3 == 0 ? 3 : 1;
            f.tensors = {{"w", {blocks / rows * of.elements, rows}, static_cast<std::uint32_t>(of.type), 0}};
            f.data = random_blocks(of, blocks, draw);
            const gguf_files::written on_disk(f);
            const gguf_file g(on_disk.path());
            const stored_tensor w = g.read(*g.find("w"));
            CHECK(w.type == element_type::f16);
            REQUIRE(w.shape ==
                    extents{static_cast<std::int64_t>(rows), static_cast<std::int64_t>(blocks / rows * of.elements)});
            CHECK(w.bytes.is_in_memory() == (w.bytes.size() < 65536));
            std::vector<half> part(std::min<std::size_t>(w.bytes.size() / 2, 1777));
            const std::size_t from = draw() % (w.bytes.size() / 2 - part.size() + 1);
            w.bytes.read(2 * from, std::as_writable_bytes(std::span(part)));
            const std::vector<half> all = to_half(w);
            CHECK(std::equal(part.begin(), part.end(), all.begin() + static_cast<std::ptrdiff_t>(from)));
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < all.size(); ++i) {
                const double wanted = of.element(f.data, i);
                // The difference of two products rounds once to float before it rounds to fp16.
                const half direct(of.type == gguf_type::q4_k ? static_cast<double>(static_cast<float>(wanted))
                                                             : wanted);
                wrong +=
                    static_cast<double>(static_cast<float>(all[i])) != static_cast<double>(static_cast<float>(direct))
                        ? 1
                        : 0;
            }
            CHECK(wrong == 0);
        }
    }
}

TEST_CASE("a scale that leads beyond fp16 is counted, and refused when it is used") {
    gguf_files::file f;
    f.tensors = {{"w", {64}, 8, 0}};
    f.data = std::string("\xFF\x7B") + std::string(31, '\x01') + "\x02" + std::string(34, '\0'); // 65504
    const gguf_files::written on_disk(f);
    const gguf_file g(on_disk.path());
    CHECK(g.beyond_fp16(*g.find("w")) == 1);
    CHECK_THROWS_AS(static_cast<void>(to_half(g.read(*g.find("w")))), error);
}

TEST_CASE("rows of rotated heads come as the published checkpoint has them") {
    // Two heads of 4 rows: published rows 0 1 2 3 are stored as pairs (0, 2), (1, 3).
    gguf_files::file f;
    f.tensors = {{"q", {2, 8}, 0, 0}, {"big", {32, 2048}, 8, 64}, {"odd", {2, 3}, 0, 64 + 2048 * 34}};
    for (const float row : {0.0F, 2.0F, 1.0F, 3.0F, 4.0F, 6.0F, 5.0F, 7.0F}) {
        f.data += little_endian(row) + little_endian(row + 100);
    }
    std::mt19937 draw(from_environment::seed());
    const std::string blocks = random_blocks(block_types[0], 2048, draw);
    f.data += blocks + std::string(32, '\0');
    const gguf_files::written on_disk(f);
    const gguf_file g(on_disk.path());
    CHECK(to_float(g.read(*g.find("q"), {4})) ==
          std::vector<float>{0, 100, 1, 101, 2, 102, 3, 103, 4, 104, 5, 105, 6, 106, 7, 107});
    const stored_tensor big = g.read(*g.find("big"), {64});
    CHECK(!big.bytes.is_in_memory());
    const std::vector<half> all = to_half(big);
    std::size_t wrong = 0;
    for (std::size_t head = 0; head < 32; ++head) {
        for (std::size_t r = 0; r < 64; ++r) {
            const std::size_t stored = head * 64 + r % 32 * 2 + r / 32;
            for (std::size_t i = 0; i < 32; ++i) {
                const double wanted = element_q8_0(blocks, stored * 32 + i);
                wrong += static_cast<float>(all[(head * 64 + r) * 32 + i]) != static_cast<float>(half(wanted)) ? 1 : 0;
            }
        }
    }
    CHECK(wrong == 0);
    CHECK_THROWS_AS(static_cast<void>(g.read(*g.find("odd"), {2})), error);
    CHECK_THROWS_AS(static_cast<void>(g.read(*g.find("q"), {3})), error);
}

TEST_CASE("whatever is wrong with a GGUF file is refused by name") {
    constexpr std::uint64_t huge = std::uint64_t{1} << 63U;
    const gguf_files::file good{.keys = {key("general.architecture", 8, gguf_files::text("llama"))},
                                .tensors = {{"w", {32}, 1, 0}, {"v", {32}, 1, 64}},
                                .data = one_half_row + one_half_row};
    CHECK(gguf_outcome(good.bytes()) == "accepted");
    const auto changed = [&](const std::function<void(gguf_files::file&)>& change) {
        gguf_files::file f = good;
        change(f);
        return f;
    };
    using file = gguf_files::file;
    const auto array = [](std::uint32_t kind, std::uint64_t count) {
        return little_endian(kind) + little_endian(count);
    };

    // The head.
    CHECK(gguf_outcome("GG").find("the mark of a GGUF file takes 4 bytes") != std::string::npos);
    CHECK(gguf_outcome("GGML" + std::string(40, '\0')).find("does not begin with GGUF") != std::string::npos);
    check_refused(changed([](file& f) { f.version = 1; }), "has version 1, known are 2 and 3");
    check_refused(changed([](file& f) { f.version = 0x03000000; }), "is big-endian");
    check_refused(changed([](file& f) { f.more_keys = huge; }), "says that it has 9223372036854775809 keys");
    check_refused(changed([](file& f) { f.more_tensors = huge; }), "tensors, the limit is 100000");
    check_refused(changed([](file& f) { f.more_keys = 99'000; }), "99001 keys, the 2");
    check_refused(changed([](file& f) { f.more_tensors = 1; }), "the name of tensor number 2");
    const std::string whole = good.bytes();
    for (std::size_t size = 0; size < whole.size(); ++size) { // wherever it ends
        CHECK(gguf_outcome(whole.substr(0, size)) != "accepted");
    }

    // Metadata.
    check_refused(changed([](file& f) { f.keys[0] = little_endian(std::uint64_t{1} << 40U) + "x"; }),
                  "the name of key number 0 is 1099511627776 bytes long, the limit is 65535");
    check_refused(changed([](file& f) { f.keys[0] = key("", 0, "x"); }), "the name of key number 0 is empty");
    check_refused(changed([](file& f) { f.keys[0] = key("\xFF", 0, "x"); }), "is not UTF-8: \\xff");
    check_refused(changed([](file& f) { f.keys.push_back(f.keys[0]); }), "has the key general.architecture twice");
    check_refused(changed([](file& f) { f.keys[0] = key("k", 13, "x"); }),
                  "the value of k is of type 13, known are 0 to 12");
    check_refused(changed([](file& f) { f.keys[0] = key("k", 7, "\x02"); }), "is a bool of 2, not 0 or 1");
    check_refused(changed([](file& f) { f.keys[0] = key("k", 8, little_endian(std::uint64_t{1} << 40U)); }),
                  "the value of k is 1099511627776 bytes long");
    check_refused(changed([&](file& f) { f.keys[0] = key("k", 9, array(9, 1)); }),
                  "the value of k is an array of arrays");
    check_refused(changed([&](file& f) { f.keys[0] = key("k", 9, array(13, 1)); }), "the value of k is of type 13");
    check_refused(changed([&](file& f) { f.keys[0] = key("k", 9, array(12, huge)); }),
                  "the value of k is an array of 9223372036854775808 elements");
    check_refused(changed([&](file& f) { f.keys[0] = key("k", 9, array(8, 3) + little_endian(huge)); }),
                  "the value of k takes 9223372036854775808 bytes");
    for (const std::uint32_t wrong : {0U, 24U, 131072U}) {
        check_refused(changed([&](file& f) { f.keys.push_back(key("general.alignment", 4, little_endian(wrong))); }),
                      "general.alignment is " + std::to_string(wrong) + ", not a power of two");
    }
    check_refused(
        changed([&](file& f) { f.keys.push_back(key("general.alignment", 10, little_endian(std::uint64_t{32}))); }),
        "general.alignment is a uint64, not a uint32");

    // Tensors.
    const auto with = [&](const gguf_files::tensor& t) { return changed([&](file& f) { f.tensors[1] = t; }); };
    check_refused(with({std::string(200, 'n'), {32}, 1, 64}), "the name of tensor number 1 is 200 bytes long");
    check_refused(with({"", {32}, 1, 64}), "the name of tensor number 1 is empty");
    check_refused(with({"w", {32}, 1, 64}), "has the tensor w twice");
    check_refused(with({"v", {}, 1, 64}), "tensor v has rank 0, known are 1 to 4");
    check_refused(with({"v", {1, 1, 1, 1, 32}, 1, 64}), "tensor v has rank 5");
    check_refused(with({"v", {32, 0}, 1, 64}), "tensor v has an extent of 0 along axis 1");
    check_refused(with({"v", {huge}, 1, 64}), "tensor v has more than 2^63 - 1 elements");
    check_refused(with({"v", {std::uint64_t{1} << 32U, std::uint64_t{1} << 32U}, 1, 64}),
                  "more than 2^63 - 1 elements");
    check_refused(with({"v", {std::uint64_t{1} << 62U}, 0, 64}), "more than the 2");
    check_refused(
        with({"v", {32}, 13, 64}),
        "tensor v is of type Q5_K: known are F32, F16, Q4_0, Q8_0, Q4_K, Q6_K, BF16; quantize the model to one of them");
    check_refused(with({"v", {32}, 4000000000, 64}), "tensor v is of type number 4000000000");
    check_refused(with({"v", {48}, 8, 64}), "tensor v has rows of 48 elements, Q8_0 has blocks of 32");
    check_refused(with({"v", {32}, 1, 32}), "tensor v begins at byte");
    check_refused(with({"v", {32}, 1, 48}), "begins at offset 48, which is no multiple of the alignment, 32");
    check_refused(with({"v", {32}, 1, 96}),
                  "tensor v has 64 bytes from offset 96 on, the file has 128 behind its head");
    check_refused(with({"v", {32}, 1, std::numeric_limits<std::uint64_t>::max() - 31}),
                  "tensor v has 64 bytes from offset");
    const gguf_files::file wider = changed([](file& f) {
        f.alignment = 64;
        f.keys.push_back(key("general.alignment", 4, little_endian(std::uint32_t{64})));
    });
    CHECK(gguf_outcome(wider.bytes()) == "accepted");
}
