#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/program.hpp>
#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using namespace ane;
using doctest::Contains;

namespace {

constexpr auto model = graph([](ane::builder& g) {
    auto x = g.input("x"_s, f16<1, 3000>, within(-1, 0.1));
    auto image = g.input("image"_s, u8<1, 4>, within(0, 1));
    auto free = g.input("free"_s, f16<1, 4>);
    g.output("y"_s, reduce_max(x) + to_f16(image) + free);
});

struct inputs {
    ndarray<shape<1, 3000>> x;
    ndarray<shape<1, 4>, std::uint8_t> image;
    ndarray<shape<1, 4>> free;

    arguments<model> bound() const { return {"x"_s = x, "image"_s = image, "free"_s = free}; }
};

} // namespace

TEST_CASE("a program checks the promises of its inputs where it is told to") {
    auto program = compile<model>(backend::cpu{});
    inputs in;
    in.x[2999] = half(0.5);
    in.free[0] = half(60000.0);
    CHECK_NOTHROW(program(in.bound()));
    program.check_inputs(input_check::sampled);
    CHECK_NOTHROW(program(in.bound())); // one element of 3000, which is not among the samples
    program.check_inputs(input_check::full);
    CHECK_THROWS_WITH_AS(program(in.bound()),
                         "port: x: element 2999 is 0.5, outside [-1, 0.1], which the model promises", error);
    program.check_inputs(input_check::off);
    CHECK_NOTHROW(program(in.bound()));
}

TEST_CASE("the first element outside is told, of every type, in blocks and behind them") {
    auto program = compile<model>(backend::cpu{});
    program.check_inputs(input_check::full);
    inputs in;
    CHECK_NOTHROW(program(in.bound()));
    for (const std::size_t at : {std::size_t{0}, std::size_t{1}, std::size_t{1023}, std::size_t{1024},
                                 std::size_t{2047}, std::size_t{2048}, std::size_t{2999}}) {
        const auto place = Contains(("element " + std::to_string(at) + " is").c_str());
        for (const half wrong : {half(-1.001), half(0.10001), half(65504.0), std::numeric_limits<half>::infinity(),
                                 half::from_bits(0xFC00), half::from_bits(0x7E00), half::from_bits(0xFE00)}) {
            in.x[at] = wrong;
            CAPTURE(static_cast<float>(wrong));
            CHECK_THROWS_WITH_AS(program(in.bound()), place, error);
        }
        for (const half right : {half(-1.0), half::from_bits(0x8000), half(0.0999), half::from_bits(0x8001)}) {
            in.x[at] = right;
            CHECK_NOTHROW(program(in.bound()));
        }
    }
    in.image[3] = 2;
    CHECK_THROWS_WITH_AS(program(in.bound()), Contains("image: element 3 is 2, outside [0, 1]"), error);
}

TEST_CASE("samples meet a mistake of a whole input") {
    auto program = compile<model>(backend::cpu{});
    program.check_inputs(input_check::sampled);
    inputs in;
    in.x.fill(half(0.5));
    CHECK_THROWS_WITH_AS(program(in.bound()), Contains("x: element 0 is 0.5"), error);
    in.x.fill(half(0.0));
    for (std::size_t i = 0; i < 3000; i += 2) { // every other one, as the second channel of interleaved samples
        in.x[i] = half(7.0);
    }
    in.x[0] = half(0.0);
    CHECK_THROWS_AS(program(in.bound()), error);
}

namespace {

constexpr auto rows = graph([](ane::builder& g) {
    auto table = g.weight("table", f16<4096, 1>);
    auto ids = g.input("ids"_s, f16<3>);
    auto few = g.input("few"_s, f16<3>, within(0, 4095));
    auto bias = g.input("bias"_s, f16<3, 1>);
    g.output("y"_s, gather<axis{0}>(table, ids + 1) + gather<axis{0}>(table, few) + bias);
});

} // namespace

TEST_CASE("an index from 2048 on, of which fp16 may have made another, is told where nothing is promised of it") {
    weight_store store;
    store.add("table", {4096, 1}, std::vector<float>(4096, 1.0F));
    auto program = compile<rows>(backend::cpu{}, store);
    ndarray<shape<3>> ids{1, 2, 2047};
    const ndarray<shape<3>> few{0, 2050, 4094};
    const ndarray<shape<3, 1>> bias{4096, 1, 2}; // no index
    program.check_inputs(input_check::full);
    CHECK_NOTHROW(program({"ids"_s = ids, "few"_s = few, "bias"_s = bias}));
    for (const double value : {2048.0, 4094.0, -2048.0}) {
        ids[1] = half(value);
        const std::string words = "port: ids: element 1 is " + std::to_string(static_cast<int>(value)) +
                                  ", an index, which fp16 may have made of another one";
        CHECK_THROWS_WITH_AS(program({"ids"_s = ids, "few"_s = few, "bias"_s = bias}), Contains(words.c_str()), error);
    }
    program.check_inputs(input_check::off);
    ids[1] = half(3000.0);
    CHECK_NOTHROW(program({"ids"_s = ids, "few"_s = few, "bias"_s = bias}));
}
