#include <anemone/base/text.hpp>
#include <anemone/values/ndarray.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

using namespace ane;

TEST_CASE("arrays are made of anything that holds numbers in one piece") {
    const std::vector<float> floats{1, 2.5, 1 + 0x1p-11F, 4};
    const ndarray<shape<2, 2>> from_vector(floats);
    CHECK(from_vector.floats() == std::vector<float>{1, 2.5, 1, 4}); // rounded half to even
    CHECK(ndarray<shape<2, 2>>(std::span<const float>(floats)).floats() == from_vector.floats());
    std::vector<float> writable = floats;
    CHECK(ndarray<shape<2, 2>>(std::span<float>(writable)).floats() == from_vector.floats());
    CHECK(ndarray<shape<3>>(std::array<int, 3>{1, 2, 3}).floats() == std::vector<float>{1, 2, 3});
    const std::int64_t wide[] = {1, -2};
    CHECK(ndarray<shape<2>>(wide).floats() == std::vector<float>{1, -2});
    CHECK(ndarray<shape<2>>(std::vector<unsigned>{7, 65504}).floats() == std::vector<float>{7, 65504});
    CHECK(ndarray<shape<2>>(std::vector<half>{half(0.5), half(2)}).floats() == std::vector<float>{0.5F, 2});
    CHECK_THROWS_WITH(
        ndarray<shape<2>>(std::vector<double>{0.1, 1e9}),
        doctest::Contains("element 1 is 1e+09, which does not fit into fp16, whose largest value is 65504"));
    CHECK_THROWS_AS((ndarray<shape<2>>(std::vector<int>{1, -70000})), error);
    const ndarray<shape<2>> ends(std::vector<double>{65519.9, std::numeric_limits<double>::infinity()});
    CHECK(ends[0].bits == 0x7BFF);
    CHECK(ends[1].bits == 0x7C00);
    CHECK(ndarray<shape<2>, float>(std::vector<double>{0.1, 1e9}).floats() == std::vector<float>{0.1F, 1e9F});
    CHECK_THROWS_WITH_AS((ndarray<shape<2, 2>>(std::vector<float>(3))),
                         "argument: ndarray: got 3 values for 4 elements", error);
    // One array does not turn into one of another shape by the way.
    static_assert(!std::is_constructible_v<ndarray<shape<4>>, const ndarray<shape<2, 2>>&>);
    static_assert(!std::is_convertible_v<std::vector<float>, ndarray<shape<4>>>);
    ndarray<shape<2, 2>> copy(from_vector);
    ndarray<shape<2, 2>> again(copy);
    CHECK(again.floats() == from_vector.floats());
    CHECK(ndarray<shape<4>>(again.elements()).floats() == from_vector.floats());
}

TEST_CASE("integers that fp16 does not hold, such as ids above 2048, are refused with their element") {
    const auto refuses = [](const auto& values, const std::string& words) {
        CHECK_THROWS_WITH_AS((ndarray<shape<3>>(values)), doctest::Contains(words.c_str()), error);
    };
    refuses(std::vector<int>{1, 2049, 3}, "element 1 is 2049, an integer that fp16 does not hold exactly");
    refuses(std::vector<std::int64_t>{30001, 1, 2}, "element 0 is 30001");
    refuses(std::array<std::uint16_t, 3>{1, 2, 50257}, "element 2 is 50257");
    refuses(std::vector<std::int64_t>{1, 2, std::int64_t{1} << 60}, "element 2 is 1152921504606846976");
    refuses(std::vector<short>{1, -2051, 2}, "element 1 is -2051");
    refuses(std::vector<double>{1, 2, -1e300}, "ndarray: element 2 is -1e+300, which does not fit into fp16");
    const std::vector<int> ids{1, 2, 50256};
    CHECK_THROWS_WITH_AS((ndarray<shape<3>>("ids"_s, ids)),
                         doctest::Contains("ids: element 2 is 50256, an integer that fp16 does not hold exactly"),
                         error);
    CHECK(ndarray<shape<3>>("ids"_s, std::vector<int>{1, 2, 3}).floats() == std::vector<float>{1, 2, 3});
    CHECK(ndarray<shape<3>>(std::vector<int>{2048, 2050, -30016}).floats() == std::vector<float>{2048, 2050, -30016});
    CHECK(ndarray<shape<1>>(std::vector<float>{2049}).floats() == std::vector<float>{2048}); // a number is rounded
    CHECK(ndarray<shape<1>, float>(std::vector<int>{2049}).floats() == std::vector<float>{2049});
}

TEST_CASE("bytes are rounded, and what is no byte is refused") {
    using bytes = ndarray<shape<2>, std::uint8_t>;
    CHECK(bytes(std::vector<float>{0.4F, 254.5F}).floats() == std::vector<float>{0, 255});
    CHECK(bytes(std::vector<float>{-0.4F, 255.4F}).floats() == std::vector<float>{0, 255});
    CHECK(bytes(std::vector<int>{3, 250}).floats() == std::vector<float>{3, 250});
    for (const float bad :
         {-0.5F, 255.5F, 1e30F, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
        CHECK_THROWS_AS(bytes(std::vector<float>{0, bad}), error);
    }
    CHECK_THROWS_AS((ndarray<shape<1>, std::int32_t>(std::vector<double>{2147483647.5})), error);
    CHECK(ndarray<shape<1>, std::int32_t>(std::vector<double>{-2147483648.0})[0] == -2147483647 - 1);
}

TEST_CASE("views give floats too") {
    const std::vector<half> memory{half(1), half(-0.25)};
    const ndview<shape<2>, const half> view{std::span(memory)};
    CHECK(view.floats() == std::vector<float>{1, -0.25F});
}
