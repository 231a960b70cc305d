#include "../drawing/xml_check.hpp"
#include <anemone/base/error.hpp>
#include <anemone/trainer/history.hpp>

#include <doctest/doctest.h>

#include <limits>
#include <string>

using namespace ane;

namespace {

training_history two_steps() {
    return {.steps = {{.step = 1, .epoch = 0.5, .loss = 2.25, .rate = 0.1, .loss_scale = 8},
                      {.step = 2, .epoch = 1, .loss = 1.5, .rate = 0.05, .loss_scale = 4, .skipped = true}},
            .validations = {{.step = 2, .loss = 1.75, .accuracy = 0.5}}};
}

} // namespace

TEST_CASE("the metrics of a training as CSV") {
    CHECK(csv(two_steps()) == "step,epoch,loss,rate,loss_scale,skipped,validation_loss,accuracy\n"
                              "1,0.5,2.25,0.1,8,0,,\n"
                              "2,1,1.5,0.05,4,1,1.75,0.5\n");
    training_history without = two_steps();
    without.validations[0].accuracy = -1;
    CHECK(csv(without).ends_with("2,1,1.5,0.05,4,1,1.75,\n"));
}

TEST_CASE("the curves of a training as a drawing") {
    training_history h = two_steps();
    for (int i = 3; i < 2000; ++i) {
        h.steps.push_back({.step = i, .loss = i == 700 ? std::numeric_limits<double>::quiet_NaN() : 1. / i, .rate = 1});
    }
    const std::string svg = draw_training(h, "a <net>");
    CHECK(drawing_test::xml_error(svg) == "");
    CHECK(svg.find("a &lt;net&gt;") != std::string::npos);
    CHECK(svg.find("loss, the mean of 7 steps") != std::string::npos);
    CHECK(svg.find("accuracy on held-out samples: 0.5000 at the end, 0.5000 at best") != std::string::npos);
    CHECK_THROWS_AS(draw_training({}), error);
}
