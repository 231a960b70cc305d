// The dialects that MIL text is met in (facts: mil-dialects), its ports, and what is refused, where and why.

#include "../sanitized.hpp"
#include "mil_support.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace reading;

namespace {

bool says(const std::vector<ane::read_fault>& faults, int line, const std::string& operation, const std::string& part) {
    return std::any_of(faults.begin(), faults.end(), [&](const ane::read_fault& f) {
        return f.line == line && f.operation == operation && f.reason.find(part) != std::string::npos;
    });
}

bool notes(const ane::read_model& m, const std::string& part) {
    return std::any_of(m.notes.begin(), m.notes.end(),
                       [&](const std::string& n) { return n.find(part) != std::string::npos; });
}

} // namespace

TEST_CASE("heads, opsets and attributes of other tools are taken") {
    const std::string body = "{ tensor<fp16, [2]> y = relu(x = x); } -> (y);";
    for (
        const std::string head :
        {"program(1)\n{ func main<CoreML8>(tensor<fp16, [2]> x) ",
         "program(1.0) { func main<ios15>(tensor<fp16,[2]> x) ",
         "\xEF\xBB\xBFprogram(1.2)\r\n[buildInfo = dict<tensor<string, []>, tensor<string, []>>({{\"a\", \"b;}\"}})]\r\n{ func f<ios17>(tensor<fp16, [2]> x) ",
         "// one\nprogram(1.3) /* two\n } */ [a = (1, {(\"k\", {1})})] { # three\n func main<ios18>(tensor<fp16, [2]> x) [hint = string(\"x\")] "}) {
        CAPTURE(head);
        CHECK(run(read(head + body + " }"), {{-1, 2}}) == std::vector<numbers>{{0, 2}});
    }
    CHECK(run(read("program(1.3) { func main<ios18>(tensor<fp16, [2]> x) " + body + " } // the end"), {{-1, 2}}) ==
          std::vector<numbers>{{0, 2}});
    CHECK(
        run(read(
                "program(1.3) { func main<ios18>(tensor<fp16, [2]> x) { tensor<fp16, [2]> y = relu<ios17>(x = x)[name = string(\"a \\\"b\\\"\"), "
                "other = dict<string, string>({{\"a\", \"b\"}})]; } -> (y)[a = 1]; }"),
            {{-1, 2}}) == std::vector<numbers>{{0, 2}});
}

TEST_CASE("constants are taken in every spelling") {
    for (const std::string value :
         {"tensor<fp16, [2]>([0x1.8p+1, -0x1p-24])", "tensor<fp16, [2]>((3.0, -5.9604645e-08))",
          "tensor<fp16, [2]>(3, -0x0.000001p0)", "tensor<fp16, [2]>([[30e-1], [-5.960464477539063e-8]])",
          "tensor<fp16, [2]>([fp16(3), tensor<fp16, []>(-0x1p-24)])", "tensor<fp16, [2]>([+3., -.000000059604645])"}) {
        for (const std::string& statement : {"const()[name = string(\"c\"), val = " + value + "]",
                                             "const()[val = " + value + ", name = tensor<string, []>(\"c\")]",
                                             "const(val = " + value + ")[name = \"c\"]"}) {
            CAPTURE(statement);
            const auto y =
                run(read(program_of("tensor<fp16, [2]> x", "tensor<fp16, [2]> c = " + statement +
                                                               ";\ntensor<fp16, [2]> y = add(x = x, y = c);")),
                    {{0, 0}});
            CHECK(y == std::vector<numbers>{{3, -0x1p-24}});
        }
    }
    for (const std::string axis :
         {"-1", "int32(-1)", "tensor<int32, []>(-1)", "tensor<int32, [1]>([-1])", "[-1]", "(-1)"}) {
        CHECK(run(read(program_of("tensor<fp16, [1, 2]> x",
                                  "tensor<fp16, [1, 2]> y = cumsum(x = x, axis = " + axis + ");")),
                  {{1, 2}}) == std::vector<numbers>{{1, 3}});
    }
    // A list of 100 kB, and a tensor of six axes.
    std::string list;
    for (int i = 0; i < 20'000; ++i) {
        list += (i == 0 ? "0x1p+0" : ", 1.0");
    }
    CHECK(run(read(program_of("tensor<fp16, [1]> x",
                              "tensor<fp16, [20000]> c = const()[val = tensor<fp16, [20000]>([" + list +
                                  "])];\nfp16 s = reduce_mean(x = c);\ntensor<fp16, [1]> y = add(x = x, y = s);")),
              {{1}}) == std::vector<numbers>{{2}});
    CHECK(
        run(read(program_of(
                "tensor<fp16, [1]> x",
                "tensor<fp16, [1, 1, 1, 1, 1, 1]> c = const()[val = tensor<fp16, [1, 1, 1, 1, 1, 1]>([[[[[[5]]]]]])];\n"
                "tensor<fp16, [1]> s = reshape(x = c, shape = [1]);\ntensor<fp16, [1]> y = add(x = x, y = s);")),
            {{1}}) == std::vector<numbers>{{6}});
}

TEST_CASE("numbers without a type take the declared one, and others must have it") {
    const auto y = run(
        read(program_of(
            "tensor<fp16, [2, 2]> x",
            "tensor<fp16, [2, 2]> c = const()[val = [[1, 2], [3, 4]]];\ntensor<fp16, [2, 2]> y = add(x = x, y = c);")),
        {{0, 0, 0, 0}});
    CHECK(y == std::vector<numbers>{{1, 2, 3, 4}});
    CHECK(says(faults_of(program_of("tensor<fp16, [1]> x",
                                    "fp16 c = const()[val = fp32(1)];\ntensor<fp16, [1]> y = add(x = x, y = c);")),
               4, "c (const)", "declared fp16, its value is fp32"));
    CHECK(says(faults_of(program_of("tensor<int32, [1]> x", "tensor<int32, [1]> y = real_div(x = x, y = int32(2));")),
               4, "y (real_div)", "floor_div"));
}

TEST_CASE("truth values are moved like numbers") {
    const auto y = run(
        read(program_of(
            "tensor<bool, [2]> b",
            "tensor<bool, [1, 2]> e = expand_dims(x = b, axes = [0]);\n"
            "tensor<bool, [2, 2]> c = concat(values = (e, e), axis = 0);\n"
            "tensor<bool, [2]> s = slice_by_index(x = c, begin = [1, 0], end = [2, 2], squeeze_mask = [true, false]);\n"
            "tensor<bool, [2]> t = logical_and(x = s, y = tensor<bool, [2]>([true, true]));\n"
            "tensor<bool, [2]> u = logical_or(x = t, y = tensor<bool, [2]>([false, false]));\n"
            "tensor<bool, [2]> v = logical_xor(x = u, y = tensor<bool, [2]>([true, true]));\n"
            "tensor<fp16, [2]> y = select(cond = v, a = fp16(5), b = fp16(7));")),
        {{1, 0}});
    CHECK(y == std::vector<numbers>{{7, 5}});
}

TEST_CASE("one of several functions is read by name") {
    const std::string text =
        "program(1.3) { func a<ios18>(tensor<fp16, [1]> x) { tensor<fp16, [1]> y = relu(x = x); } -> (y);\n"
        "func b<ios18>(tensor<fp16, [?]> x) { nothing of this parses } -> (y);\n"
        "func c<ios18>(tensor<fp16, [1]> x) { tensor<fp16, [1]> y = abs(x = x); } -> (y); }";
    CHECK(run(read(text, {}, {.function = "a"}), {{-3}}) == std::vector<numbers>{{0}});
    CHECK(run(read(text, {}, {.function = "c"}), {{-3}}) == std::vector<numbers>{{3}});
    CHECK(says(faults_of(text, {}, {.function = "b"}), 2, "x", "unknown dimension ?"));
    CHECK(says(faults_of(text), 1, "", "ask for one of a, b, c"));
    CHECK(says(faults_of(text, {}, {.function = "d"}), 1, "", "no function d"));
}

TEST_CASE("ports of types that the graph does not have become its own, and the notes say so") {
    const auto m = read(program_of(
        "tensor<fp32, [2]> x, tensor<int32, [2]> i, tensor<bool, [2]> b, tensor<uint8, [2]> u, tensor<int8, [2]> s, tensor<uint16, [2]> w",
        "tensor<fp16, [2]> h = cast(x = x, dtype = string(\"fp16\"));\n"
        "tensor<fp16, [2]> j = cast(x = i, dtype = string(\"fp16\"));\n"
        "tensor<fp16, [2]> v = cast(x = u, dtype = string(\"fp16\"));\n"
        "tensor<fp16, [2]> t = cast(x = s, dtype = string(\"fp16\"));\n"
        "tensor<fp16, [2]> g = gather(x = v, indices = w);\n"
        "tensor<fp16, [2]> hj = add(x = h, y = j);\ntensor<fp16, [2]> vt = add(x = g, y = t);\n"
        "tensor<fp16, [2]> z = select(cond = b, a = hj, b = vt);\n"
        "tensor<fp32, [2]> y = cast(x = z, dtype = string(\"fp32\"));\n"
        "tensor<bool, [2]> n = logical_not(x = b);",
        "y, n"));
    CHECK(run(m, {{1.5, 0}, {2, 0}, {1, 0}, {0, 200}, {0, -3}, {1, 1}}) == std::vector<numbers>{{3.5, 197}, {0, 1}});
    for (const char* part : {"input x is fp32", "input i is int32", "input b is bool", "input w is uint16",
                             "output y is fp32", "output n is bool"}) {
        CHECK(notes(m, part));
    }
}

TEST_CASE("ports keep their names as far as the graph has them") {
    const auto m = read(program_of("tensor<fp16, [1]> x, state<tensor<fp16, [1]>> cache",
                                   "tensor<fp16, [1]> old = read_state(input = cache);\n"
                                   "tensor<fp16, [1]> new = add(x = old, y = x);\n"
                                   "write_state(data = new, input = cache);\n"
                                   "tensor<fp16, [1]> now = coreml_update_state(state = cache, value = new);",
                                   "now, x"));
    CHECK(run(m, {{2}}) == std::vector<numbers>{{2}, {2}}); // the state is 0 before the first run
    const ane::graph_view g = m.graph;
    CHECK(g.name(g.outputs[0]) == "now");
    CHECK(g.name(g.outputs[1]) == "x_");
    CHECK(g.name(g.outputs[2]) == "cache_out");
    CHECK(g.name(g.outputs[2].state) == "cache");
    CHECK(notes(m, "state cache"));
    const auto same = read(program_of("tensor<fp16, [1]> x", "tensor<fp16, [1]> y = relu(x = x);", "y, y, y, y"));
    const ane::graph_view repeated = same.graph;
    const std::string_view names[] = {"y", "y_", "y_1", "y_2"};
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(repeated.name(repeated.outputs[i]) == names[i]);
    }
    const auto buffers = read(program_of("tensor_buffer<fp16, [1, 2], [4, 2]> x",
                                         "tensor<fp16, [1, 2]> a = tensor_buffer_to_tensor(input = x);\n"
                                         "tensor<fp16, [1, 2]> b = relu(x = a);\n"
                                         "tensor_buffer<fp16, [1, 2]> y = tensor_to_tensor_buffer(input = b);"));
    CHECK(run(buffers, {{-1, 3}}) == std::vector<numbers>{{0, 3}});
}

TEST_CASE("all that is wrong with a file is said in one pass, with its place") {
    const auto faults = faults_of(program_of(
        "tensor<fp16, [2]> x, tensor<fp16, [n, 2]> m",
        "tensor<fp16, [2]> a = frobnicate(x = x);\n"                            // line 4
        "tensor<fp16, [2]> b = relu(x = a);\n"                                  // follows from line 4
        "tensor<fp16, [3]> c = relu(x = x);\n"                                  // 6
        "tensor<fp16, [2]> d = relu(x = x, beta = fp16(1));\n"                  // 7
        "tensor<fp16, [2]> e = lstm(x = x);\n"                                  // 8
        "tensor<fp16, [2]> f = relu(x = x;\n"                                   // 9
        "tensor<fp16, [2]> g = add(x = x, y = later);\n"                        // 10
        "tensor<fp16, [2]> h = add(x = x, y = tensor<fp16, [3]>([1, 2, 3]));\n" // 11
        "tensor<fp16, [2]> h = relu(x = x);\n"                                  // 12
        "tensor<fp16, [2]> k = add(x = x, y = fp16(inf));\n"                    // 13
        "tensor<fp16, [?]> l = relu(x = x);\n"                                  // 14
        "tensor<fp16, [2]> o = cond(pred = x) { tensor<fp16, [2]> q = relu(x = x); } -> (q), { } -> (x);\n" // 15
        "tensor<fp16, [2]> p = reshape(x = x, shape = x);\n"                                                // 16
        "int32 r = add(x = int32(1), y = fp16(0.5));\n"                                                     // 17
        "tensor<fp16, [2]> s = add(x = x, y = int32(4097));",                                               // 18
        "y, b, f"));
    CHECK(says(faults, 3, "m", "unknown dimension n"));
    CHECK(says(faults, 4, "a (frobnicate)", "no operation"));
    CHECK(says(faults, 6, "c (relu)", "gives [2], declared is [3]"));
    CHECK(says(faults, 7, "d (relu)", "argument beta"));
    CHECK(says(faults, 8, "e (lstm)", "needs the argument weight_hh"));
    CHECK(says(faults, 9, "", "','"));
    CHECK(says(faults, 10, "g (add)", "later"));
    CHECK(says(faults, 11, "h (add)", "[3]"));
    CHECK(says(faults, 12, "h (relu)", "second time"));
    CHECK(says(faults, 13, "k (add)", "finite"));
    CHECK(says(faults, 15, "o (cond)", "branches"));
    CHECK(says(faults, 16, "p (reshape)", "must be a constant"));
    CHECK(says(faults, 17, "r (add)", "1.5 is no int32"));
    CHECK(says(faults, 18, "s (add)", "4097"));
    CHECK(says(faults, 19, "y", "no statement defines"));
    CHECK(faults.size() == 15);
    for (const ane::read_fault& f : faults) {
        CHECK(f.where == "model.mil");
        CHECK(f.column >= 1);
    }
}

TEST_CASE("text that is no MIL is refused at once") {
    for (const std::string text :
         {"", "\"", "\"r\xFC", "prog", "program", "program(1.3)", "program(1.3) {", "program(1.3) { }",
          "program(1.3) { func main<ios18>(", "program(1.3) { func main<ios18>() { } -> (); }", "program(1.3) [a = \"b",
          "program(1.3) { func main<ios18>() { fp16 a = "}) {
        CAPTURE(text);
        CHECK_THROWS_AS(read(text), ane::unreadable);
    }
    const std::string whole =
        program_of("tensor<fp16, [1]> x", "tensor<fp16, [1]> y = relu(x = x)[name = string(\"y\")];");
    for (std::size_t end = 0; end < whole.rfind('}'); end += sanitized ? 7 : 1) {
        CAPTURE(end);
        CHECK_THROWS_AS(read(whole.substr(0, end)), ane::unreadable);
        CHECK_THROWS_AS(read(whole.substr(0, end) + '"'), ane::unreadable);
    }
    const std::string open(sanitized ? 100'000 : 1'000'000, '(');
    CHECK(says(faults_of(program_of("tensor<fp16, [1]> x", "tensor<fp16, [1]> y = relu(x = " + open + ");")), 4, "",
               "deep"));
    CHECK(says(faults_of(program_of("tensor<fp16, [1]> x", "tensor<fp16, [1]> y = relu(x = " + std::string(200, '[') +
                                                               std::string(200, ']') + ");")),
               4, "", "deep"));
    std::string names;
    for (int i = 0; i < 70'000; ++i) {
        names += "x, ";
    }
    CHECK(says(faults_of(program_of("tensor<fp16, [1]> x",
                                    "tensor<fp16, [1]> y = concat(axis = 0, values = (" + names + "x));")),
               4, "", "65536"));
    CHECK(says(faults_of(program_of("tensor<fp16, [1]> x", "tensor<fp16, [1]> y = relu(x = x);", names + "y")), 5, "",
               "4096"));
    if (!sanitized) {
        std::string ones;
        for (int i = 0; i < 1 << 20; ++i) {
            ones += "1,";
        }
        CHECK(
            says(faults_of(program_of("tensor<fp16, [1]> x", "tensor<fp16, [1]> y = add(x = x, y = [" + ones + "1]);")),
                 4, "", "more than 1048576 numbers"));
    }
    std::string states;
    for (int i = 0; i < 300; ++i) {
        states += "state<";
    }
    CHECK(says(faults_of(program_of(states + "x", "")), 3, "", "deep"));
    CHECK(
        says(faults_of(program_of("tensor<fp16, [1000000, 1000000, 1000000]> x", "tensor<fp16, [1]> y = relu(x = x);")),
             3, "x", "more elements"));
}

TEST_CASE("a program of 2,000 operations is read") {
    std::string body;
    for (int i = 0; i < 2000; ++i) {
        const std::string n = std::to_string(i);
        body += "tensor<fp16, [1, 64]> t" + n + " = relu(x = " + (i == 0 ? "x" : "t" + std::to_string(i - 1)) +
                ")[name = string(\"t" + n + "\")];\n";
    }
    const std::string text = program_of("tensor<fp16, [1, 64]> x", body, "t1999");
    CHECK(read(text).graph.view().size() == 2001);
}

TEST_CASE("nodes say the file and the line of their statement") {
    const auto m = read(program_of("tensor<fp16, [1]> x", "\n\ntensor<fp16, [1]> y = relu(x = x);"));
    const ane::graph_view g = m.graph;
    CHECK(std::string(g[g.outputs[0].node].where.file) == "model.mil");
    CHECK(g[g.outputs[0].node].where.line == 6);
}

TEST_CASE("what a fault has of the text is fit to be shown") {
    const std::string tail = " (tensor<fp16, [1]> x) { tensor<fp16, [1]> y = relu(x = x); } -> (y); }";
    for (
        const std::string& text :
        {std::string("program(1.0) { func main<ios16)];\n} -> (y); }") + tail, // found by changes of the corpus
         std::string(
             "program(1.0) { func main<ios16>(tensor<fp16, [1]> x) { tensor<fp16, [1]> y = relu(x = \x7f); } -> (y); }"),
         std::string("program(1.0) { func main<ios16>(t\xffnsor<fp16l, [1]> x) { } -> (x); }")}) {
        CAPTURE(text);
        try {
            read(text);
            FAIL("the text is read");
        } catch (const ane::unreadable& e) {
            for (const ane::read_fault& f : e.faults()) {
                const std::string told = f.operation + f.reason;
                CHECK(std::all_of(told.begin(), told.end(), [](char c) { return c >= 0x20 && c < 0x7f; }));
            }
        }
    }
}
