#include <anemone/weights/convert.hpp>
#include <anemone/weights/safetensors.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <random>
#include <system_error>

using namespace ane;

namespace {

std::vector<std::byte> file_of(const std::string& header, const std::string& data) {
    std::string text;
    for (unsigned i = 0; i < 8; ++i) {
        text += static_cast<char>((header.size() >> (8 * i)) & 0xFFU);
    }
    text += header + data;
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

/// The error of a header over `data_bytes` bytes of data, or "accepted".
std::string outcome(const std::string& header, std::size_t data_bytes = 0) {
    try {
        (void)parse_safetensors(file_of(header, std::string(data_bytes, '\0')), "x.safetensors");
    } catch (const error& e) {
        CHECK(e.code() == errc::file);
        CHECK(e.subject() == "x.safetensors");
        return e.what();
    }
    return "accepted";
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

#define CHECK_REFUSED(header, bytes, part)                                                                             \
    do {                                                                                                               \
        const std::string reason = outcome(header, bytes);                                                             \
        INFO(reason);                                                                                                  \
        CHECK(contains(reason, part));                                                                                 \
    } while (false)

struct scratch_file {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() / fmt::format("anemone-{}.safetensors", std::random_device{}());
    scratch_file() = default;
    scratch_file(const scratch_file&) = delete;
    scratch_file& operator=(const scratch_file&) = delete;
    ~scratch_file() {
        std::error_code ignored;
        std::filesystem::remove(path, ignored);
    }
};

weight_store example() {
    weight_store store;
    const std::vector<float> floats{1.5F, -2, 0.25F, 65504, 0, 1e-7F};
    const std::vector<half> halves{half(3), half(-0.5)};
    store.add("layer.0.weight", {2, 3}, std::span<const float>(floats));
    store.add("layer.0.bias \xC3\xA9\"\\", {2}, std::span<const half>(halves));
    store.add("empty", {0, 7}, std::span<const half>());
    store.add("scalar", {}, std::span<const half>(halves).first(1));
    store.add({"flag", element_type::boolean, {3}, std::vector<std::byte>(3, std::byte{1})});
    store.set_metadata("format", "pt");
    return store;
}

} // namespace

TEST_CASE("the bytes that Python's safetensors writes") {
    // save_file({"bias": float16 [1, -2], "weight": float32 [[0.5, 3]]}, metadata={"format": "pt"})
    const std::string header =
        R"({"__metadata__":{"format":"pt"},"weight":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},)"
        R"("bias":{"dtype":"F16","shape":[2],"data_offsets":[8,12]}}  )";
    const std::string data("\x00\x00\x00\x3F\x00\x00\x40\x40\x00\x3C\x00\xC0", 12);
    const weight_store store = parse_safetensors(file_of(header, data));
    REQUIRE(store.size() == 2);
    CHECK(store.begin()->name == "weight");
    REQUIRE(store.metadata("format") != nullptr);
    CHECK(*store.metadata("format") == "pt");
    CHECK(store.at("weight").shape == extents{1, 2});
    CHECK(store.at("weight").type == element_type::f32);
    CHECK(static_cast<double>(to_half(store.at("weight"))[0]) == 0.5);
    CHECK(static_cast<double>(to_half(store.at("weight"))[1]) == 3.0);
    CHECK(static_cast<double>(to_half(store.at("bias"))[0]) == 1.0);
    CHECK(static_cast<double>(to_half(store.at("bias"))[1]) == -2.0);
}

TEST_CASE("what is written is read back, from memory and from the file") {
    const scratch_file file;
    const weight_store store = example();
    save_safetensors(file.path, store);
    const weight_store loaded = load_safetensors(file.path);
    REQUIRE(loaded.size() == store.size());
    for (const stored_tensor& tensor : store) {
        CHECK(loaded.at(tensor.name) == tensor);
    }
    CHECK(loaded.metadata() == store.metadata());
    std::ifstream stream(file.path, std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    CHECK(parse_safetensors(std::as_bytes(std::span(text))) == loaded);
    // Written again, a loaded store gives the same bytes.
    const scratch_file again;
    save_safetensors(again.path, loaded);
    std::ifstream second(again.path, std::ios::binary);
    CHECK(text == std::string((std::istreambuf_iterator<char>(second)), std::istreambuf_iterator<char>()));
    std::uint64_t length = 0;
    std::memcpy(&length, text.data(), 8);
    CHECK(length % 8 == 0);
}

TEST_CASE("an empty store is a file") {
    const scratch_file file;
    save_safetensors(file.path, {});
    CHECK(std::filesystem::file_size(file.path) == 16);
    CHECK(load_safetensors(file.path).empty());
}

TEST_CASE("metadata comes in the order of its keys, up to a limit") {
    std::vector<int> numbers(3000);
    std::iota(numbers.begin(), numbers.end(), 0);
    std::shuffle(numbers.begin(), numbers.end(), std::mt19937(5));
    const auto header = [](const auto& keys) {
        std::string text = R"({"__metadata__":{)";
        for (const int i : keys) {
            text += fmt::format(R"({}"key {:05}":"{}")", text.back() == '{' ? "" : ",", i, i % 7);
        }
        return text + "}}";
    };
    const weight_store store = parse_safetensors(file_of(header(numbers), ""));
    REQUIRE(store.metadata().size() == numbers.size());
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const std::pair<std::string, std::string> expected(fmt::format("key {:05}", i), std::to_string(i % 7));
        REQUIRE(store.metadata()[i] == expected);
    }
    // As many as there are bytes for: refused in a moment, and not ordered first.
    std::string many = R"({"__metadata__":{"":"")";
    for (std::size_t i = 0; i < safetensors_metadata_limit; ++i) {
        many += R"(,"":"")";
    }
    CHECK_REFUSED(many + "}}", 0, "more than 1000000 entries");
}

TEST_CASE("files that cannot be opened, written or begun") {
    CHECK_THROWS_AS((void)load_safetensors("no/such/file"), error);
    CHECK_THROWS_AS((void)load_safetensors(std::filesystem::temp_directory_path()), error);
    CHECK_THROWS_AS(save_safetensors("no/such/directory/x", example()), error);
    CHECK_THROWS_AS((void)parse_safetensors(std::vector<std::byte>(7)), error);
    std::vector<std::byte> file = file_of("{}", "");
    file[0] = std::byte{3};
    CHECK_THROWS_WITH_AS((void)parse_safetensors(file),
                         "file: safetensors: the header is 3 bytes long, the file has 2 after the length", error);
    file[7] = std::byte{0xFF};
    CHECK_THROWS_AS((void)parse_safetensors(file), error);
    file = file_of("{}", "");
    file[3] = std::byte{0x06}; // 100,663,298
    CHECK_THROWS_WITH_AS((void)parse_safetensors(file),
                         "file: safetensors: the header is 100663298 bytes long, the limit is 100000000", error);
}

TEST_CASE("headers that are refused") {
    CHECK(outcome("{}") == "accepted");
    CHECK_REFUSED("", 0, "does not begin");
    CHECK_REFUSED(" {}", 0, "does not begin");
    CHECK_REFUSED("[]", 0, "does not begin");
    CHECK_REFUSED("{} x", 0, "not JSON");
    CHECK_REFUSED(std::string("{}\0", 3), 0, "zero byte");
    CHECK_REFUSED("{\"a\xFF\":1}", 0, "not JSON");
    CHECK_REFUSED(R"({"\udc00":1})", 0, "not JSON: byte 9: a string is not UTF-8"); // half of a surrogate pair
    CHECK_REFUSED(R"({"\ud800x":1})", 0, "not JSON");
    CHECK_REFUSED("{\"a\":\"\n\"}", 0, "not JSON");
    CHECK_REFUSED(R"({"a":NaN})", 0, "not JSON");
    CHECK_REFUSED("{/**/}", 0, "not JSON");
    CHECK_REFUSED(R"({"a":[[[[]]]]})", 0, "nests deeper");
    CHECK_REFUSED("{\"a\":" + std::string(1'000'000, '['), 0, "nests deeper");
    CHECK_REFUSED(R"({"a":1})", 0, "not an object");
    CHECK_REFUSED(R"({"__metadata__":[]})", 0, "not an object");
    CHECK_REFUSED(R"({"__metadata__":{"k":1}})", 0, "not a string");
    CHECK_REFUSED(R"({"__metadata__":{"k":{}}})", 0, "not a string");
    CHECK_REFUSED(R"({"__metadata__":{"k":"1","l":"2","k":"3"}})", 0, "'k' twice");
    CHECK_REFUSED(R"({"__metadata__":{},"__metadata__":{}})", 0, "'__metadata__' twice");
    CHECK_REFUSED(
        R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
        1, "'a' twice");
    CHECK_REFUSED(R"({"a":{"dtype":"U8","dtype":"I8","shape":[1],"data_offsets":[0,1]}})", 1, "'dtype' twice");
    CHECK_REFUSED(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1],"x":1}})", 1, "4 keys");
    CHECK_REFUSED(R"({"a":{"dtype":"U8","shape":[1],"offsets":[0,1]}})", 1, "no \"data_offsets\"");
    CHECK_REFUSED(R"({"a":{"dtype":"Q8","shape":[1],"data_offsets":[0,1]}})", 1, "\"Q8\", which is unknown");
    CHECK_REFUSED(R"({"a":{"dtype":8,"shape":[1],"data_offsets":[0,1]}})", 1, "8, which is unknown");
}

TEST_CASE("strings of a header say what their escapes stand for") {
    const std::string header = R"({"caf\u00e9 \ud83d\ude00":{"\u0064type":"\u00558","shape":[1],"data_offsets":[0,1]},)"
                               R"("__metadata__":{"z":"\"\\\/\n","a":"\u0000"}})";
    const weight_store store = parse_safetensors(file_of(header, "x"));
    CHECK(store.at("caf\xC3\xA9 \xF0\x9F\x98\x80").type == element_type::uint8);
    CHECK(store.metadata() == weight_store::texts{{"a", std::string(1, '\0')}, {"z", "\"\\/\n"}});
}

TEST_CASE("a header of many texts and many tensors") {
    std::string header = R"({"__metadata__":{"0":"0")";
    for (int i = 99'999; i > 0; --i) {
        header += fmt::format(R"(,"{0}":"{0}")", i);
    }
    header += "}";
    for (int i = 9'999; i >= 0; --i) {
        header += fmt::format(R"(,"{}":{{"dtype":"U8","shape":[1],"data_offsets":[{},{}]}})", i, i, i + 1);
    }
    const weight_store store = parse_safetensors(file_of(header + "}", std::string(10'000, 'x')));
    REQUIRE(store.metadata().size() == 100'000);
    CHECK(store.metadata()[2].first == "10"); // in the order of the keys
    CHECK(*store.metadata("4711") == "4711");
    REQUIRE(store.size() == 10'000);
    CHECK(store[4711].name == "4711");
}

TEST_CASE("shapes that are refused") {
    const auto with = [](const std::string& shape) {
        return R"({"a":{"dtype":"F32","shape":)" + shape + R"(,"data_offsets":[0,4]}})";
    };
    CHECK(outcome(with("[]"), 4) == "accepted");
    CHECK(outcome(with("[1,1]"), 4) == "accepted");
    CHECK_REFUSED(with("1"), 4, "not a list");
    CHECK_REFUSED(with("[-1]"), 4, "-1, not an integer");
    CHECK_REFUSED(with("[-0]"), 4, "-0, not an integer");
    CHECK_REFUSED(with("[1e0]"), 4, "1e0, not an integer");
    CHECK_REFUSED(with("[01]"), 4, "not JSON");
    CHECK_REFUSED(with("[1.0]"), 4, "1.0, not an integer");
    CHECK_REFUSED(with("[\"1\"]"), 4, "not an integer");
    CHECK_REFUSED(with("[2]"), 4, "spans 4 bytes, its shape and type F32 need 8");
    CHECK_REFUSED(with("[9223372036854775808]"), 4, "above 2^63 - 1");
    CHECK_REFUSED(with("[18446744073709551616]"), 4, "not an integer");
    CHECK_REFUSED(with("[4294967296,4294967296]"), 4, "more than 2^63 - 1 bytes");
    CHECK_REFUSED(with("[0,9223372036854775807]"), 4, "more than 2^63 - 1 bytes");
    CHECK_REFUSED(with("[1,1,1,1,1,1,1,1,1]"), 4, "rank 9, the limit is 8");
}

TEST_CASE("offsets that are refused") {
    const auto two = [](const std::string& a, const std::string& b) {
        return R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)" + a +
               R"(},"b":{"dtype":"I16","shape":[2],"data_offsets":)" + b + "}}";
    };
    CHECK(outcome(two("[0,4]", "[4,8]"), 8) == "accepted");
    CHECK(outcome(two("[4,8]", "[0,4]"), 8) == "accepted"); // any order in the header
    CHECK_REFUSED(two("[0,4]", "[5,9]"), 9, "'b' begins at 5, the one before it ends at 4: there is a hole");
    CHECK_REFUSED(two("[0,4]", "[3,7]"), 7, "they overlap");
    CHECK_REFUSED(two("[1,5]", "[5,9]"), 9, "'a' begins at 1");
    CHECK_REFUSED(two("[0,4]", "[0,4]"), 4, "they overlap");
    CHECK_REFUSED(two("[0,4]", "[4,8]"), 9, "the tensors end at 8, the data has 9 bytes");
    CHECK_REFUSED(two("[0,4]", "[4,8]"), 7, "the tensors end at 8, the data has 7 bytes");
    CHECK_REFUSED(two("[4,0]", "[4,8]"), 8, "ends at 0, before its begin 4");
    CHECK_REFUSED(two("[0,4]", "[4]"), 8, "not two integers");
    CHECK_REFUSED(two("[0,4]", "[-4,0]"), 8, "-4, not an integer");
    CHECK_REFUSED("{}", 1, "the tensors end at 0, the data has 1 bytes");
}

TEST_CASE("names that cannot be written") {
    const scratch_file file;
    const std::vector<float> one{1};
    weight_store reserved;
    reserved.add("__metadata__", {1}, std::span<const float>(one));
    CHECK_THROWS_AS(save_safetensors(file.path, reserved), error);
    weight_store invalid;
    invalid.add("\xFF", {1}, std::span<const float>(one));
    CHECK_THROWS_AS(save_safetensors(file.path, invalid), error);
}

TEST_CASE("mutated files are read or refused with errc::file, nothing else") {
    const unsigned seed = std::random_device{}();
    INFO("seed ", seed);
    MESSAGE("seed ", seed);
    std::mt19937 random(seed);
    const scratch_file file;
    save_safetensors(file.path, example());
    std::ifstream stream(file.path, std::ios::binary);
    const std::string original((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    const std::string alphabet = "{}[]\",:0123456789-.eE \\u\xFF"
                                 "FUI";
    int refused = 0;
    for (int round = 0; round < 5000; ++round) {
        std::string text = original;
        for (auto edits = 1 + random() % 3; edits > 0 && !text.empty(); --edits) {
            const std::size_t at = random() % text.size();
            switch (random() % 5) {
            case 0: text[at] = static_cast<char>(random() & 0xFFU); break;
            case 1: text[at] = alphabet[random() % alphabet.size()]; break;
            case 2: text.erase(at, 1 + random() % 4); break;
            case 3: text.insert(at, 1, alphabet[random() % alphabet.size()]); break;
            default: text.resize(at + 1); break;
            }
        }
        try {
            const weight_store store = parse_safetensors(std::as_bytes(std::span(text)));
            for (const stored_tensor& tensor : store) {
                CHECK(tensor.bytes.size() == static_cast<std::size_t>(tensor.shape.count() * bytes(tensor.type, 1)));
            }
        } catch (const error& e) {
            CHECK(e.code() == errc::file);
            ++refused;
        }
    }
    CHECK(refused > 2500);
}
