/// Any bytes as a safetensors file: read, or refused with errc::file; from memory and from a file alike. Whatever was read
/// is converted or refused with errc::weights.
#include "scratch_file.hpp"
#include <anemone/weights/convert.hpp>
#include <anemone/weights/safetensors.hpp>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>

namespace {

template <class Read> std::optional<ane::weight_store> read(const Read& reader) {
    try {
        return reader();
    } catch (const ane::error& e) {
        if (e.code() != ane::errc::file) {
            std::abort();
        }
        return std::nullopt;
    }
}

void convert(const ane::stored_tensor& tensor) {
    if (ane::to_float(tensor).size() != static_cast<std::size_t>(tensor.shape.count())) {
        std::abort();
    }
    try {
        ane::to_half(tensor);
    } catch (const ane::error& e) {
        if (e.code() != ane::errc::weights) {
            std::abort();
        }
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const scratch_file file(".safetensors");
    file.fill(data, size);
    const auto parsed = read([&] { return ane::parse_safetensors(std::as_bytes(std::span(data, size))); });
    const auto loaded = read([&] { return ane::load_safetensors(file.path()); });
    if (parsed != loaded) {
        std::abort();
    }
    for (std::size_t i = 0; parsed && i < parsed->size(); ++i) {
        convert((*parsed)[i]);
    }
    return 0;
}
