#ifndef ANEMONE_MODELS_SPEECH_LOG_MEL_HPP
#define ANEMONE_MODELS_SPEECH_LOG_MEL_HPP

#include "../../base/way.hpp"

#include <cstdint>
#include <span>
#include <vector>

/// What Whisper hears (Radford et al. 2022), computed by the host in double precision.
namespace ane::models::inline ANEMONE_WAY {

/// Samples a second.
inline constexpr std::int64_t speech_rate = 16000;
/// Samples from one spectrum to the next, of which 100 are a second, and samples that a spectrum is made of.
inline constexpr std::int64_t spectrum_hop = 160;
inline constexpr std::int64_t spectrum_window = 400;
/// The frequencies of a spectrum, 0 to 8000 Hz in steps of 40 Hz.
inline constexpr std::int64_t spectrum_frequencies = spectrum_window / 2 + 1;

/// The weight of each frequency in each band, row by row [mels, 201]: triangles whose corners have equal distances on
/// Slaney's mel scale (linear below 1000 Hz, then logarithmic), of equal area 2 / (upper - lower corner). Throws `ane::error`
/// (errc::argument) for bands that are not 1 to 201.
ANEMONE_API_OF(anemone_models_speech_log_mel_hpp) std::vector<double> mel_filters(std::int64_t mels);

/// The log-mel spectra of a sound, row by row [mels, spectra]: |FFT|^2 of windows of 400 samples (Hann's, periodic, centred,
/// the sound reflected at its ends), in bands (`mel_filters`); then x = log10(max(power, 1e-10)), cut at 8 below the largest
/// one, and (x + 4) / 4, which is from -1.5 to 2. The sound has `speech_rate` samples a second, from -1.5 to 1.5, and is usually
/// within -1 and 1; zeros follow a shorter one than `spectra` * 160 samples: 30 s for 3000.
///
/// Throws `ane::error` (errc::argument) for bands that are not 1 to 201, for spectra that are not 2 to 131072, for a longer
/// sound, and for samples that are beyond 1.5 or no numbers.
ANEMONE_API_OF(anemone_models_speech_log_mel_hpp)
std::vector<float> log_mel(std::span<const float> sound, std::int64_t mels = 80, std::int64_t spectra = 3000);

} // namespace ane::models::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "log_mel.ipp"
#endif
