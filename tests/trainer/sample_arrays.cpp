#include <anemone/base/error.hpp>
#include <anemone/trainer/sample_arrays.hpp>
#include <anemone/values/half.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

using namespace ane;

namespace {

const std::vector<sample_port> image_and_class{{.name = "image", .shape = {2, 1, 2, 2}},
                                               {.name = "wanted", .shape = {2, 3}, .classes = 1}};

std::vector<float> ramp(std::size_t count) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = static_cast<float>(i);
    }
    return values;
}

weight_store images(std::int64_t samples, const std::vector<float>& labels) {
    weight_store data;
    data.add("image", {samples, 2, 2}, ramp(static_cast<std::size_t>(samples) * 4));
    data.add("wanted", {static_cast<std::int64_t>(labels.size())}, labels);
    return data;
}

std::vector<std::vector<float>> filled(const sample_arrays& data, const std::vector<sample_port>& ports,
                                       const std::vector<std::int64_t>& samples) {
    std::vector<std::vector<half>> memory;
    std::vector<std::span<std::byte>> spans;
    for (const sample_port& p : ports) {
        memory.emplace_back(static_cast<std::size_t>(p.shape.count()), half(-1));
    }
    for (std::vector<half>& each : memory) {
        spans.push_back(std::as_writable_bytes(std::span(each)));
    }
    data.fill(samples, spans);
    std::vector<std::vector<float>> values;
    for (const std::vector<half>& each : memory) {
        values.emplace_back(each.begin(), each.end());
    }
    return values;
}

std::string refusal_of_samples(const std::vector<sample_port>& ports, const weight_store& data) {
    try {
        const sample_arrays made(ports, data);
    } catch (const error& e) {
        CHECK(e.code() == errc::port);
        return e.what();
    }
    return "taken";
}

bool says(const std::string& text, const std::string& part) {
    INFO(text);
    return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("samples are rows of arrays, labels become one-hot") {
    const sample_arrays data(image_and_class, images(5, {2, 0, 1, 2, 2}));
    CHECK(data.size() == 5);
    CHECK(data.batch() == 2);
    const auto values = filled(data, image_and_class, {3, 1});
    CHECK(values[0] == std::vector<float>{12, 13, 14, 15, 4, 5, 6, 7});
    CHECK(values[1] == std::vector<float>{0, 0, 1, 1, 0, 0});
}

TEST_CASE("labels of places within a sample, whichever axis has the classes") {
    const std::vector<sample_port> last{{.name = "wanted", .shape = {1, 2, 3}, .classes = 2}};
    const std::vector<sample_port> middle{{.name = "wanted", .shape = {1, 3, 2}, .classes = 1}};
    weight_store data;
    data.add("wanted", {2, 2}, {0, 2, 1, 1});
    CHECK(filled(sample_arrays(last, data), last, {0})[0] == std::vector<float>{1, 0, 0, 0, 0, 1});
    CHECK(filled(sample_arrays(middle, data), middle, {0})[0] == std::vector<float>{1, 0, 0, 0, 0, 1});
    CHECK(filled(sample_arrays(middle, data), middle, {1})[0] == std::vector<float>{0, 0, 1, 1, 0, 0});
}

TEST_CASE("probabilities in the place of labels are taken as they are, and whole runs too") {
    weight_store data = images(2, {});
    data.remove("wanted");
    data.add("wanted", {2, 3}, {0.5F, 0.25F, 0.25F, 0, 1, 0});
    CHECK(filled(sample_arrays(image_and_class, data), image_and_class, {0, 1})[1] ==
          std::vector<float>{0.5F, 0.25F, 0.25F, 0, 1, 0});

    weight_store runs;
    runs.add("image", {3, 2, 1, 2, 2}, ramp(24));
    runs.add("wanted", {3, 2}, {0, 1, 2, 0, 1, 2});
    const sample_arrays whole(image_and_class, runs);
    CHECK(whole.size() == 3);
    CHECK(whole.batch() == 1);
    const auto values = filled(whole, image_and_class, {2});
    CHECK(values[0] == std::vector<float>{16, 17, 18, 19, 20, 21, 22, 23});
    CHECK(values[1] == std::vector<float>{0, 1, 0, 0, 0, 1});
}

TEST_CASE("integers and doubles, and ports of bytes") {
    const std::vector<sample_port> bytes{{.name = "x", .type = dtype::uint8, .shape = {1, 2}}};
    weight_store data;
    const std::vector<std::int64_t> whole{7, 255};
    const auto memory = std::as_bytes(std::span(whole));
    data.add({"x", element_type::int64, {1, 2}, {memory.begin(), memory.end()}});
    std::vector<std::byte> into(2);
    const std::span<std::byte> spans[] = {into};
    const std::int64_t first[] = {0};
    sample_arrays(bytes, data).fill(first, spans);
    CHECK(into == std::vector<std::byte>{std::byte{7}, std::byte{255}});

    weight_store large;
    large.add("x", {1, 2}, {1, 256});
    CHECK(says(refusal_of_samples(bytes, large), "element 1 of sample 0 is 256, which uint8 does not hold"));
    const std::vector<sample_port> numbers{{.name = "x", .shape = {1, 2}}};
    weight_store indices;
    const std::vector<std::int64_t> odd{7, 2049};
    const auto raw = std::as_bytes(std::span(odd));
    indices.add({"x", element_type::int64, {1, 2}, {raw.begin(), raw.end()}});
    CHECK(says(refusal_of_samples(numbers, indices), "2049, an integer that fp16 does not hold exactly"));
}

TEST_CASE("data that no batch can be made of is refused by name") {
    CHECK(says(refusal_of_samples(image_and_class, images(3, {0, 1, 3})),
               "port: wanted: element 0 of sample 2 is 3, classes are"));
    CHECK(says(refusal_of_samples(image_and_class, images(3, {0, -1, 2})), "element 0 of sample 1 is -1"));
    CHECK(says(refusal_of_samples(image_and_class, images(3, {0, 1.5F, 2})), "element 0 of sample 1 is 1.5"));
    CHECK(says(refusal_of_samples(image_and_class, images(3, {0, 1})), "wanted: has 2 samples, image has 3"));
    CHECK(says(refusal_of_samples(image_and_class, images(0, {})), "image: has no samples"));

    weight_store data = images(2, {0, 1});
    data.add("mask", {2}, {1, 1});
    CHECK(says(refusal_of_samples(image_and_class, data), "mask: no input has this name; there are: image, wanted"));
    data.remove("mask");
    data.remove("wanted");
    CHECK(says(refusal_of_samples(image_and_class, data), "wanted: no array for this input"));

    weight_store wide = images(2, {0, 1});
    wide.remove("image");
    wide.add("image", {2, 1, 3, 2}, ramp(12));
    CHECK(says(refusal_of_samples(image_and_class, wide),
               "image: its samples are 1x3x2, the model takes 1x2x2 (2 of them in a run) or 2x1x2x2"));

    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), 7e4F}) {
        weight_store broken;
        std::vector<float> values = ramp(8);
        values[6] = bad;
        broken.add("image", {2, 1, 2, 2}, values);
        broken.add("wanted", {2}, {0, 1});
        CHECK(says(refusal_of_samples(image_and_class, broken), "image: element 2 of sample 1 is "));
    }
}
