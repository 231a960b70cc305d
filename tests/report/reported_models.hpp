#pragma once

#include <anemone/build.hpp>
#include <anemone/ops/ops.hpp>

#include <string>
#include <string_view>

/// Models whose SARIF and JSON are checked here and, as whole documents, by tests/python/sarif.py.
namespace reported_models {

using namespace ane;

/// A graph whose names, files and lines are what no author would write.
inline dynamic_graph hostile() {
    dynamic_graph g;
    const auto relu = [&g](std::string_view name, const char* file, int line, extents shape) {
        const std::string number = std::to_string(g.outputs.size());
        node n;
        n.attributes = contract{};
        n.shape = shape;
        n.name = g.intern("x" + number);
        n.where = {"/src/main.cpp", 10};
        const int operands[] = {g.append(n, {})};
        n.kind = op::relu;
        n.attributes = no_attributes{};
        n.name = g.intern(name);
        n.where = {file, line};
        g.add_output(g.append(n, operands), "y" + number);
    };
    relu("quote\" back\\slash {brace} [link](http://x) \x1b[2J \x01\x1f\x7f", "/src/a dir/m\"o\\d%el.cpp", 3,
         {1, 1, 1, 70000});
    relu("\u5377\u79ef \U0001F600 \u202e \u2028", "/src/\u6a21\u578b.cpp", 4, {1, 1, 1, 70001});
    relu("\xff\xfe\xc3", "/src/../src/./nested/x.cpp", 5, {1, 1, 1, 70002});
    relu("", "", 0, {1, 1, 1, 70003});
    relu(std::string_view("nul\0inside", 10), "relative dir/y.cpp", 0, {1, 1, 1, 70004});
    relu("elsewhere", "/other/z:1.cpp", 6, {1, 1, 1, 70005});
    return g;
}

inline dynamic_graph ordinary() {
    return build_graph([](builder& b) {
        auto x = b.input("x"_s, f16<1, 16, 32, 32>);
#line 41 "/src/models/model.cpp"
        auto a = conv2d(x, b.weight("stem.weight", f16<16, 16, 3, 14>));
        b.output("y"_s, slice<window{{0, 0, 0, 1}, {1, 16, 30, 8}}>(relu(a)));
    });
}

/// Two layers of one scope.
inline dynamic_graph tied() {
    return build_graph([](builder& b) {
        auto x = b.input("x"_s, f16<1, 16>);
        for (int i = 0; i < 2; ++i) {
#line 51 "/src/models/model.cpp"
            x = relu(linear(x, b.scope("layer", 0).weight("w", f16<16, 16>)));
        }
        b.output("y"_s, x);
    });
}

} // namespace reported_models
