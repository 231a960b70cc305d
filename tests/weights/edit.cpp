#include <anemone/values/ndarray.hpp>
#include <anemone/weights/convert.hpp>
#include <anemone/weights/store.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <utility>

using namespace ane;

namespace {

/// A store of these names; each tensor holds its own number.
weight_store store_of(const std::vector<std::string>& names) {
    weight_store store;
    for (std::size_t i = 0; i < names.size(); ++i) {
        store.add(names[i], {1}, {static_cast<float>(i)});
    }
    store.set_metadata("format", "pt");
    return store;
}

/// "name=number" of every tensor, in order.
std::string contents(const weight_store& store) {
    std::string text;
    for (const stored_tensor& tensor : store) {
        text += (text.empty() ? "" : " ") + tensor.name + "=" + std::to_string(static_cast<int>(to_float(tensor)[0]));
    }
    return text;
}

const std::vector<std::string> checkpoint{"h.0.w", "h.1.w", "h.1.b", "h.10.w", "h1.w", "ln.w"};

} // namespace

TEST_CASE("a subset is what stands below a prefix, without it") {
    const weight_store store = store_of(checkpoint);
    CHECK(contents(store.subset("h.1")) == "w=1 b=2"); // not h.10
    CHECK(contents(store.subset("h.1.")) == "w=1 b=2");
    CHECK(contents(store.subset("h")) == "0.w=0 1.w=1 1.b=2 10.w=3");
    CHECK(*store.subset("h.1").metadata("format") == "pt");
    CHECK(contents(store_of({"a/b", "a/c", "b/c"}).subset("a/")) == "b=0 c=1");
    CHECK(contents(store_of({"a.", "a.b"}).subset("a")) == "b=1"); // nothing is left of the first name
    CHECK(contents(store.subset("")) ==
          contents(store_of({"h.0.w"}).subset("")) + " h.1.w=1 h.1.b=2 h.10.w=3 h1.w=4 ln.w=5");
    CHECK(contents(store_of(checkpoint).subset("ln")) == "w=5"); // of a store that vanishes
    CHECK_THROWS_WITH_AS((void)store.subset("h.2"),
                         "weights: h.2.: no name of the 6 in the store starts with this: \"h.0.w\", \"h.1.w\", "
                         "\"h.1.b\", ...",
                         error);
    CHECK_THROWS_AS((void)weight_store().subset("h"), error);
}

TEST_CASE("prefixes come off and on") {
    CHECK(contents(store_of(checkpoint).without_prefix("h.1")) == "h.0.w=0 w=1 b=2 h.10.w=3 h1.w=4 ln.w=5");
    CHECK_THROWS_AS((void)store_of(checkpoint).without_prefix("model"), error);
    CHECK_THROWS_WITH_AS((void)store_of({"a.w", "w"}).without_prefix("a"),
                         "weights: w: two tensors of the store would have this name", error);
    const weight_store store = store_of({"w", "b"});
    CHECK(contents(store.with_prefix("layer")) == "layer.w=0 layer.b=1");
    CHECK(contents(store.with_prefix("layer/")) == "layer/w=0 layer/b=1");
    CHECK(store.with_prefix("layer").without_prefix("layer") == store);
    CHECK(weight_store().with_prefix("layer").empty());
}

TEST_CASE("names are made anew by a function") {
    const auto upper = [](std::string_view name) { return name == "b" ? std::string() : "W" + std::string(name); };
    const weight_store store = store_of({"a", "b", "c"});
    CHECK(contents(store.renamed(upper)) == "Wa=0 Wc=2");
    CHECK(contents(store_of({"a", "b", "c"}).renamed(upper)) == "Wa=0 Wc=2");
    CHECK_THROWS_AS((void)store.renamed([](std::string_view) { return "same"; }), error);
    CHECK(contents(store) == "a=0 b=1 c=2");
}

TEST_CASE("a refused change leaves the store as it was") {
    weight_store store = store_of({"a.x", "b.x", "x"});
    const weight_store before = store;
    CHECK_THROWS_AS(store.rename("a.x", "x"), error);
    CHECK_THROWS_AS(store.rename("nothing", "y"), error);
    CHECK_THROWS_AS(store.replace_in_names("a", "b"), error);
    CHECK_THROWS_AS(store.replace_in_names("z", "b"), error);
    CHECK_THROWS_AS(store.replace_in_names("", "b"), error);
    CHECK_THROWS_AS(store.transpose("x", {1, 0}), error);
    CHECK_THROWS_AS(store.transpose("y"), error);
    CHECK_THROWS_AS(store.reshape("x", {2}), error);
    CHECK_THROWS_AS(store.reshape("x", {-1, -1}), error);
    CHECK_THROWS_AS((void)store.take("y"), error);
    CHECK_THROWS_AS(store.merge(store_of({"c", "x"})), error);
    CHECK(store == before);
}

TEST_CASE("a tensor is renamed in its place") {
    weight_store store = store_of({"a", "b", "c"});
    store.rename("b", "z");
    CHECK(contents(store) == "a=0 z=1 c=2");
    CHECK(store.find("b") == nullptr);
    CHECK(to_float(store.at("z"))[0] == 1.0F);
    store.rename("z", "z");
    store.rename(store[0].name, "a.long.name.that.is.stored.on.the.heap");
    store.rename("a.long.name.that.is.stored.on.the.heap", "a");
    CHECK(contents(store) == "a=0 z=1 c=2");
    store.replace_in_names("z", "zz.zz");
    CHECK(contents(store) == "a=0 zz.zz=1 c=2");
    store.replace_in_names("z", "y");
    CHECK(contents(store) == "a=0 yy.yy=1 c=2");
    store.replace_in_names("yy", "");
    CHECK(contents(store) == "a=0 .=1 c=2");
    CHECK(*store.metadata("format") == "pt");
}

TEST_CASE("a tensor is replaced in its place") {
    weight_store store = store_of({"a", "b", "c"});
    store.replace({"b", element_type::f16, {2}, store_of({"b"}).at("b").bytes.part(0, 4)});
    CHECK(store.size() == 3);
    CHECK(store[1].name == "b");
    CHECK(store.at("b").type == element_type::f16);
    CHECK(store.at("b").shape == extents{2});
    CHECK(to_float(store.at("c"))[0] == 2.0F);
    const weight_store before = store;
    CHECK_THROWS_WITH(store.replace({"d", element_type::f16, {0}, {}}), doctest::Contains("no such tensor"));
    CHECK_THROWS_WITH(store.replace({"a", element_type::f16, {3}, {}}), doctest::Contains("has 0 bytes"));
    CHECK(store == before);
}

TEST_CASE("tensors are taken out, and the others stay found") {
    weight_store store = store_of({"a", "b", "c", "d"});
    const stored_tensor b = store.take("b");
    CHECK(b.name == "b");
    CHECK(to_float(b)[0] == 1.0F);
    store.remove(store[2].name); // the name of the tensor itself
    CHECK(contents(store) == "a=0 c=2");
    CHECK(to_float(store.at("c"))[0] == 2.0F);
    store.add(b);
    CHECK(contents(store) == "a=0 c=2 b=1");
    store.merge(store_of({"e", "f"}));
    CHECK(contents(store) == "a=0 c=2 b=1 e=0 f=1");
    store.merge({});
    CHECK(store.size() == 5);
}

TEST_CASE("arrays and lists go into a store with their shape") {
    weight_store store;
    const ndarray<shape<2, 3>> halves{1, 2, 3, 4, 5, 6};
    const ndarray<shape<2>, float> floats{0.1, 0.2};
    store.add("halves", halves);
    store.add("view", ndview<shape<3, 2>, const half>(halves.elements()));
    store.add("floats", floats);
    store.add("list", {2, 1}, {0.5F, 7});
    CHECK(store.at("halves").shape == extents{2, 3});
    CHECK(store.at("halves").type == element_type::f16);
    CHECK(store.at("view").shape == extents{3, 2});
    CHECK(to_float(store.at("view")) == std::vector<float>{1, 2, 3, 4, 5, 6});
    CHECK(store.at("floats").type == element_type::f32);
    CHECK(to_float(store.at("floats")) == std::vector<float>{0.1F, 0.2F});
    CHECK(to_float(store.at("list")) == std::vector<float>{0.5F, 7});
}

TEST_CASE("a transpose moves every element of every type to its place") {
    constexpr element_type stored_types[] = {
        element_type::boolean, element_type::f8_e4m3, element_type::f8_e5m2, element_type::uint8,  element_type::int8,
        element_type::f16,     element_type::bf16,    element_type::uint16,  element_type::int16,  element_type::f32,
        element_type::uint32,  element_type::int32,   element_type::f64,     element_type::uint64, element_type::int64};
    constexpr std::uint32_t seed = 9241;
    MESSAGE("seed ", seed);
    std::mt19937 random(seed);
    for (int round = 0; round < 300; ++round) {
        const element_type type = stored_types[random() % std::size(stored_types)];
        const auto size = static_cast<std::size_t>(bytes(type, 1));
        extents shape;
        const int rank = static_cast<int>(random() % 6);
        for (int i = 0; i < rank; ++i) {
            shape.append(round % 50 == 7 ? static_cast<std::int64_t>(random() % 2)
                                         : 1 + static_cast<std::int64_t>(random() % 5));
        }
        std::vector<std::byte> bytes(static_cast<std::size_t>(shape.count()) * size);
        for (std::byte& b : bytes) {
            b = static_cast<std::byte>(random() & 0xFFU); // NaN, infinities and false truths among them
        }
        const stored_tensor tensor{"t", type, shape, std::move(bytes)};
        std::vector<std::int64_t> order(static_cast<std::size_t>(rank));
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), random);
        extents given;
        extents inverse = shape;
        for (int i = 0; i < rank; ++i) {
            given.append(order[static_cast<std::size_t>(i)]);
            inverse[static_cast<int>(order[static_cast<std::size_t>(i)])] = i;
        }
        weight_store store;
        store.add(tensor);
        store.transpose("t", given);
        const stored_tensor& moved = store.at("t");
        REQUIRE(moved.type == type);
        REQUIRE(moved.shape.rank == rank);
        // Element (i0, i1, ...) of the result is the element of the operand whose axis order[k] has the index ik.
        std::size_t wrong = 0;
        for (std::int64_t at = 0; at < shape.count(); ++at) {
            std::int64_t rest = at;
            std::int64_t index[8]{};
            for (int i = rank - 1; i >= 0; --i) {
                index[order[static_cast<std::size_t>(i)]] = rest % moved.shape[i];
                rest /= moved.shape[i];
            }
            std::int64_t from = 0;
            for (int i = 0; i < rank; ++i) {
                from = from * shape[i] + index[i];
            }
            wrong += std::memcmp(moved.bytes.data() + static_cast<std::size_t>(at) * size,
                                 tensor.bytes.data() + static_cast<std::size_t>(from) * size, size) != 0
                         ? 1U
                         : 0U;
        }
        REQUIRE(wrong == 0);
        store.transpose("t", inverse);
        REQUIRE(store.at("t") == tensor);
    }
}

TEST_CASE("a matrix [in, out] becomes [out, in]") {
    weight_store store;
    store.add("w", {2, 3}, {1, 2, 3, 4, 5, 6});
    store.transpose("w");
    CHECK(store.at("w").shape == extents{3, 2});
    CHECK(to_float(store.at("w")) == std::vector<float>{1, 4, 2, 5, 3, 6});
    store.reshape("w", {3, 2, 1, 1});
    CHECK(store.at("w").shape == extents{3, 2, 1, 1});
    CHECK_THROWS_WITH_AS(store.transpose("w", {0, 1, 2}),
                         "weights: w: the order of a transpose names each of the 4 axes once", error);
    CHECK_THROWS_AS(store.transpose("w", {0, 1, 2, 2}), error);
    CHECK_THROWS_AS(store.transpose("w", {0, 1, 2, 4}), error);
    CHECK_THROWS_AS(store.transpose("w", {0, 1, 2, -1}), error);
}

TEST_CASE("a tensor of too many axes is refused, not read") {
    stored_tensor tensor{"t", element_type::f32, {1}, std::vector<std::byte>(4)};
    weight_store store;
    tensor.shape.rank = 100;
    CHECK_THROWS_WITH_AS(store.add(tensor), "weights: t: has 100 axes, a tensor has at most 8", error);
    tensor.shape.rank = -1;
    CHECK_THROWS_AS(store.add(tensor), error);
}

TEST_CASE("a store finds what a map would, whatever is done to it") {
    constexpr std::uint32_t seed = 4711;
    MESSAGE("seed ", seed);
    std::mt19937 random(seed);
    const auto any_name = [&] { return "w" + std::to_string(random() % 60); };
    weight_store store;
    std::map<std::string, float> expected;
    for (int step = 0; step < 5000; ++step) {
        const std::string name = any_name();
        const bool known = expected.contains(name);
        const auto value = static_cast<float>(step);
        switch (random() % 4) {
        case 0:
        case 1:
            if (known) {
                CHECK_THROWS_AS(store.add(name, {1}, {value}), error);
            } else {
                store.add(name, {1}, {value});
                expected.emplace(name, value);
            }
            break;
        case 2:
            if (known) {
                REQUIRE(to_float(store.take(name)) == std::vector{expected.at(name)});
                expected.erase(name);
            } else {
                CHECK_THROWS_AS(store.take(name), error);
            }
            break;
        default:
            if (const std::string other = any_name(); known && !expected.contains(other)) {
                store.rename(name, other);
                expected.insert({other, expected.at(name)});
                expected.erase(name);
            } else if (name != other) {
                CHECK_THROWS_AS(store.rename(name, other), error);
            }
        }
        REQUIRE(store.size() == expected.size());
        const weight_store copy = store;
        for (int i = 0; i < 60; ++i) {
            const std::string wanted = "w" + std::to_string(i);
            const stored_tensor* const found = copy.find(wanted);
            REQUIRE((found != nullptr) == expected.contains(wanted));
            REQUIRE((found == nullptr || to_float(*found) == std::vector{expected.at(wanted)}));
        }
    }
}

TEST_CASE("a store has no tensor beyond its last") {
    weight_store store;
    CHECK_THROWS_WITH_AS(store[0], "weights: store: has 0 tensors, none has the number 0", error);
    store.add("w", {1}, {1});
    CHECK(store[0].name == "w");
    CHECK_THROWS_WITH_AS(store[1], "weights: store: has 1 tensors, none has the number 1", error);
}
