#include "../../from_environment.hpp"
#include "../composer.hpp"
#include <anemone/backend/cpu/cpu.hpp>
#include <anemone/backend/program.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <vector>

using namespace composing;

namespace {

/// Random networks of images: convolutions, poolings, functions of elements and means, of which most can be NHWC.
class image_network {
public:
    explicit image_network(unsigned seed) : random_(seed) {}

    /// With `all_given`, every value is an output too, which makes all NCHW.
    dynamic_graph make(bool all_given) {
        std::vector<int> values{
            g_.input({1 + below(random_, 2), 1 + below(random_, 12), 5 + below(random_, 9), 5 + below(random_, 9)})};
        int last = convolution(values[0]);
        values.push_back(last);
        for (int i = 3 + below(random_, 8); i > 0; --i) {
            last = step(below(random_, 5) == 0 ? values[values.size() / 2] : last, values);
            values.push_back(last);
        }
        if (all_given) {
            for (std::size_t i = 1; i < values.size(); ++i) {
                given_.push_back(values[i]);
            }
        }
        const int mean = g_.add(op::reduce_mean, axes{2, 3}, {last});
        std::vector<int> outputs{below(random_, 2) == 0 ? mean : convolution(last)};
        outputs.insert(outputs.end(), given_.begin(), given_.end());
        for (const int o : outputs) {
            g_.output(o);
        }
        return g_.finish();
    }

private:
    std::int64_t channels() { return 8 + below(random_, 25); }

    /// None that Winograd's algorithm would take.
    int convolution(int x, std::int64_t outputs = 0) {
        const std::int64_t inputs = g_.shape(x)[1];
        outputs = outputs > 0 ? outputs : channels();
        const int kernel = 1 + below(random_, 3);
        const int w = g_.weight({outputs, inputs, kernel, kernel == 3 ? 2 : kernel});
        const conv how{.stride = outputs % 5 == 0 ? 2 : 1, .padding = kernel / 2};
        return below(random_, 2) == 0 ? g_.add(op::conv2d, how, {x, w})
                                      : g_.add(op::conv2d, how, {x, w, g_.weight({outputs})});
    }

    int step(int x, const std::vector<int>& values) {
        const extents shape = g_.shape(x);
        switch (below(random_, 11)) {
        case 0: return g_.add(op::relu, {x});
        case 1: return g_.add(op::sigmoid, {x});
        case 2: { // a residual
            for (auto other = values.rbegin(); other != values.rend(); ++other) {
                if (*other != x && g_.shape(*other) == shape) {
                    return g_.add(op::add, {x, *other});
                }
            }
            return g_.add(op::relu6, {x});
        }
        case 3: { // squeeze and excite
            const int mean = g_.add(below(random_, 2) == 0 ? op::reduce_mean : op::reduce_max, axes{2, 3}, {x});
            const int gate = g_.reshape(g_.add(op::sigmoid, {mean}), {shape[0], shape[1], 1, 1});
            return g_.add(op::mul, {x, gate});
        }
        case 4: return g_.add(op::mul, {g_.weight({shape[1], 1, 1}), x});
        case 5: {
            const pool p = random_pool(random_);
            const bool fits = shape[2] >= 4 && shape[3] >= 4;
            return fits ? g_.add(below(random_, 2) == 0 ? op::max_pool : op::avg_pool, p, {x}) : x;
        }
        case 6:
        case 7: {
            const int c = static_cast<int>(shape[1]);
            return g_.add(op::conv2d, conv{.padding = 1, .groups = c}, {x, g_.weight({c, 1, 3, 3})});
        }
        case 8: return g_.add(op::softmax, axis{3}, {x});
        default: return convolution(x);
        }
    }

    random_engine random_;
    composer g_;
    std::vector<int> given_;
};

port_memory results_of(const graph_view& g, const weight_store& weights, const port_memory& inputs,
                       const backend::cpu& place) {
    port_memory outputs = memory_of_outputs(g);
    auto program = place.compile(g, weights);
    program.run(inputs.inputs(), outputs.outputs());
    return outputs;
}

bool are_nhwc(const graph_view& g, const weight_store& weights) {
    const auto steps = backend::cpu{}.compile(g, weights).steps();
    return std::any_of(steps.begin(), steps.end(), [](const backend::cpu_step& s) { return s.order == layout::nhwc; });
}

} // namespace

TEST_CASE("layouts change no bits, whether layers are fused or not, for any number of threads") {
    const unsigned first = from_environment::seed();
    int with_nhwc = 0;
    for (unsigned seed = first; seed < first + 60; ++seed) {
        INFO("seed ", seed);
        const dynamic_graph g = image_network(seed).make(false);
        const dynamic_graph planes = image_network(seed).make(true);
        random_engine random(seed);
        const weight_store weights = random_weights(planes, random);
        const port_memory inputs = random_inputs(g, random, false);
        with_nhwc += are_nhwc(g, weights) ? 1 : 0;
        const auto apart = backend::cpu{}.rounding(rounding::each_operation);
        port_memory wanted = results_of(planes, weights, inputs, apart);
        port_memory fused = results_of(g, weights, inputs, backend::cpu{}.winograd(winograd_tiles::of_two));
        for (const int threads : {1, 3}) {
            port_memory got = results_of(g, weights, inputs, apart.threads(threads));
            CHECK(got.bytes[0] == wanted.bytes[0]);
            port_memory layers = results_of(g, weights, inputs, backend::cpu{}.threads(threads));
            CHECK(layers.bytes[0] == fused.bytes[0]);
        }
    }
    CHECK(with_nhwc > 20);
}
