#include <anemone/values/dtype.hpp>
#include <anemone/values/shape.hpp>

#include <doctest/doctest.h>

#include <type_traits>

using namespace ane;

TEST_CASE("extents know their count, axes and strides") {
    constexpr extents nchw{2, 3, 4, 5};
    static_assert(nchw.count() == 120 && nchw.width() == 5 && nchw.height() == 4 && nchw.channels() == 3);
    static_assert(nchw.batch() == 2 && nchw.depth() == 1);
    static_assert(row_major_strides(nchw) == extents{60, 20, 5, 1});
    constexpr extents ndchw{2, 7, 3, 4, 5};
    static_assert(ndchw.depth() == 7 && ndchw.batch() == 2 && ndchw.channels() == 3);
    static_assert(extents{}.count() == 1 && extents{}.width() == 1);
    static_assert(extents{4, 0}.count() == 0);
    static_assert(normalized_axis(-1, 4) == 3 && normalized_axis(1, 4) == 1);
}

TEST_CASE("a shape type and its value stand for each other") {
    static_assert(std::is_same_v<shape_of<extents{1, 64, 56, 56}>, shape<1, 64, 56, 56>>);
    static_assert(std::is_same_v<shape_of<extents{}>, shape<>>);
    static_assert(shape<1, 2>::value == extents{1, 2});
    static_assert(!(extents{1, 2} == extents{1, 2, 1}));
}

TEST_CASE("element types carry the serializer's codes") {
    static_assert(static_cast<int>(dtype::uint8) == 1 && static_cast<int>(dtype::f16) == 3);
    static_assert(static_cast<int>(dtype::int4) == 0 && static_cast<int>(dtype::uint64) == 10);
    static_assert(bits(dtype::int4) == 4 && bytes(dtype::int4, 3) == 2 && bytes(dtype::f16, 3) == 6);
    CHECK(mil_name(dtype::f16) == "fp16");
    CHECK(netplist_name(dtype::uint8) == "UInt8");
}
