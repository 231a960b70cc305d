/// Runs the kernels of the oracle, and those of the CPU backend that promise bits, on data of an integer generator, and
/// prints a digest of each: run.py compares them between compilers, flags and machines. No library but the standard
/// one.
#include <anemone/backend/cpu/kernels/levels.hpp>
#include <anemone/backend/kernels/grid_sample.hpp>
#include <anemone/backend/kernels/resize.hpp>
#include <anemone/backend/kernels/response_norm.hpp>
#include <anemone/catalogue/engine_path.hpp>
#include <anemone/numerics/kernels.hpp>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace ane;
using namespace ane::numerics;
using halves = std::vector<half>;

/// splitmix64: the same everywhere, unlike the distributions of the standard library.
struct generator {
    std::uint64_t state;

    std::uint64_t operator()() {
        state += 0x9E3779B97F4A7C15U;
        std::uint64_t z = state;
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31U);
    }
    std::int64_t below(std::int64_t limit) {
        return static_cast<std::int64_t>((*this)() % static_cast<std::uint64_t>(limit));
    }
};

/// Random significands and signs, exponents in [low, high] (biased: 15 is 1.0 to 2.0).
halves random_halves(std::int64_t count, int low, int high, generator& random) {
    halves result(static_cast<std::size_t>(count));
    for (half& v : result) {
        const auto exponent = static_cast<std::uint64_t>(low + random.below(high - low + 1));
        v.bits = static_cast<std::uint16_t>((random() & 0x83FFU) | exponent << 10U);
    }
    return result;
}

/// FNV-1a over bytes, the low one of each pattern first.
struct digest {
    std::uint64_t state = 0xCBF29CE484222325U;

    void add(std::uint16_t bits) {
        for (const unsigned byte : {bits & 0xFFU, static_cast<unsigned>(bits >> 8U)}) {
            state = (state ^ byte) * 0x100000001B3U;
        }
    }
    void add(const halves& values) {
        for (const half v : values) {
            add(v.bits);
        }
    }
};

void print(const std::string& name, const digest& d) { std::printf("%-32s %016" PRIx64 "\n", name.c_str(), d.state); }

/// The same for every instruction set of this machine, or it says so.
template <class Compute> void print_levels(const std::string& name, const Compute& compute) {
    digest first;
    for (const isa_level level : available_levels()) {
        digest d;
        compute(level, d);
        if (level == isa_level::generic) {
            first = d;
            print(name, d);
        } else if (d.state != first.state) {
            print(name + " differs at " + std::string(ane::name(level)), d);
        }
    }
}

void matrix_products(const std::string& generation, const datapath& path) {
    struct ranges {
        const char* name;
        int low;
        int high;
    };
    // The second reaches the ceiling often, the third holds subnormals, infinities and NaN.
    for (const ranges& r : {ranges{"small", 8, 15}, ranges{"wide", 0, 24}, ranges{"any", 0, 31}}) {
        print_levels(generation + " matmul " + r.name, [&](isa_level level, digest& d) {
            generator random{7};
            for (const std::int64_t k : {1, 40, 600}) {
                const numerics::matmul_shape s{.batch = 1, .m = 11, .n = 37, .k = k, .transpose_b = true};
                const halves a = random_halves(s.m * k, r.low, r.high, random);
                const halves b = random_halves(s.n * k, r.low, r.high, random);
                const halves bias = random_halves(s.n, r.low, r.high, random);
                halves out(static_cast<std::size_t>(s.m * s.n));
                matmul(path, s, a.data(), b.data(), bias.data(), out.data(), {contraction_kernels_for(level)});
                d.add(out);
            }
        });
    }
}

void convolutions(const std::string& generation, const datapath& path) {
    print_levels(generation + " convolution", [&](isa_level level, digest& d) {
        generator random{8};
        for (int round = 0; round < 40; ++round) {
            numerics::convolution_shape s;
            s.groups = 1 + random.below(3);
            s.in_channels = s.groups * (1 + random.below(4));
            s.out_channels = s.groups * (1 + random.below(9));
            s.in_height = s.in_width = 3 + random.below(6);
            s.kernel_height = s.kernel_width = 1 + random.below(3);
            s.stride_height = s.stride_width = 1 + random.below(2);
            s.dilation_height = s.dilation_width = 1 + random.below(2);
            s.pad_top = s.pad_left = random.below(2);
            s.out_height = s.out_width = 3 + random.below(5);
            const halves x = random_halves(s.in_channels * s.in_height * s.in_width, 6, 18, random);
            const halves w =
                random_halves(s.out_channels * s.in_channels * s.kernel_height * s.kernel_width, 6, 18, random);
            halves out(static_cast<std::size_t>(s.out_channels * s.out_height * s.out_width));
            const execution kernels{contraction_kernels_for(level), 2};
            convolution(path, s, x.data(), w.data(), nullptr, out.data(), kernels);
            d.add(out);
            transposed_convolution(path, s, x.data(), w.data(), nullptr, out.data(), kernels);
            d.add(out);
        }
    });
}

void reductions(const std::string& generation, const datapath& path) {
    generator random{9};
    const halves x = random_halves(5 * 1031, 0, 28, random);
    const halves small = random_halves(5 * 1031, 8, 17, random);
    for (const op kind : {op::reduce_sum, op::reduce_mean, op::reduce_max, op::reduce_min}) {
        digest d;
        for (std::int64_t i = 0; i < 5; ++i) {
            d.add(reduce(path, kind, x.data() + i, 1031, 5).bits);
            d.add(reduce(path, kind, small.data() + i * 1031, 1031, 1).bits);
        }
        print(generation + " " + std::string(name(kind)), d);
    }
    digest d;
    halves out(x.size());
    softmax(path, small.data(), out.data(), 1031, 5);
    softmax(path, small.data() + 1, out.data() + 1, 1031, 5);
    d.add(out);
    print(generation + " softmax", d);
    digest pools;
    const numerics::pool_shape s{.batch = 1,
                                 .channels = 5,
                                 .in_height = 17,
                                 .in_width = 19,
                                 .out_height = 9,
                                 .out_width = 10,
                                 .kernel_height = 3,
                                 .kernel_width = 3,
                                 .stride_height = 2,
                                 .stride_width = 2,
                                 .pad_top = 1,
                                 .pad_left = 1};
    out.resize(5 * 9 * 10);
    for (const op kind : {op::max_pool, op::avg_pool, op::l2_pool}) {
        numerics::pool(path, kind, s, small.data(), out.data());
        pools.add(out);
    }
    print(generation + " pools", pools);
}

void elementwise(const std::string& generation, const datapath& path) {
    generator random{10};
    const halves a = random_halves(20000, 0, 31, random);
    const halves b = random_halves(20000, 0, 31, random);
    for (const op kind : {op::add, op::sub, op::mul, op::div, op::minimum, op::maximum}) {
        digest d;
        for (std::size_t i = 0; i < a.size(); ++i) {
            d.add(binary(path, kind, a[i], b[i]).bits);
        }
        print(generation + " " + std::string(name(kind)), d);
    }
    digest gains;
    for (std::size_t i = 0; i + 1 < a.size(); ++i) {
        gains.add(scale_offset(path, a[i], b[i], a[i + 1]).bits);
    }
    print(generation + " scale_offset", gains);
    for (std::size_t i = 0; i < op_count; ++i) {
        const auto kind = static_cast<op>(i);
        if (!is_unary(kind) || !has_engine_path(kind)) {
            continue;
        }
        digest d;
        for (std::uint32_t bits = 0; bits < 0x10000; bits += 3) {
            d.add(unary(path, kind, half::from_bits(static_cast<std::uint16_t>(bits)), 0.3F, 1.7F).bits);
        }
        print(generation + " " + std::string(name(kind)), d);
    }
}

/// Kernels that compute places in double, where a fused product could tell, and one of chained steps.
void samplers(const std::string& generation, const datapath& path) {
    generator random{12};
    const kernels::engine_arithmetic a{path};
    const extents image{3, 2, 7, 9};
    const halves x = random_halves(image.count(), 5, 20, random);
    digest d;
    for (const sampling_grid grid :
         {sampling_grid::half_pixel, sampling_grid::align_corners, sampling_grid::asymmetric}) {
        const sampling s{.extent = {5, 11}, .grid = grid, .border = sampling_border::reflect};
        halves out(std::size_t{3} * 2 * 5 * 11);
        const halves boxes = random_halves(3 * 4, 10, 18, random);
        kernels::crop_resize(a, s, x.data(), image, boxes.data(), 3, out.data());
        d.add(out);
        const halves maps = random_halves(3 * 6, 9, 15, random);
        kernels::affine(a, s, x.data(), image, maps.data(), 3, out.data());
        d.add(out);
    }
    print(generation + " samplers", d);
    digest norms;
    halves out(x.size());
    kernels::local_response_norm(a, {.size = 2, .alpha = 0.3F, .beta = 0.7F, .k = 1.1F}, x.data(), image, out.data());
    norms.add(out);
    print(generation + " local_response_norm", norms);
}

/// All else would take compilers minutes.
constexpr op_set functions = op_set::where([](op o) { return is_unary(o) || is_binary(o); });

/// The CPU backend: every kernel but the contractions gives the same bits everywhere, save which NaN comes out.
void cpu_backend() {
    generator random{11};
    const halves a = random_halves(4000, 1, 30, random);
    const halves b = random_halves(4000, 1, 30, random);
    const auto count = static_cast<std::int64_t>(a.size());
    const auto run = [&](const std::string& name, const auto& compute) {
        print_levels("cpu " + name, [&](isa_level level, digest& d) {
            const cpu::kernel_table& table = cpu::detail::kernels_of<functions>(level);
            std::vector<float> x(a.size());
            std::vector<float> y(a.size());
            table.to_float(a.data(), x.data(), count);
            table.to_float(b.data(), y.data(), count);
            compute(table, x, y);
            halves out(a.size());
            table.to_half(x.data(), out.data(), count);
            for (const half v : out) {
                d.add(is_nan(v) ? std::uint16_t{0x7E00} : v.bits);
            }
        });
    };
    for (std::size_t i = 0; i < op_count; ++i) {
        const auto kind = static_cast<op>(i);
        if (is_unary(kind)) {
            run(std::string(name(kind)), [&](const cpu::kernel_table& t, std::vector<float>& x, std::vector<float>&) {
                t.unary(kind, x.data(), x.data(), count, 0.3F, 1.7F);
            });
        }
    }
    for (const op kind : {op::add, op::sub, op::mul, op::div, op::minimum, op::maximum}) {
        run(std::string(name(kind)), [&](const cpu::kernel_table& t, std::vector<float>& x, std::vector<float>& y) {
            t.binary(kind, x.data(), 1, y.data(), 1, x.data(), count);
        });
    }
    run("sums", [&](const cpu::kernel_table& t, std::vector<float>& x, std::vector<float>& y) {
        x[0] = t.sum(y.data(), count) * 0x1p-12F;
        x[1] = t.squared_deviation(y.data(), 1000, 0.1F) * 0x1p-30F;
    });
}

} // namespace

int main() {
    for (const auto& [name, f] : {std::pair{"a13", family::a13}, {"a14", family::a14}, {"a18", family::a18}}) {
        const datapath path = datapath_of(f);
        matrix_products(name, path);
        convolutions(name, path);
        reductions(name, path);
        elementwise(name, path);
        samplers(name, path);
    }
    cpu_backend();
}
