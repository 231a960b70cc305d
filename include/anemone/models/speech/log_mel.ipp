#pragma once

#include "../../base/way.hpp"
ANEMONE_INCLUDED(anemone_models_speech_log_mel_hpp);

#include "../../base/error.hpp"
#include "../../base/formatted.hpp"
#include "log_mel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstddef>
#include <numbers>

namespace ane::models::inline ANEMONE_WAY {

/// Of Hz on Slaney's mel scale, and back.
ANEMONE_INLINE double mel_of(double hertz) {
    return hertz < 1000 ? hertz * 3 / 200 : 15 + std::log(hertz / 1000) * 27 / std::log(6.4);
}
ANEMONE_INLINE double hertz_of(double mel) {
    return mel < 15 ? mel * 200 / 3 : 1000 * std::exp((mel - 15) * std::log(6.4) / 27);
}

ANEMONE_INLINE void require_within(const char* subject, std::int64_t value, std::int64_t least, std::int64_t most) {
    if (value < least || value > most) {
        throw error(errc::argument, subject, formatted("are {}, must be from {} to {}", value, least, most));
    }
}

ANEMONE_BODY_OF std::vector<double> mel_filters(std::int64_t mels) {
    require_within("mels", mels, 1, spectrum_frequencies);
    const double step = mel_of(speech_rate / 2.0) / static_cast<double>(mels + 1);
    std::vector<double> filters;
    filters.reserve(static_cast<std::size_t>(mels * spectrum_frequencies));
    for (std::int64_t band = 0; band < mels; ++band) {
        const double lower = hertz_of(step * static_cast<double>(band));
        const double centre = hertz_of(step * static_cast<double>(band + 1));
        const double upper = hertz_of(step * static_cast<double>(band + 2));
        for (std::int64_t k = 0; k < spectrum_frequencies; ++k) {
            const double hertz = static_cast<double>(k * speech_rate) / static_cast<double>(spectrum_window);
            const double height = std::min((hertz - lower) / (centre - lower), (upper - hertz) / (upper - centre));
            filters.push_back(std::max(height, 0.0) * 2 / (upper - lower));
        }
    }
    return filters;
}

/// The discrete Fourier transform of a window, by its factors 2 and 5 (Cooley and Tukey 1965).
class window_transform {
public:
    ANEMONE_INLINE window_transform() {
        for (std::size_t k = 0; k < size; ++k) {
            const double angle = -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(size);
            roots_[k] = {std::cos(angle), std::sin(angle)};
        }
    }
    /// Of every `stride`-th number from `x` on, `count` of them.
    ANEMONE_INLINE void operator()(const double* x, std::size_t count, std::size_t stride,
                                   std::complex<double>* into) const {
        if (count == 1) {
            *into = *x;
            return;
        }
        const std::size_t factor = count % 2 == 0 ? 2 : 5;
        const std::size_t part = count / factor;
        for (std::size_t r = 0; r < factor; ++r) {
            (*this)(x + r * stride, part, stride * factor, into + r * part);
        }
        std::array<std::complex<double>, 5> turned{};
        for (std::size_t k = 0; k < part; ++k) {
            for (std::size_t r = 0; r < factor; ++r) {
                turned[r] = into[r * part + k] * roots_[r * k * (size / count)];
            }
            for (std::size_t q = 0; q < factor; ++q) {
                std::complex<double> sum = turned[0];
                for (std::size_t r = 1; r < factor; ++r) {
                    sum += turned[r] * roots_[r * q * (size / factor) % size];
                }
                into[q * part + k] = sum;
            }
        }
    }

private:
    static constexpr std::size_t size = spectrum_window;
    std::array<std::complex<double>, size> roots_{};
};

ANEMONE_BODY_OF std::vector<float> log_mel(std::span<const float> sound, std::int64_t mels, std::int64_t spectra) {
    require_within("spectra", spectra, 2, 131072);
    const std::vector<double> filters = mel_filters(mels);
    const auto samples = static_cast<std::size_t>(spectra * spectrum_hop);
    if (sound.size() > samples) {
        throw error(errc::argument, "sound",
                    formatted("has {} samples, {} spectra are made of {}", sound.size(), spectra, samples));
    }
    for (std::size_t i = 0; i < sound.size(); ++i) {
        if (!(std::abs(sound[i]) <= 1.5F)) {
            throw error(errc::argument, formatted("sample {}", i),
                        formatted("is {}, must be from -1.5 to 1.5", sound[i]));
        }
    }
    constexpr auto window = static_cast<std::size_t>(spectrum_window);
    constexpr auto frequencies = static_cast<std::size_t>(spectrum_frequencies);
    std::array<double, window> hann{};
    for (std::size_t j = 0; j < window; ++j) {
        hann[j] = 0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(j) / static_cast<double>(window));
    }
    const window_transform transform;
    std::array<double, window> piece{};
    std::array<std::complex<double>, window> spectrum{};
    std::array<double, frequencies> power{};
    std::vector<double> all(static_cast<std::size_t>(mels * spectra));
    double largest = -10;
    for (std::int64_t t = 0; t < spectra; ++t) {
        for (std::size_t j = 0; j < window; ++j) {
            std::int64_t at = t * spectrum_hop - spectrum_window / 2 + static_cast<std::int64_t>(j);
            at = at < 0 ? -at : at; // reflected, the end sample once
            at = std::min(at, 2 * static_cast<std::int64_t>(samples) - 2 - at);
            const auto i = static_cast<std::size_t>(at);
            piece[j] = i < sound.size() ? hann[j] * static_cast<double>(sound[i]) : 0;
        }
        transform(piece.data(), window, 1, spectrum.data());
        for (std::size_t k = 0; k < frequencies; ++k) {
            power[k] = std::norm(spectrum[k]);
        }
        for (std::size_t band = 0; band < static_cast<std::size_t>(mels); ++band) {
            double sum = 0;
            for (std::size_t k = 0; k < frequencies; ++k) {
                sum += filters[band * frequencies + k] * power[k];
            }
            const double level = std::log10(std::max(sum, 1e-10));
            largest = std::max(largest, level);
            all[band * static_cast<std::size_t>(spectra) + static_cast<std::size_t>(t)] = level;
        }
    }
    std::vector<float> result;
    result.reserve(all.size());
    for (const double level : all) {
        result.push_back(static_cast<float>((std::max(level, largest - 8) + 4) / 4));
    }
    return result;
}

} // namespace ane::models::inline ANEMONE_WAY
