#include <anemone/weights/convert.hpp>
#include <anemone/weights/store.hpp>

#include <doctest/doctest.h>

#include <iterator>
#include <limits>
#include <utility>

using namespace ane;

namespace {

template <class T> stored_tensor tensor_of(element_type type, const std::vector<T>& values) {
    const auto bytes = std::as_bytes(std::span(values));
    return {"t", type, extents{static_cast<std::int64_t>(values.size())}, {bytes.begin(), bytes.end()}};
}

std::string message(const stored_tensor& tensor) {
    try {
        (void)to_half(tensor);
    } catch (const error& e) {
        CHECK(e.code() == errc::weights);
        CHECK(e.subject() == "t");
        return e.what();
    }
    return "no error";
}

bool holds_text(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

} // namespace

TEST_CASE("a store keeps order, finds by name, and owns its bytes") {
    weight_store store;
    {
        std::vector<float> values{1, 2, 3, 4, 5, 6};
        store.add("z", {2, 3}, std::span<const float>(values));
        values.assign(6, 0.0F);
    }
    const stored_tensor* const z = store.find("z");
    const std::vector<half> halves{half(0.5), half(-2)};
    store.add("a", {2}, std::span<const half>(halves));
    for (int i = 0; i < 100; ++i) {
        store.add(std::to_string(i), {0}, std::span<const half>());
    }
    CHECK(store.size() == 102);
    CHECK(store.find("z") == z); // additions do not move tensors
    CHECK(store.begin()->name == "z");
    CHECK(std::next(store.begin())->name == "a");
    CHECK(store.find("b") == nullptr);
    CHECK(z->shape == extents{2, 3});
    CHECK(to_half(*z)[5].bits == half(6).bits);
    CHECK(to_half(store.at("a")) == halves);
    CHECK_THROWS_WITH_AS((void)store.at("b"), "weights: b: no such tensor among 102", error);
    const weight_store copy = store;
    CHECK(copy == store);
    CHECK(copy.find("z") != z);
}

TEST_CASE("an empty store") {
    const weight_store empty;
    CHECK(empty.empty());
    CHECK(empty.begin() == empty.end());
    CHECK(empty.find("w") == nullptr);
    CHECK(empty.metadata().empty());
    CHECK(empty.metadata("format") == nullptr);
    CHECK(weight_store(empty) == empty);
    weight_store filled;
    filled.add("w", {0}, std::span<const half>());
    CHECK(filled != empty);
    weight_store moved = std::move(filled);
    CHECK(moved.contains("w"));
    filled = moved; // what was moved from can be used again
    CHECK(filled == moved);
    moved = weight_store();
    CHECK(moved == empty);
}

TEST_CASE("iterators walk in order, and stay valid while tensors are added") {
    weight_store store;
    store.add("b", {0}, std::span<const half>());
    weight_store::iterator at = store.begin();
    store.add("a", {0}, std::span<const half>());
    CHECK(at->name == "b");
    CHECK((++at)->name == "a");
    CHECK(&*at == store.find("a"));
    CHECK(&*at == &store[1]);
    CHECK(++at == store.end());
    CHECK(std::distance(store.begin(), store.end()) == 2);
    static_assert(std::forward_iterator<weight_store::iterator>);
}

TEST_CASE("metadata is found by key and kept in the order of the keys") {
    weight_store store;
    store.set_metadata("format", "pt");
    store.set_metadata("author", "me");
    store.set_metadata("format", "tf");
    CHECK(store.metadata() == weight_store::texts{{"author", "me"}, {"format", "tf"}});
    REQUIRE(store.metadata("format") != nullptr);
    CHECK(*store.metadata("format") == "tf");
    CHECK(store.metadata("form") == nullptr);
    weight_store other;
    other.set_metadata({{"format", "tf"}, {"author", "me"}});
    CHECK(other == store);
    CHECK_THROWS_WITH_AS(other.set_metadata({{"k", "1"}, {"a", "2"}, {"k", "3"}}),
                         "weights: k: the metadata has this key twice", error);
    CHECK(other == store);
    other.set_metadata({});
    CHECK(other != store);
}

TEST_CASE("a store refuses a second name, a wrong size and a wrong shape") {
    weight_store store;
    const std::vector<float> values{1, 2, 3, 4};
    store.add("w", {4}, std::span<const float>(values));
    CHECK_THROWS_AS(store.add("w", {4}, std::span<const float>(values)), error);
    CHECK_THROWS_WITH_AS(store.add("v", {5}, std::span<const float>(values)),
                         "weights: v: has 16 bytes, its shape and type F32 need 20", error);
    CHECK_THROWS_AS(store.add("v", {-2, -2}, std::span<const float>(values)), error);
    CHECK_THROWS_AS(store.add("v", {std::int64_t{1} << 62, 4}, std::span<const float>(values)), error);
    CHECK(store.size() == 1);
    store.add("scalar", {}, std::span<const float>(values).first(1));
    CHECK(to_half(store.at("scalar")).size() == 1);
}

TEST_CASE("all finite fp16 patterns pass through f16, f32 and f64 unchanged") {
    std::vector<half> halves;
    std::vector<float> floats;
    std::vector<double> doubles;
    for (unsigned bits = 0; bits < 0x10000U; ++bits) {
        const half h = half::from_bits(static_cast<std::uint16_t>(bits));
        if (is_finite(h)) {
            halves.push_back(h);
            floats.push_back(static_cast<float>(h));
            doubles.push_back(static_cast<double>(h));
        }
    }
    const auto from_half = to_half(tensor_of(element_type::f16, halves));
    const auto from_float = to_half(tensor_of(element_type::f32, floats));
    const auto from_double = to_half(tensor_of(element_type::f64, doubles));
    std::size_t different = 0;
    for (std::size_t i = 0; i < halves.size(); ++i) {
        different += from_half[i].bits != halves[i].bits || from_float[i].bits != halves[i].bits ||
                     from_double[i].bits != halves[i].bits;
    }
    CHECK(different == 0);
}

TEST_CASE("bf16 is the upper half of an fp32, rounded to fp16") {
    const auto values = to_half(tensor_of<std::uint16_t>(element_type::bf16, {0x3F80, 0xC040, 0x3380, 0x4000, 0x0001}));
    CHECK(static_cast<double>(values[0]) == 1.0);
    CHECK(static_cast<double>(values[1]) == -3.0);
    CHECK(static_cast<double>(values[2]) == 0x1p-24);
    CHECK(static_cast<double>(values[3]) == 2.0);
    CHECK(values[4].bits == 0);
    CHECK(holds_text(message(tensor_of<std::uint16_t>(element_type::bf16, {0, 0x7F80})), "element 1 is inf"));
}

TEST_CASE("f64 is rounded once, not through fp32") {
    // 1 + 2^-11 is a tie in fp16; a little more must round up, though fp32 cannot see the little.
    const auto values = to_half(tensor_of<double>(element_type::f64, {1 + 0x1p-11, 1 + 0x1p-11 + 0x1p-40}));
    CHECK(values[0].bits == 0x3C00);
    CHECK(values[1].bits == 0x3C01);
}

TEST_CASE("overflow and non-finite values name the element") {
    std::vector<float> values(20, 1.0F);
    values[17] = std::numeric_limits<float>::infinity();
    CHECK(holds_text(message(tensor_of(element_type::f32, values)), "element 17 is inf"));
    values[17] = -std::numeric_limits<float>::infinity();
    CHECK(holds_text(message(tensor_of(element_type::f32, values)), "element 17 is -inf"));
    values[17] = std::numeric_limits<float>::quiet_NaN();
    CHECK(holds_text(message(tensor_of(element_type::f32, values)), "element 17 is nan"));
    values[17] = 65520.0F; // the first float that rounds to infinity
    CHECK(holds_text(message(tensor_of(element_type::f32, values)),
                     "element 17 is 65520, above the largest fp16 value 65504"));
    values[17] = 65519.996F;
    CHECK(to_half(tensor_of(element_type::f32, values))[17].bits == 0x7BFF);
    CHECK(holds_text(message(tensor_of<std::uint16_t>(element_type::f16, {0x7C00})), "element 0 is inf"));
    CHECK(holds_text(message(tensor_of<double>(element_type::f64, {0, 1e300})), "element 1 is 1e+300"));
}

TEST_CASE("integers convert when exact") {
    CHECK(static_cast<int>(static_cast<float>(to_half(tensor_of<std::int8_t>(element_type::int8, {-128}))[0])) == -128);
    CHECK(static_cast<int>(static_cast<float>(to_half(tensor_of<std::uint8_t>(element_type::uint8, {255}))[0])) == 255);
    CHECK(static_cast<int>(static_cast<float>(to_half(tensor_of<std::int16_t>(element_type::int16, {-2048}))[0])) ==
          -2048);
    CHECK(static_cast<int>(static_cast<float>(to_half(tensor_of<std::int32_t>(element_type::int32, {65504}))[0])) ==
          65504);
    CHECK(holds_text(message(tensor_of<std::int16_t>(element_type::int16, {0, 2049})), "element 1 is 2049"));
    CHECK(holds_text(message(tensor_of<std::int32_t>(element_type::int32, {65536})), "element 0 is 65536"));
    CHECK(holds_text(message(tensor_of<std::int64_t>(element_type::int64, {std::numeric_limits<std::int64_t>::min()})),
                     "element 0 is -9223372036854775808"));
    CHECK(holds_text(message(tensor_of<std::uint8_t>(element_type::boolean, {1})), "BOOL"));
    CHECK(holds_text(message(tensor_of<std::uint8_t>(element_type::f8_e5m2, {1})), "F8_E5M2"));
}
