#include "test_support.hpp"

#include <doctest/doctest.h>

using namespace standin_test;

namespace {

std::string refused(const std::string& mil) {
    try {
        static_cast<void>(sa::parse_mil(mil));
        return "accepted";
    } catch (const sa::refusal& r) {
        return r.what();
    }
}

} // namespace

TEST_CASE("stand-in: a text is taken apart") {
    const sa::mil_text parsed = sa::parse_mil(text(
        "tensor<fp16, [1, 4]> t0, tensor<uint8, [1, 3, 8, 8]> t1",
        constant("int32", "ax", "1") +
            "tensor<fp16,[1,2]> a,tensor<fp16,[1,2]> b=split(axis=ax,num_splits=int32(2),x=t0)[name=string(\"s_split\")];\n" +
            line("tensor<fp16, [1, 4]> c", "concat(axis = ax, interleave = bool(false), values = (a, b))"),
        "a, c"));
    CHECK(parsed.function == "main");
    CHECK(parsed.opset == "ios18");
    CHECK(parsed.build_info.at(0) == std::pair<std::string, std::string>("coremlc-component-MIL", "3520.4.1"));
    REQUIRE(parsed.parameters.size() == 2);
    CHECK(parsed.parameters[1].type == sa::tensor_type{sa::element::uint8, {1, 3, 8, 8}});
    REQUIRE(parsed.statements.size() == 3);
    CHECK(parsed.statements[0].attributes.at(1).value->items == std::vector<std::string>{"1"});
    CHECK(parsed.statements[1].results.size() == 2);
    CHECK(parsed.statements[1].line == 6);
    CHECK(parsed.statements[2].arguments.at(2).names == std::vector<std::string>{"a", "b"});
    CHECK(parsed.outputs == std::vector<std::string>{"a", "c"});
}

TEST_CASE("stand-in: literals") {
    const auto value = [](const std::string& type, const std::string& val) {
        const sa::mil_text parsed = sa::parse_mil(text("", constant(type, "c", val), "c"));
        sa::weight_files none(".");
        return sa::read_literal(*parsed.statements.at(0).attributes.at(1).value, none);
    };
    CHECK(value("fp16", "0x1.8p+0").halves == halves({1.5}));
    CHECK(value("fp16", "-0x1.4000000000000p+3").halves == halves({-10}));
    CHECK(value("fp16", "0x0p+0").halves == halves({0}));
    CHECK(value("fp16", "0.0").halves == halves({0}));
    CHECK(value("fp16", "6.103515625e-05").halves.front().bits == 0x0400);
    CHECK(value("fp32", "2.0").reals == std::vector<double>{2});
    CHECK(value("int32", "-2").integers == std::vector<std::int64_t>{-2});
    CHECK(value("uint64", "64").integers == std::vector<std::int64_t>{64});
    CHECK(value("int8", "-128").integers == std::vector<std::int64_t>{-128});
    CHECK(value("bool", "true").integers == std::vector<std::int64_t>{1});
    CHECK(value("string", "\"EXACT\"").text == "EXACT");
    CHECK(value("tensor<int32, [2]>", "[1, -1]").integers == std::vector<std::int64_t>{1, -1});
    CHECK(value("tensor<fp16, [2, 2]>", "[[1.0, 2.0], [3.0, 4.0]]").halves == halves({1, 2, 3, 4}));
    CHECK(value("tensor<fp16, [2, 2]>", "[1.0, 2.0, 3.0, 4.0]").halves == halves({1, 2, 3, 4}));

    CHECK_THROWS_AS(value("fp16", "70000.0"), sa::refusal);
    CHECK_THROWS_AS(value("fp16", "0x3C00"), sa::refusal); // a bit pattern or a number: not known
    CHECK_THROWS_AS(value("fp16", "true"), sa::refusal);
    CHECK_THROWS_AS(value("bool", "1"), sa::refusal);
    CHECK_THROWS_AS(value("int8", "128"), sa::refusal);
    CHECK_THROWS_AS(value("int32", "1.5"), sa::refusal);
    CHECK_THROWS_AS(value("int32", "\"1\""), sa::refusal);
    CHECK_THROWS_AS(value("uint8", "-1"), sa::refusal);
    CHECK_THROWS_AS(value("tensor<int32, [2]>", "[1]"), sa::refusal);
    CHECK_THROWS_AS(value("tensor<int32, [2]>", "1"), sa::refusal);
    CHECK_THROWS_AS(value("tensor<fp16, [2, 2]>", "[[1.0, 2.0, 3.0], [4.0]]"), sa::refusal);
    CHECK_THROWS_AS(value("int32", "99999999999999999999"), sa::refusal);
}

TEST_CASE("stand-in: texts that do not follow the grammar are refused with a line") {
    const std::string good = text("tensor<fp16, [2]> x", line("tensor<fp16, [2]> y", "relu(x = x)"), "y");
    CHECK(refused(good) == "accepted");
    CHECK(contains(refused(good + "x"), "after the end"));
    CHECK(contains(refused("program(1.0)" + good.substr(12)), "1.0 is not 1.3"));
    for (const std::string piece :
         {"program", "buildInfo", "func", "main<", "(x = x)", "[name", ";", "->", "= relu", "{"}) {
        std::string broken = good;
        broken.erase(broken.find(piece), piece.size());
        CAPTURE(piece);
        CHECK(refused(broken) != "accepted");
        CHECK(contains(refused(broken), "line "));
    }
    CHECK(contains(refused(text("tensor<fp16, [n]> x", "", "x")), "symbolic dimension"));
    CHECK(contains(refused(text("tensor<fp17, [1]> x", "", "x")), "unknown element type"));
    CHECK(contains(refused(text("fp16 x", line("fp16 y", "f(x = (1))"), "y")), "member of the tuple"));
    CHECK(contains(refused(text("fp16 x", line("fp16 y", "f(x = 1.0)"), "y")), "a typed literal"));
    CHECK(contains(refused(text("fp16 x", line("fp16 y", "f(x = string(\"a"), "y")), "not closed"));
}

TEST_CASE("stand-in: every prefix of a text is refused cleanly") {
    const std::string good = text("tensor<fp16, [2]> x", line("tensor<fp16, [2]> y", "relu(x = x)"), "y");
    for (std::size_t size = 0; size + 2 < good.size(); ++size) {
        CHECK(refused(good.substr(0, size)) != "accepted");
    }
}
