#include <anemone/base/error.hpp>
#include <anemone/model.hpp>
#include <anemone/models/networks/network.hpp>
#include <anemone/models/speech/log_mel.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <variant>
#include <vector>

using namespace ane;
using models::activation_layout;
using models::image_network;
using models::network_form;
using models::network_part;

namespace {

// Real sizes on all Macs.
constexpr network_form part_of(network_part part) { return {.layout = activation_layout::channels, .part = part}; }
static_assert(conforms<image_network<models::whisper_tiny, part_of(network_part::encoder)>, macs>);
static_assert(conforms<image_network<models::whisper_tiny, part_of(network_part::cross)>, macs>);
static_assert(conforms<image_network<models::whisper_tiny, part_of(network_part::decoder)>, macs>);
static_assert(conforms<image_network<models::whisper_tiny, part_of(network_part::step)>, macs>);
static_assert(conforms<image_network<models::whisper_base, part_of(network_part::encoder)>, macs>);

std::int64_t weights_in(const graph_view& g) {
    std::int64_t count = 0;
    for (int i = 0; i < g.size(); ++i) {
        count += g[i].kind == op::weight ? g[i].shape.count() : 0;
    }
    return count;
}

TEST_CASE("encoder, decoder and the decoder's positions have as many parameters as Whisper is published with") {
    struct published {
        const char* name;
        std::int64_t parameters;
    };
    for (const published& each : {published{"whisper-tiny", 37760640},
                                  {"whisper-base", 72593920},
                                  {"whisper-small", 241734912},
                                  {"whisper-medium", 763857920},
                                  {"whisper-large-v3", 1543490560},
                                  {"whisper-large-v3-turbo", 808878080}}) {
        CAPTURE(each.name);
        const auto found = models::find_network(each.name);
        REQUIRE(found);
        const auto& c = std::get<models::whisper_configuration>(*found);
        CHECK(models::positions_of(*found) == 1500);
        for (const activation_layout layout : {activation_layout::rows, activation_layout::channels}) {
            const auto count = [&](network_part part) {
                return weights_in(network_graph(*found, {.layout = layout, .part = part}));
            };
            CHECK(count(network_part::encoder) + count(network_part::decoder) + c.text_positions * c.width ==
                  each.parameters);
            CHECK(count(network_part::cross) + count(network_part::step) == count(network_part::decoder));
        }
    }
}

TEST_CASE("a network of speech that cannot be is refused, and a run that it does not have") {
    const auto refused = [](const models::whisper_configuration& c, const network_form& f, const char* words) {
        CHECK_THROWS_WITH_AS(network_graph(c, f), doctest::Contains(words), error);
    };
    const network_form encoder = part_of(network_part::encoder);
    models::whisper_configuration c = models::whisper_tiny;
    c.decoder_heads = 7;
    refused(c, encoder, "multiple of the heads");
    c = models::whisper_tiny;
    c.encoder_layers = std::int64_t{1} << 40;
    refused(c, encoder, "1 to 1000");
    c = models::whisper_tiny;
    c.vocabulary = 0;
    refused(c, encoder, "1 to 16777216");
    refused({.source = models::publisher::timm}, encoder, "transformers'");
    refused(models::whisper_tiny, {}, "encoder, cross, decoder and step");
    refused(models::whisper_tiny, {.part = network_part::encoder, .positions = 1501}, "1501");
    refused(models::whisper_tiny, {.part = network_part::cross, .positions = 10}, "all frames");
    refused(models::whisper_tiny, {.part = network_part::decoder, .positions = 449}, "449");
    refused(models::whisper_tiny, {.part = network_part::decoder, .capacity = 8}, "only a step");
    refused(models::whisper_tiny, {.part = network_part::step, .capacity = 449}, "449");
    refused(models::whisper_tiny, {.part = network_part::step, .positions = -1}, "-1");
}

TEST_CASE("extents of one") {
    const models::whisper_configuration one{.width = 1,
                                            .encoder_layers = 1,
                                            .encoder_heads = 1,
                                            .encoder_inner = 1,
                                            .decoder_layers = 1,
                                            .decoder_heads = 1,
                                            .decoder_inner = 1,
                                            .mels = 1,
                                            .positions = 1,
                                            .text_positions = 1,
                                            .vocabulary = 1};
    for (const network_part part : models::whisper_configuration::parts) {
        for (const activation_layout layout : {activation_layout::rows, activation_layout::channels}) {
            const dynamic_graph made = network_graph(one, {.layout = layout, .part = part});
            CHECK(!graph_view(made).outputs.empty());
        }
    }
}

/// The level of a band by the definition: a direct transform of the reflected window.
double level_of(const std::vector<float>& sound, const std::vector<double>& filters, std::int64_t band,
                std::int64_t spectrum, std::int64_t samples) {
    double sum = 0;
    for (std::int64_t k = 0; k < models::spectrum_frequencies; ++k) {
        const double weight = filters[static_cast<std::size_t>(band * models::spectrum_frequencies + k)];
        double real = 0;
        double imaginary = 0;
        for (std::int64_t j = 0; weight > 0 && j < 400; ++j) {
            std::int64_t at = std::abs(160 * spectrum - 200 + j);
            at = at < samples ? at : 2 * (samples - 1) - at;
            const auto i = static_cast<std::size_t>(at);
            const double hann = std::pow(std::sin(std::numbers::pi * static_cast<double>(j) / 400), 2);
            const double x = i < sound.size() ? hann * static_cast<double>(sound[i]) : 0;
            const double angle = 2 * std::numbers::pi * static_cast<double>(j * k) / 400;
            real += x * std::cos(angle);
            imaginary -= x * std::sin(angle);
        }
        sum += weight * (real * real + imaginary * imaginary);
    }
    return std::log10(std::max(sum, 1e-10));
}

TEST_CASE("log-mel spectra are those of a direct transform") {
    std::vector<float> sound(1500);
    for (std::size_t i = 0; i < sound.size(); ++i) {
        const double t = static_cast<double>(i);
        sound[i] = static_cast<float>(0.4 * std::sin(0.05 * t + 0.0004 * t * t) + 0.2 * std::cos(2.9 * t));
    }
    constexpr std::int64_t spectra = 12; // 1920 samples: the last ones are zeros
    for (const std::int64_t mels : {80, 128}) {
        const std::vector<double> filters = models::mel_filters(mels);
        const std::vector<float> found = models::log_mel(sound, mels, spectra);
        REQUIRE(found.size() == static_cast<std::size_t>(mels * spectra));
        std::vector<double> levels;
        for (std::int64_t band = 0; band < mels; ++band) {
            for (std::int64_t t = 0; t < spectra; ++t) {
                levels.push_back(level_of(sound, filters, band, t, 160 * spectra));
            }
        }
        const double largest = *std::max_element(levels.begin(), levels.end());
        double difference = 0;
        for (std::size_t i = 0; i < levels.size(); ++i) {
            const double wanted = (std::max(levels[i], largest - 8) + 4) / 4;
            difference = std::max(difference, std::abs(wanted - static_cast<double>(found[i])));
        }
        CHECK(difference < 1e-6);
    }
    // Slaney's scale: below 1000 Hz corners are 200 / 3 Hz a mel apart, of 45.2455 mel in all.
    const std::vector<double> filters = models::mel_filters(80);
    const double step = (15 + std::log(8.0) * 27 / std::log(6.4)) / 81 * 200 / 3;
    CHECK(filters[1] == doctest::Approx((2 * step - 40) / step * 2 / (2 * step)));
    CHECK(filters[0] == 0);
}

TEST_CASE("log-mel spectra keep what the encoder is promised, and refuse what is no such sound") {
    for (const float high : {0.0F, 1e-6F, 1.0F, 1.5F}) {
        std::vector<float> sound(3200);
        for (std::size_t i = 0; i < sound.size(); ++i) {
            sound[i] = i / 20 % 2 == 0 ? high : -high;
        }
        const std::vector<float> found = models::log_mel(sound, 128, 20);
        const auto [low, most] = std::minmax_element(found.begin(), found.end());
        CHECK(*low >= -1.5F);
        CHECK(*most <= 2.0F);
    }
    CHECK(models::log_mel({}, 80, 2) == std::vector<float>(160, -1.5F));
    const std::vector<float> sound(321);
    CHECK_THROWS_WITH_AS(models::log_mel(sound, 80, 2), doctest::Contains("321 samples"), error);
    CHECK_THROWS_WITH_AS(models::log_mel({}, 0), doctest::Contains("mels: are 0"), error);
    CHECK_THROWS_WITH_AS(models::log_mel({}, 202), doctest::Contains("from 1 to 201"), error);
    CHECK_THROWS_WITH_AS(models::log_mel({}, 80, 1), doctest::Contains("spectra: are 1"), error);
    const std::vector<float> loud{0, 1.6F};
    CHECK_THROWS_WITH_AS(models::log_mel(loud), doctest::Contains("sample 1: is 1.6"), error);
    const std::vector<float> none{std::nanf("")};
    CHECK_THROWS_WITH_AS(models::log_mel(none), doctest::Contains("sample 0"), error);
}

} // namespace
