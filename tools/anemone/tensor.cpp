#include "tensor.hpp"

#include <anemone/base/error.hpp>

#include <fmt/format.h>

#include <cmath>
#include <cstring>

namespace command {

namespace {

std::vector<std::int64_t> without_ones(const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> rest;
    for (const std::int64_t each : shape) {
        if (each != 1) {
            rest.push_back(each);
        }
    }
    return rest;
}

std::vector<std::int64_t> shape_of(const ane::node& port) {
    std::vector<std::int64_t> shape;
    for (int a = 0; a < port.shape.rank; ++a) {
        shape.push_back(port.shape[a]);
    }
    return shape;
}

} // namespace

std::string text(const std::vector<std::int64_t>& shape) {
    return shape.empty() ? "scalar" : fmt::format("{}", fmt::join(shape, "x"));
}

std::vector<std::byte> bytes_of(const tensor& from, const ane::node& port, const std::string& name) {
    const std::vector<std::int64_t> wanted = shape_of(port);
    if (without_ones(wanted) != without_ones(from.shape)) {
        throw ane::error(ane::errc::port, name,
                         fmt::format("is {}, the tensor '{}' is {}", text(wanted), from.name, text(from.shape)));
    }
    std::vector<std::byte> bytes(static_cast<std::size_t>(ane::bytes(port.type, port.shape.count())));
    for (std::size_t i = 0; i < from.values.size(); ++i) {
        const double value = from.values[i];
        if (port.type == ane::dtype::f16) {
            const ane::half rounded(value);
            if (std::isfinite(value) && !std::isfinite(static_cast<double>(rounded))) {
                throw ane::error(ane::errc::port, name,
                                 fmt::format("element {} of '{}' is {}, beyond fp16's 65504", i, from.name, value));
            }
            std::memcpy(bytes.data() + 2 * i, &rounded, 2);
        } else {
            const bool is_signed = port.type == ane::dtype::int8;
            const double least = is_signed ? -128 : 0;
            const double most = is_signed ? 127 : 255;
            if (!(value >= least && value <= most) || value != std::floor(value)) {
                throw ane::error(ane::errc::port, name,
                                 fmt::format("element {} of '{}' is {}, the port takes whole numbers from {} to {}", i,
                                             from.name, value, least, most));
            }
            bytes[i] = static_cast<std::byte>(static_cast<int>(value));
        }
    }
    return bytes;
}

tensor tensor_of(const std::vector<std::byte>& bytes, const ane::node& port, const std::string& name) {
    tensor result{name, shape_of(port), {}};
    result.values.resize(static_cast<std::size_t>(port.shape.count()));
    for (std::size_t i = 0; i < result.values.size(); ++i) {
        if (port.type == ane::dtype::f16) {
            ane::half value;
            std::memcpy(&value, bytes.data() + 2 * i, 2);
            result.values[i] = static_cast<double>(value);
        } else {
            const auto raw = std::to_integer<unsigned char>(bytes[i]);
            result.values[i] = port.type == ane::dtype::int8 ? static_cast<double>(static_cast<signed char>(raw)) : raw;
        }
    }
    return result;
}

} // namespace command
