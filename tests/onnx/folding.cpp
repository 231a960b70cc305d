// What constants come to does not depend on the format that they stand in: the same arithmetic through the readers of ONNX
// and of MIL text, against numbers worked out by hand.

#include "models.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

using namespace reading;
using models::list;
using models::model;

namespace {

struct folded_case {
    const char* onnx;
    const char* mil;
    numbers a;
    numbers b; ///< empty: a function of one operand
    numbers expected;
    bool gives_booleans = false;
};

const numbers zeros(4);

numbers by_onnx(const folded_case& c, bool integers) {
    model m;
    m.input("x", {4}).output("y");
    const auto constant = [&](const char* name, const numbers& values) {
        integers ? m.integers(name, {4}, list(values.begin(), values.end()))
                 : m.floats(name, {4}, {values.begin(), values.end()});
    };
    constant("a", c.a);
    if (!c.b.empty()) {
        constant("b", c.b);
    }
    m.node(c.onnx, c.b.empty() ? std::vector<std::string>{"a"} : std::vector<std::string>{"a", "b"}, {"c"});
    auto* to = m.node("Cast", {"c"}, {"d"}).add_attribute();
    to->set_name("to");
    to->set_type(::onnx::AttributeProto::INT);
    to->set_i(::onnx::TensorProto::FLOAT);
    m.node("Add", {"x", "d"}, {"y"});
    return m.run({zeros}).at(0);
}

numbers by_mil(const folded_case& c, bool integers) {
    const std::string type = integers ? "int32" : "fp32";
    const auto constant = [&](const std::string& name, const numbers& values) {
        std::string text;
        for (const double v : values) {
            text += fmt::format("{}{}", text.empty() ? "" : ", ", v);
        }
        return fmt::format("tensor<{0}, [4]> {1} = const()[name = string(\"{1}\"), val = tensor<{0}, [4]>([{2}])];\n",
                           type, name, text);
    };
    std::string body = constant("a", c.a) + (c.b.empty() ? "" : constant("b", c.b));
    body += fmt::format("tensor<{}, [4]> c = {}(x = a{})[name = string(\"c\")];\n", c.gives_booleans ? "bool" : type,
                        c.mil, c.b.empty() ? "" : ", y = b");
    body += "string half = const()[name = string(\"half\"), val = string(\"fp16\")];\n"
            "tensor<fp16, [4]> d = cast(x = c, dtype = half)[name = string(\"d\")];\n"
            "tensor<fp16, [4]> y = add(x = x, y = d)[name = string(\"y\")];";
    return run(read(program_of("tensor<fp16, [4]> x", body)), {zeros}).at(0);
}

} // namespace

TEST_CASE("constants come to the same numbers in ONNX and in MIL text") {
    const numbers a{7, -7, 6, -6};
    const numbers b{3, 3, -3, -4};
    const std::vector<folded_case> both{
        {"Add", "add", a, b, {10, -4, 3, -10}},
        {"Sub", "sub", a, b, {4, -10, 9, -2}},
        {"Mul", "mul", a, b, {21, -21, -18, 24}},
        {"Mod", "mod", a, b, {1, 2, 0, -2}},
        {"Max", "maximum", a, b, {7, 3, 6, -4}},
        {"Min", "minimum", a, b, {3, -7, -3, -6}},
        {"Pow", "pow", a, {2, 2, 0, 1}, {49, 49, 1, -6}},
        {"Equal", "equal", a, {7, 0, 6, 0}, {1, 0, 1, 0}, true},
        {"Greater", "greater", a, b, {1, 0, 1, 0}, true},
        {"GreaterOrEqual", "greater_equal", a, {7, -6, 6, -6}, {1, 0, 1, 1}, true},
        {"Less", "less", a, b, {0, 1, 0, 1}, true},
        {"LessOrEqual", "less_equal", a, {7, -8, 6, 0}, {1, 0, 1, 1}, true},
        {"Abs", "abs", a, {}, {7, 7, 6, 6}},
    };
    for (const bool integers : {false, true}) {
        for (const folded_case& c : both) {
            INFO(c.onnx, integers ? " of integers" : " of real numbers");
            if (integers || std::string(c.onnx) != "Mod") { // of real numbers ONNX has fmod alone
                CHECK(by_onnx(c, integers) == c.expected);
            }
            CHECK(by_mil(c, integers) == c.expected);
        }
    }
    const numbers parts{2.5, -2.5, 0.75, -0.25};
    const std::vector<folded_case> real{
        {"Div", "real_div", parts, {2, 2, -1, 4}, {1.25, -1.25, -0.75, -0.0625}},
        {"Floor", "floor", parts, {}, {2, -3, 0, -1}},
        {"Ceil", "ceil", parts, {}, {3, -2, 1, -0.0}},
        {"Add", "add", {4096, 1, 1, 1}, {1, 0x1p-12, 0, 0}, {4096, 1, 1, 1}}, // to fp16 once, at the end
    };
    for (const folded_case& c : real) {
        INFO(c.onnx);
        CHECK(by_onnx(c, false) == c.expected);
        CHECK(by_mil(c, false) == c.expected);
    }
}

TEST_CASE("what integers do not hold is refused by both, and named") {
    const auto reason = [](const auto& f) -> std::string {
        try {
            f();
        } catch (const ane::unreadable& refused) {
            return refused.what();
        }
        return "";
    };
    const folded_case overflow{"Mul", "mul", {65536, 1, 1, 1}, {65536, 1, 1, 1}, {}};
    CHECK(reason([&] { by_mil(overflow, true); }).find("4294967296 is no int32") != std::string::npos);
    const folded_case zero{"Mod", "mod", {1, 1, 1, 1}, {0, 1, 1, 1}, {}};
    CHECK(reason([&] { by_mil(zero, true); }).find("divides integers by 0") != std::string::npos);
    CHECK(reason([&] { by_onnx(zero, true); }).find("divides integers by 0") != std::string::npos);
    const folded_case narrow{"Pow", "pow", {2, 2, 2, 2}, {-1, 1, 1, 1}, {}};
    CHECK(reason([&] { by_mil(narrow, true); }).find("raises the integer 2 to the power -1") != std::string::npos);
    CHECK(reason([&] { by_onnx(narrow, true); }).find("raises the integer 2 to the power -1") != std::string::npos);
}

TEST_CASE("ONNX computes 64-bit integers exactly, and refuses sums beyond them") {
    const auto sum = [](std::int64_t a, std::int64_t b) {
        model m;
        m.input("x", {1}).output("y");
        m.integers("a", {1}, {a}).integers("b", {1}, {b}).integers("minus", {1}, {-a});
        m.node("Add", {"a", "b"}, {"c"});
        m.node("Add", {"c", "minus"}, {"d"});
        auto* to = m.node("Cast", {"d"}, {"e"}).add_attribute();
        to->set_name("to");
        to->set_type(::onnx::AttributeProto::INT);
        to->set_i(::onnx::TensorProto::FLOAT);
        m.node("Add", {"x", "e"}, {"y"});
        return m.run({{0.0}}).at(0);
    };
    CHECK(sum(std::int64_t{1} << 60, 3) == numbers{3}); // in double precision 0
    CHECK_THROWS_WITH_AS(sum(INT64_MAX, 1), doctest::Contains("9223372036854775807 + 1"), ane::unreadable);
}

TEST_CASE("the numbers of element types are those of ONNX's own headers") {
    for (int number = 0; number <= 16; ++number) { // what version 1.12 has
        REQUIRE(::onnx::TensorProto::DataType_IsValid(number));
        std::string name = ::onnx::TensorProto::DataType_Name(static_cast<::onnx::TensorProto::DataType>(number));
        for (char& c : name) {
            c = static_cast<char>(std::tolower(c));
        }
        const ane::element_type type = ane::find_element(&ane::element_facts::onnx_number, number);
        CHECK((number == 0 ? type == ane::element_type::undefined : ane::facts_of(type).onnx == name));
    }
}
