// What a program keeps of its weights.

#include "../random_graphs.hpp"
#include <anemone/backend/cpu/cpu.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

using namespace composing;

namespace {

/// The elements from which on products read codes: more than caches keep between two runs.
constexpr extents streamed{4096, 1024};
constexpr auto streamed_count = static_cast<std::size_t>(4096 * 1024);

bool reads_codes() { return best_level() == isa_level::avx2 || best_level() == isa_level::avx512; }

/// x w^T, with the weight as it is, or in a form.
dynamic_graph product(const extents& weight, std::int64_t rows, const compression* form = nullptr) {
    composer c;
    const int x = c.input({rows, weight[1]});
    const int plain = c.weight(weight);
    c.output(c.add(op::linear, {x, form == nullptr ? plain : c.add(op::compressed, *form, {plain})}));
    return c.finish();
}

weight_store store_of(const extents& shape, const std::vector<half>& values) {
    weight_store store;
    store.add("weight.1", shape, std::span<const half>(values));
    return store;
}

/// As a file of ggml has them: 32 elements are codes from -127 to 127 times a scale (Q8_0).
std::vector<half> ggml_values(std::size_t count) {
    std::vector<half> values(count);
    std::uint32_t state = 12345;
    double scale = 0;
    for (std::size_t i = 0; i < count; ++i) {
        state = state * 1664525U + 1013904223U;
        const int code = i % 32 == 5 ? 127 : static_cast<int>(state >> 8U) % 255 - 127;
        scale = i % 32 == 0 ? static_cast<double>(half(0.0001 * (1 + static_cast<int>(i % 9)))) : scale;
        values[i] = half(code == 0 ? 0.0 : code * scale);
    }
    return values;
}

std::vector<std::byte> result_of(backend::cpu_program& program, const graph_view& g) {
    random_engine random(7);
    const port_memory inputs = random_inputs(g, random, false);
    port_memory outputs = memory_of_outputs(g);
    program.run(inputs.inputs(), outputs.outputs());
    return outputs.bytes[0];
}

} // namespace

TEST_CASE("cpu: weights of codes and scales stay bytes in a program, for prompts and for tokens, and change no bit") {
    const std::vector<half> values = ggml_values(streamed_count);
    std::vector<half> changed = values;
    changed[3] = half(1.2345); // no code of its block: all of it stays fp16
    const weight_store coded = store_of(streamed, values);
    for (const std::int64_t rows : {1, 9}) {
        CAPTURE(rows);
        const dynamic_graph g = product(streamed, rows);
        backend::cpu_program program = backend::cpu{}.compile(g, coded);
        CHECK(program.weight_bytes() ==
              (reads_codes() ? streamed_count + streamed_count / 32 * 2 : 2 * streamed_count));
        CHECK(backend::cpu{}.compile(g, store_of(streamed, changed)).weight_bytes() == 2 * streamed_count);
        // Each half of the columns for itself is small enough to stay fp16.
        const std::vector<std::byte> whole = result_of(program, g);
        for (std::size_t half_of = 0; half_of < 2; ++half_of) {
            const extents size{streamed[0] / 2, streamed[1]};
            const auto first = values.begin() + static_cast<std::ptrdiff_t>(half_of * streamed_count / 2);
            const std::vector<half> part(first, first + static_cast<std::ptrdiff_t>(streamed_count / 2));
            const dynamic_graph smaller = product(size, rows);
            backend::cpu_program apart = backend::cpu{}.compile(smaller, store_of(size, part));
            CHECK(apart.weight_bytes() == streamed_count);
            const std::vector<std::byte> of_part = result_of(apart, smaller);
            const auto width = static_cast<std::size_t>(size[0]) * sizeof(half);
            for (std::size_t row = 0; row < static_cast<std::size_t>(rows); ++row) {
                CHECK(std::equal(of_part.begin() + static_cast<std::ptrdiff_t>(row * width),
                                 of_part.begin() + static_cast<std::ptrdiff_t>((row + 1) * width),
                                 whole.begin() + static_cast<std::ptrdiff_t>((2 * row + half_of) * width)));
            }
        }
    }
}

TEST_CASE("cpu: compressed weights in blocks and by channel stay bytes") {
    const std::vector<half> values = ggml_values(streamed_count);
    for (const compression& form : {compression{.form = weight_form::blockwise, .bits = 8, .block = 64},
                                    compression{.form = weight_form::affine, .bits = 8}}) {
        const std::size_t scales = streamed_count / static_cast<std::size_t>(form.block > 0 ? form.block : streamed[1]);
        CHECK(backend::cpu{}.compile(product(streamed, 1, &form), store_of(streamed, values)).weight_bytes() ==
              (reads_codes() ? streamed_count + 2 * scales : 2 * streamed_count));
    }
}

TEST_CASE("cpu: of constants only those are kept that runs read") {
    composer c;
    const int x = c.input({1, 64});
    const int weight = c.weight({32, 64}); // packed for the product, and an operand as it is
    c.output(c.add(op::linear, {x, weight}));
    c.output(c.add(op::mul, {x, weight}));
    c.output(c.add(op::mul, {c.input({8}), c.add(op::add, {c.weight({8}), c.weight({8})})})); // one of two
    const dynamic_graph g = c.finish();
    random_engine random(3);
    const weight_store weights = random_weights(g, random);
    backend::cpu_program program = backend::cpu{}.compile(g, weights);
    CHECK(program.weight_bytes() == 2 * 32 * 64 * sizeof(half) + 8 * sizeof(half));
    const port_memory inputs = random_inputs(g, random, false);
    port_memory outputs = memory_of_outputs(g);
    program.run(inputs.inputs(), outputs.outputs());
    port_memory again = memory_of_outputs(g);
    program.run(inputs.inputs(), again.outputs());
    CHECK(outputs.bytes == again.bytes);
}
