// Writes models as C++ for tests/python/model_headers.py, and beside each header what the model has to be (model_text.hpp):
// every operation in one graph, with names of all kinds, and small models of other traits.

#include "../catalogue/recipe.hpp"
#include "into_folder.hpp"
#include "model_text.hpp"
#include <anemone/build.hpp>
#include <anemone/formats/cpp.hpp>
#include <anemone/io/file.hpp>
#include <anemone/ops/ops.hpp>
#include <anemone/weights/promises.hpp>
#include <anemone/weights/random.hpp>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

using namespace ane;

namespace {

/// Names that a file may have for a layer.
constexpr std::string_view names[] = {"",
                                      "/stem/Conv",
                                      "/stem/Conv",
                                      "int",
                                      "relu",
                                      "stats",
                                      "g",
                                      "model",
                                      "1st",
                                      "__reserved",
                                      "say \"hello\"\\",
                                      "\x1b[31mred\n#error\t",
                                      "*/ ?\?/",
                                      "\xe5\xb1\xa4",
                                      "\xff\xfe",
                                      "NULL",
                                      "Conv_2",
                                      "Conv"};

/// A network of convolutions, of which some weights are compressed.
void classifier(builder& g) {
    const auto x = g.input("image", u8<1, 3, 16, 16>);
    auto h = mul(to_f16(x), 1.0 / 255);
    const auto stem = g.weight("stem.weight", f16<8, 3, 3, 3>, bounded(2));
    const auto bias = g.weight("stem.bias", f16<8>);
    const auto a = g.layer("stem", relu(conv2d<conv{.padding = same}>(h, compressed<palette<4>>(stem), bias)));
    const auto block = g.weight("block.weight", f16<8, 8, 3, 3>);
    const auto b = a + conv2d<conv{.padding = 1}>(a, compressed<affine_int8>(block));
    const auto c = max_pool<pool{.kernel = 2}>(leaky_relu(b, 0.1));
    const auto dense = g.weight("head.weight", f16<10, 512>);
    const auto shift = g.constant(f16<10>, {0.1F, -0.2F, 0.3F, 0, 65504, -0.0F, 1e-7F, 1.0F / 3, 2, 3});
    g.output("probabilities", softmax(minimum(linear(flatten(c), compressed<sparse>(dense)) + shift, 8.0)));
}

/// A layer of an encoder, with a constant that is large enough to become a weight.
void encoder(builder& g) {
    const auto x = g.input("tokens", f16<1, 6, 16>, within(-4, 4));
    const auto s = g.scope("layers", 0);
    const auto q = linear(x, s.weight("q", f16<16, 16>));
    const auto k = linear(x, s.weight("k", f16<16, 16>));
    const auto v = linear(x, s.weight("v", f16<16, 16>));
    float positions[96];
    for (int i = 0; i < 96; ++i) {
        positions[i] = static_cast<float>(i) / 64;
    }
    const auto a = s.layer("attention", attention(q, k, v, g.constant(f16<6, 6>, -0.5))) + x;
    const auto n =
        layer_norm(a + g.constant(f16<6, 16>, positions), s.weight("gamma", f16<16>), s.weight("beta", f16<16>));
    const auto [best, places] = top_k<2>(gelu(n));
    g.output("largest", best);
    g.output("places", places);
    g.output("hidden", s.layer("hidden", n));
}

/// A state, and a port of signed bytes.
void sums(builder& g) {
    const auto total = g.state("total", f16<1, 4>);
    const auto x = g.input("x", i8<1, 4>);
    const auto next = g.layer("sum", read(total) + dequantize(x, g.constant(f16<>, 0.25)));
    g.output("twice", next * g.weight("two", f16<1, 4>));
    write(total, next);
}

/// Up to `wanted` nodes of an operation, each on operands of its own.
int add_operation(dynamic_builder& g, op kind, int wanted, int& ports) {
    catalogue::recipe_maker maker(kind, 7);
    int made = 0;
    for (int i = 0; i < 60'000 && made < wanted; ++i) {
        const catalogue::recipe r = maker.draw(i % 4 == 3);
        try {
            const dynamic_graph one = catalogue::graph_of(r, {});
            if (kind != op::pad) { // below it gets a number, which the typed function takes
                (void)emit_cpp(one, random_weights(one, 1));
            }
        } catch (const error&) {
            continue;
        }
        std::vector<dynamic_tensor> operands;
        for (const catalogue::operand_recipe& o : r.operands) {
            const std::string name = "x" + std::to_string(ports++);
            const dtype type = o.type == dtype::boolean ? dtype::f16 : o.type;
            if (kind == op::pad && operands.size() == 1) { // what the typed function takes
                operands.push_back(g.constant(-0.5));
                continue;
            }
            operands.push_back(o.is_weight ? g.weight(name + ".weight", o.shape)
                                           : g.input(name, o.shape, made == 1 ? within(-2, 2) : contract{}, type));
            if (o.type == dtype::boolean) {
                operands.back() = g.add(op::greater, {operands.back(), g.constant(0.0)});
            }
        }
        dynamic_tensor y = r.result ? g.add(kind, operands, r.values, *r.result) : g.add(kind, operands, r.values);
        g.layer(std::string(names[static_cast<std::size_t>(ports) % std::size(names)]), y);
        if (y.type() == dtype::int8) {
            y = g.add(op::dequantize, {y, g.constant({1}, 1)}, quantization{});
        } else if (y.type() != dtype::f16) {
            y = g.add(op::cast, {y});
        }
        y = made == 1 ? g.cut(g.on_host(g.add(op::identity, {y}))) : y;
        g.output("y" + std::to_string(ports++), y);
        ++made;
    }
    return made;
}

void write(const std::filesystem::path& to, const std::string& name, const graph_view& g, const weight_store& weights) {
    cpp_options options;
    options.name = name;
    options.source = name + "\n#error a name of a file";
    options.weights_file = (to / (name + ".safetensors")).string();
    write_cpp(emit_cpp(g, weights, options), (to / (name + ".hpp")).string(), options.weights_file);
    dynamic_graph promised = prune(g); // a copy
    (void)promise_statistics(promised, weights);
    write_file((to / (name + ".txt")).string(), model_texts::text_of(promised, weights));
}

void write_all(const std::filesystem::path& to) {
    dynamic_builder g;
    int ports = 0;
    for (std::size_t i = 0; i < op_count; ++i) {
        const op kind = static_cast<op>(i);
        if (!is_source(kind) && add_operation(g, kind, 2, ports) == 0) {
            throw std::runtime_error("no node of " + std::string(name(kind)) + " was found");
        }
    }
    const dynamic_graph every = g.finish();
    write(to, "every_operation", every, random_weights(every, 3));

    const dynamic_graph images = build_graph(classifier);
    write(to, "images", images, random_weights(images, 4));
    const dynamic_graph words = build_graph(encoder);
    write(to, "words", words, random_weights(words, 5));
    const dynamic_graph states = build_graph(sums);
    write(to, "states", states, random_weights(states, 6));
}

} // namespace

int main(int count, char** arguments) { return into_folder(count, arguments, write_all); }
