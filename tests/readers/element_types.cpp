// The element types of a file count: its ports, its casts and its arithmetic, by the chip. What is expected is what the
// sources say (facts: R001 to R005 and R196 of the rules, engine-runtime section 3, mil-ops, mil-dialects, measured-limits).

#include <anemone/readers/file_verdict.hpp>
#include <anemone/readers/type_uses.hpp>

#include <doctest/doctest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using namespace ane;

namespace {

std::string typed_program(const std::string& ports, const std::string& statements, const std::string& result = "y") {
    return "program(1.3)\n{\n    func main<ios18>(" + ports + ") {\n" + statements + "    } -> (" + result + ");\n}\n";
}
std::string statement(const std::string& type, const std::string& call, const std::string& name = "y") {
    return "        tensor<" + type + "> " + name + " = " + call + "[name = string(\"" + name + "\")];\n";
}
std::vector<read_fault> reasons_of(const std::string& text, target t = h13) {
    return judge(read_mil(text, file_lookup([](const std::string&) { return std::span<const std::byte>(); })), t)
        .reasons;
}
/// The one reason against a file, which names a rule; empty where the file is accepted.
std::string rule_against(const std::string& text, target t = h13) {
    const std::vector<read_fault> reasons = reasons_of(text, t);
    if (reasons.empty()) {
        return "";
    }
    std::string all;
    for (const read_fault& r : reasons) {
        for (const readers::type_rule& rule : readers::type_rules) {
            if (r.reason.find("(" + std::string(rule.name) + ":") != std::string::npos) {
                all += (all.empty() ? "" : " ") + std::string(rule.name);
                CHECK(r.line > 0);
                CHECK(r.reason.find(rule.advice) != std::string::npos);
                CHECK(r.reason.find(rule.source) != std::string::npos);
                CHECK(r.reason.find(name(rule.evidence)) != std::string::npos);
            }
        }
    }
    return all.empty() ? reasons[0].reason : all;
}

/// A port of a type whose elements are fp16 from the first statement on.
std::string input_of(const std::string& type) {
    return typed_program("tensor<" + type + ", [1, 8]> x, tensor<fp16, [1, 8]> z",
                         statement("fp16, [1, 8]", "cast(x = x, dtype = string(\"fp16\"))", "f") +
                             statement("fp16, [1, 8]", "add(x = f, y = z)"));
}
std::string output_of(const std::string& type) {
    return typed_program("tensor<fp16, [1, 8]> x",
                         statement(type + ", [1, 8]", "cast(x = x, dtype = string(\"" + type + "\"))"));
}
/// fp32 arithmetic between casts, as compilers write it.
std::string inside(const std::string& type, const std::string& call, const std::string& given = "") {
    return typed_program("tensor<fp16, [1, 8]> x",
                         statement(type + ", [1, 8]", "cast(x = x, dtype = string(\"" + type + "\"))", "a") +
                             statement((given.empty() ? type : given) + ", [1, 8]", call, "b") +
                             statement("fp16, [1, 8]", "cast(x = b, dtype = string(\"fp16\"))"));
}

} // namespace

TEST_CASE("ports of wide integers are none of the MIL route") {
    const read_model numbers = read_mil_file(std::string(ANEMONE_TEST_DATA) + "/readers/cases/int32_input.mil");
    CHECK(numbers.doubts.empty());
    const std::vector<read_fault> reasons = judge(numbers, h14g).reasons;
    REQUIRE(reasons.size() == 2); // the port, and the cast from it
    CHECK(reasons[0].line == 4);
    CHECK(reasons[0].reason.find("port_is_an_integer") != std::string::npos);
    CHECK(reasons[1].reason.find("cast_of_integers") != std::string::npos);
    for (const std::string refused : {"int32", "uint32"}) {
        CAPTURE(refused);
        CHECK(rule_against(input_of(refused)) == "port_is_an_integer cast_of_integers");
        CHECK(rule_against(output_of(refused)) == "cast_of_integers port_is_an_integer");
    }
    // On the way through, without arithmetic, it is a port as well.
    CHECK(rule_against(
              typed_program("tensor<int32, [1, 8]> x, tensor<fp16, [1, 8]> z",
                            statement("int32, [8, 1]", "reshape(x = x, shape = tensor<int32, [2]>([8, 1]))", "i") +
                                statement("fp16, [1, 8]", "relu(x = z)"),
                            "y, i"))
              .find("port_is_an_integer") == 0);
    CHECK(rule_against(input_of("fp64")).find("port_is_a_stored_type") == 0);
}

TEST_CASE("of fp16 and fp32, of bytes and of shorts sources have ports that run") {
    for (const std::string taken : {"fp16", "fp32", "uint8", "int8", "int16", "uint16"}) {
        CAPTURE(taken);
        for (const target t : {h13, h15g, h16g, h17s}) {
            const bool refused = taken == "int8" && t == h13; // M1: R001, as a rule of the graph
            CHECK(rule_against(input_of(taken), t).empty() != refused);
        }
    }
    CHECK(rule_against(output_of("fp32"), h16g).empty());
    CHECK(rule_against(output_of("int8"), h16g).empty());
}

TEST_CASE("truth values at ports are a matter of the chip") {
    for (const std::string& text :
         {input_of("bool"),
          typed_program("tensor<fp16, [1, 8]> x", statement("bool, [1, 8]", "greater(x = x, y = fp16(0x0p+0))"))}) {
        CHECK(rule_against(text, h13) == "port_is_bool");
        CHECK(rule_against(text, h17s) == "port_is_bool");
        CHECK(rule_against(text, h15g).empty());
        CHECK(rule_against(text, h16g).empty());
    }
}

TEST_CASE("what computes in another type than fp16 is refused") {
    for (const std::string call : {"relu(x = a)", "add(x = a, y = a)", "softmax(x = a, axis = int32(-1))"}) {
        CAPTURE(call);
        CHECK(rule_against(inside("fp32", call)) == "arithmetic_in_fp32");
        CHECK(rule_against(inside("fp16", call)).empty());
        CHECK(rule_against(inside("int32", call)).find("arithmetic_in_integers") != std::string::npos);
    }
    for (const std::string type : {"int8", "uint8", "int16", "uint16"}) {
        CAPTURE(type);
        CHECK(rule_against(inside(type, "add(x = a, y = a)")).find("arithmetic_in_bytes") != std::string::npos);
        CHECK(rule_against(inside(type, "reshape(x = a, shape = tensor<int32, [2]>([1, 8]))")).empty());
    }
    // Casts of fp32 alone are what Core ML writes around a program.
    CHECK(rule_against(inside("fp32", "reshape(x = a, shape = tensor<int32, [2]>([1, 8]))")).empty());
    // Truth values go into a select.
    const std::string condition = statement("bool, [1, 8]", "greater(x = x, y = fp16(0x0p+0))", "c");
    CHECK(
        rule_against(typed_program("tensor<fp16, [1, 8]> x",
                                   condition + statement("fp16, [1, 8]", "select(cond = c, a = x, b = fp16(0x0p+0))")))
            .empty());
    CHECK(rule_against(
              typed_program("tensor<fp16, [1, 8]> x", condition + statement("fp16, [1, 8]", "add(x = x, y = c)"))) ==
          "arithmetic_in_truth_values");
}

TEST_CASE("shapes and axes that are computed while compiling are no arithmetic of the engine") {
    const std::string text = typed_program(
        "tensor<fp16, [2, 8]> x",
        "        tensor<int32, [2]> a = const()[name = string(\"a\"), val = tensor<int32, [2]>([3, 7])];\n"
        "        tensor<int32, [2]> s = add(x = a, y = tensor<int32, [2]>([1, -3]))[name = string(\"s\")];\n" +
            statement("fp16, [4, 4]", "reshape(x = x, shape = s)"));
    CHECK(rule_against(text).empty());
}

TEST_CASE("the indices of a top-k are int32 by default, and may be cast") {
    const std::string text = typed_program(
        "tensor<fp16, [1, 8]> x",
        "        tensor<fp16, [1, 2]> v, tensor<int32, [1, 2]> i = topk(x = x, k = int32(2), axis = int32(-1), ascending = "
        "bool(false), sort = bool(true), return_indices = bool(true), output_indices_dtype = "
        "string(\"int32\"))[name = string(\"v\")];\n" +
            statement("fp16, [1, 2]", "cast(x = i, dtype = string(\"fp16\"))"),
        "v, y");
    CHECK(rule_against(text, h17s).empty());
    std::string as_port = text;
    as_port.replace(as_port.find("(v, y)"), 6, "(v, i)");
    CHECK(rule_against(as_port, h17s) == "port_is_an_integer");
}

TEST_CASE("constants of integers are no weights and no second operands") {
    const std::string list = "([[1, 2], [3, 4]])";
    const auto product = [&](const std::string& type) {
        return typed_program("tensor<fp16, [1, 2]> x",
                             statement("fp16, [1, 2]", "matmul(x = x, y = tensor<" + type + ", [2, 2]>" + list +
                                                           ", transpose_x = bool(false), transpose_y = bool(true))"));
    };
    CHECK(rule_against(product("fp16")).empty());
    CHECK(rule_against(product("int8")) == "weight_is_an_integer");
    CHECK(rule_against(product("int32")) == "weight_is_an_integer");
    CHECK(rule_against(product("fp32")).empty()); // "fp32 constants down-cast" (guide chapter 4)
    const auto sum = [&](const std::string& second) {
        return typed_program("tensor<fp16, [1, 2]> x", statement("fp16, [1, 2]", "add(x = x, y = " + second + ")"));
    };
    CHECK(rule_against(sum("fp16(0x1p+0)")).empty());
    CHECK(rule_against(sum("int32(1)")) == "operands_of_two_types");
    // Numbers without a type are a matter of the file's form.
    CHECK(rule_against(sum("1")).empty());
    // Beside codes of a quantized tensor a product of fp16 has no type that fits.
    CHECK(rule_against(typed_program("tensor<int8, [1, 2]> x, tensor<fp16, [2, 2]> w",
                                     statement("fp16, [1, 2]", "matmul(x = x, y = w, transpose_x = bool(false), "
                                                               "transpose_y = bool(false))"))) ==
          "arithmetic_in_bytes");
}

TEST_CASE("arithmetic gives the type that it reads, and bf16 and fp64 are none") {
    const auto relu = [](const std::string& type) {
        return typed_program("tensor<fp16, [1, 8]> x",
                             statement(type + ", [1, 8]", "relu(x = x)", "a") +
                                 statement("fp16, [1, 8]", "cast(x = a, dtype = string(\"fp16\"))"));
    };
    CHECK(rule_against(relu("fp32")) == "result_of_another_type");
    CHECK(rule_against(relu("bf16")) == "value_is_a_stored_type");
    CHECK(rule_against(relu("fp64")) == "value_is_a_stored_type");
    CHECK(rule_against(relu("fp16")).empty());
}

TEST_CASE("integers between quantize and dequantize are what the engine has") {
    const std::string pair = statement("int8, [1, 8]",
                                       "quantize(input = x, scale = fp16(0x1p-3), output_dtype = "
                                       "string(\"int8\"))",
                                       "q") +
                             statement("fp16, [1, 8]", "dequantize(input = q, scale = fp16(0x1p-3))");
    CHECK(rule_against(typed_program("tensor<fp16, [1, 8]> x", pair), h16g).empty());
}

TEST_CASE("the page lists every rule on types, with its mark") {
    std::ifstream file(std::string(ANEMONE_TEST_DATA) + "/../docs/reading.md");
    std::stringstream text;
    text << file.rdbuf();
    for (const readers::type_rule& r : readers::type_rules) {
        CAPTURE(r.name);
        const std::string row = "| `" + std::string(r.name) + "` | ";
        const std::size_t at = text.str().find(row);
        REQUIRE(at != std::string::npos);
        const std::string line = text.str().substr(at, text.str().find('\n', at) - at);
        CHECK(line.find(r.fact) != std::string::npos);
        CHECK(line.find(std::string(name(r.evidence))) != std::string::npos);
    }
}
