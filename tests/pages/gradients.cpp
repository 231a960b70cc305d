// The snippets of docs/gradients.md, line by line, which tests/python/pages.py compares.

#include <anemone/anemone.hpp>
#include <anemone/gradient/model_gradient.hpp>

#include <doctest/doctest.h>

using namespace ane::literals;

namespace gradients_page {
namespace {

// A step of logistic regression. The weight is a state: the program keeps it between runs.
constexpr auto regression = ane::graph([](auto& g) {
    auto x = g.input("x"_s, ane::f16<16, 2>, ane::within(-2, 2));
    auto wanted = g.input("wanted"_s, ane::f16<16, 1>, ane::within(0, 1));
    auto weight = g.state("weight"_s, ane::f16<1, 2>, ane::within(-8, 8));
    auto w = read(weight);
    auto loss = reduce_mean<ane::axes{0, 1}>(square(sigmoid(linear(x, w)) - wanted));
    auto [dw] = gradient(loss, w);
    write(weight, clamp(w - 2.0 * dw, -8, 8));
    g.output("loss"_s, loss);
});
static_assert(ane::conforms<regression, ane::macs>);

ane::dynamic_graph with_its_gradient(const ane::graph_view& model) {
    return ane::with_gradient(model, "loss", {"w"}); // an output more, w_gradient
}

/// The loss of the last of `steps`, by which points above a line are told from those below.
template <class Backend> double loss_after(int steps, const Backend& backend) {
    ane::ndarray<ane::shape<16, 2>> x;
    ane::ndarray<ane::shape<16, 1>> wanted;
    for (std::size_t i = 0; i < 16; ++i) {
        x(i, 0) = ane::half(static_cast<double>(i % 4) - 1.5);
        x(i, 1) = ane::half(static_cast<double>(i / 4) - 1.5);
        wanted(i, 0) = ane::half(static_cast<double>(x(i, 0)) > static_cast<double>(x(i, 1)) ? 1.0 : 0.0);
    }
    auto program = ane::compile<regression>(backend);
    double loss = 0;
    for (int i = 0; i < steps; ++i) {
        loss = static_cast<double>(program({"x"_s = x, "wanted"_s = wanted})["loss"_s][0]);
    }
    return loss;
}

} // namespace

TEST_CASE("the page of the gradients runs") {
    CHECK(loss_after(1, ane::backend::cpu{}) == doctest::Approx(0.25)); // the weight is 0, all shares one half
    CHECK(loss_after(40, ane::backend::cpu{}) < 0.15);
    CHECK(loss_after(40, ane::backend::oracle{ane::h13}) < 0.15);
    const auto model = ane::build_graph([](auto& g) {
        auto x = g.input("x"_s, ane::f16<1, 3>);
        g.output("loss"_s, reduce_sum<ane::axes{0, 1}>(linear(x, g.weight("w"_s, ane::f16<2, 3>))));
    });
    CHECK(with_its_gradient(model).view().find_output("w_gradient") == 1);
}

} // namespace gradients_page
