// Kernels that share rows, lines and planes among threads, against one thread, at every level.

#include "fixtures.hpp"
#include <anemone/backend/cpu/kernels/elementwise.hpp>
#include <anemone/backend/cpu/kernels/norm.hpp>
#include <anemone/backend/cpu/kernels/pool.hpp>
#include <anemone/backend/cpu/kernels/reduce.hpp>
#include <anemone/backend/cpu/kernels/softmax.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

using namespace ane;

namespace {

/// Runs the parts in the calling thread, the last first.
class counted_parts : public executor {
public:
    int width() const noexcept override { return 3; }
    void run(int count, void (*part)(const void*, int), const void* context) override {
        parts += count;
        while (count-- > 0) {
            part(context, count);
        }
    }
    int parts = 0;
};

/// A workers of three with exactly the memory that a kernel asks for, full of NaN.
struct crew_of_three {
    explicit crew_of_three(const cpu::scratch_sizes& needed)
        : each(needed.each), memory(static_cast<std::size_t>(needed.shared + 3 * needed.each) + 1, std::byte{0xFF}) {
        workers = {.pool = &pool,
                   .width = 3,
                   .shared = memory.data(),
                   .own = memory.data() + needed.shared,
                   .each = needed.each};
    }
    crew_of_three(const crew_of_three&) = delete;
    crew_of_three& operator=(const crew_of_three&) = delete;

    counted_parts pool;
    std::int64_t each;
    std::vector<std::byte> memory;
    cpu::worker_threads workers;
};

/// compute(out, workers) alone and by three.
template <class Compute>
void check_crew(const char* what, std::int64_t results, const cpu::scratch_sizes& needed, const Compute& compute) {
    CAPTURE(what);
    crew_of_three three(needed);
    std::vector<half> alone(static_cast<std::size_t>(results));
    std::vector<half> together(static_cast<std::size_t>(results), fixtures::infinity);
    compute(alone.data(), cpu::worker_threads{});
    compute(together.data(), three.workers);
    CHECK(fixtures::same_bits(alone, together));
    CHECK(three.pool.parts == 3);
}

} // namespace

TEST_CASE("rows, lines and planes in three threads: the bits of one, in the memory that was asked for") {
    fixtures::at_each_level([](const cpu::kernel_table& table) {
        for (const extents& shape : {extents{3, 50, 1001}, extents{3, 1001, 53}, extents{150, 33, 31}}) {
            const std::int64_t count = shape.count();
            const std::vector<half> x = fixtures::random_halves(count);
            const std::vector<half> y = fixtures::random_halves(shape[1] * shape[2]);
            check_crew("unary", count, {}, [&](half* out, const cpu::worker_threads& workers) {
                cpu::unary(table, op::gelu, x.data(), out, count, 0, 0, workers);
            });
            check_crew("binary", count, {}, [&](half* out, const cpu::worker_threads& workers) {
                cpu::binary(table, op::add, x.data(), shape, y.data(), {shape[1], shape[2]}, out, workers);
            });
            for (int axis = 0; axis < 3; ++axis) {
                CAPTURE(axis);
                const cpu::scratch_sizes needed = cpu::detail::scratch_of_norm(cpu::detail::view_of_axis(shape, axis));
                check_crew("softmax", count, needed, [&](half* out, const cpu::worker_threads& workers) {
                    cpu::softmax(table, x.data(), shape, axis, out, workers);
                });
                check_crew("layer_norm", count, needed, [&](half* out, const cpu::worker_threads& workers) {
                    cpu::layer_norm(table, x.data(), shape, axis, y.data(), x.data(), 1e-5F, out, workers);
                });
            }
            for (const cpu::axis_set reduced : {1U, 2U, 4U, 3U, 5U, 6U}) {
                CAPTURE(reduced);
                const cpu::detail::reduction_walk walk(shape, reduced);
                const cpu::scratch_sizes needed = cpu::detail::scratch_of_reduction(op::reduce_log_sum_exp, walk);
                crew_of_three three(needed);
                std::vector<half> alone(static_cast<std::size_t>(walk.kept));
                std::vector<half> together(alone.size(), fixtures::infinity);
                cpu::reduce(table, op::reduce_log_sum_exp, x.data(), shape, reduced, alone.data());
                cpu::reduce(table, op::reduce_log_sum_exp, x.data(), shape, reduced, together.data(), three.workers);
                CHECK(fixtures::same_bits(alone, together));
            }
        }
    });
}

TEST_CASE("poolings in three threads; a maximum along rows first is the maximum") {
    fixtures::at_each_level([](const cpu::kernel_table& table) {
        for (const std::int64_t kernel : {2, 3, 7}) {
            const cpu::pool_shape s{.batch = 2,
                                    .channels = 27,
                                    .in_height = 40,
                                    .in_width = 37,
                                    .out_height = (40 + kernel / 2 * 2 - kernel) / 2 + 1,
                                    .out_width = (37 + kernel / 2 * 2 - kernel) / 2 + 1,
                                    .kernel_height = kernel,
                                    .kernel_width = kernel,
                                    .stride_height = 2,
                                    .stride_width = 2,
                                    .pad_top = kernel / 2,
                                    .pad_left = kernel / 2};
            const std::vector<half> x = fixtures::random_halves(s.batch * s.channels * s.in_height * s.in_width);
            const std::int64_t results = s.batch * s.channels * s.out_height * s.out_width;
            for (const op kind : {op::max_pool, op::avg_pool, op::l2_pool}) {
                CAPTURE(name(kind));
                const cpu::pool_plan plan = cpu::plan_pool(kind, s);
                CHECK(plan.across.empty() == (kind != op::max_pool || kernel < 5));
                check_crew("pool", results, plan.scratch(), [&](half* out, const cpu::worker_threads& workers) {
                    cpu::pool(table, plan, x.data(), out, workers);
                });
            }
        }
    });
}

TEST_CASE("the first extreme of a row among equals, both zeros, infinities and NaN, along either axis") {
    const half zero{};
    const half minus_zero = half::from_bits(0x8000);
    const half one(1.0);
    const half inf = fixtures::infinity;
    const half nan = fixtures::not_a_number;
    struct example {
        std::vector<half> row;
        std::int64_t most;
        std::int64_t least;
    };
    const example examples[] = {{{minus_zero, zero, minus_zero}, 0, 0},
                                {{zero, one, one, minus_zero}, 1, 0},
                                {{one, -inf, inf, inf, -inf}, 2, 1},
                                {{one, nan, inf, nan, -inf}, 1, 1},
                                {{-inf, -inf}, 0, 0},
                                {{-one, half(-1.5), half(-0.5)}, 2, 1}};
    for (const example& e : examples) {
        const auto count = static_cast<std::int64_t>(e.row.size());
        std::int32_t place = -1;
        cpu::arg_reduce(op::arg_max, e.row.data(), {1, count}, 1, &place);
        CHECK(place == e.most);
        cpu::arg_reduce(op::arg_min, e.row.data(), {count, 1}, 0, &place);
        CHECK(place == e.least);
    }
}
