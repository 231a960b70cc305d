#include "arrays.hpp"

#include "by_name.hpp"
#include <anemone/base/error.hpp>
#include <anemone/graph/index_nodes.hpp>
#include <anemone/values/half.hpp>
#include <anemone/weights/formats/elements.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace app {

namespace {

/// That an array has the port's elements. Extents of 1 do not matter.
template <class Byte> void require_fits(const array<Byte>& a, const port& p) {
    if (a.shape && without_ones(*a.shape) != without_ones(p.shape)) {
        throw ane::error(ane::errc::port, p.name,
                         fmt::format("is {}, the array is {}", shape_text(p.shape), shape_text(*a.shape)));
    }
    const std::size_t wanted = p.count * bytes_of(a.type);
    if (a.bytes.size() != wanted) {
        throw ane::error(ane::errc::port, p.name,
                         fmt::format("is {} of {}, which is {} bytes, the array has {}", shape_text(p.shape),
                                     name(a.type), wanted, a.bytes.size()));
    }
}

template <class Number> Number loaded(const std::byte* at) {
    Number value;
    std::memcpy(&value, at, sizeof value);
    return value;
}

template <class Number> void store(Number value, std::byte* at) { std::memcpy(at, &value, sizeof value); }

/// Calls `visit` with a number of the type of elements, which an array of a caller may have.
template <class Visit> void with_number(element_type type, const Visit& visit) {
    ane::weight_formats::with_element(type, [&]<class Element>() {
        if constexpr (std::is_same_v<Element, ane::half> || std::is_floating_point_v<Element> ||
                      std::is_same_v<Element, std::int8_t> || std::is_same_v<Element, std::uint8_t>) {
            visit(Element());
        }
    });
}

/// A number as a port of such elements holds it. Throws for one that it does not hold.
void store_rounded(double value, std::size_t index, const std::string& array, const port& p, std::byte* at) {
    if (p.type == element_type::f16) {
        const ane::half rounded(value);
        if (p.has_integers && value == std::floor(value) && std::isfinite(value) &&
            static_cast<double>(rounded) != value) {
            throw ane::error(
                ane::errc::port, p.name,
                fmt::format("element {} of '{}' is {:.0f}: an integer that fp16 cannot hold exactly, as it "
                            "can all up to 2048, and the run would read {}; what takes larger integers, "
                            "such as the rows of a table, belongs outside the model",
                            index, array, value, static_cast<double>(rounded)));
        }
        if (std::isfinite(value) && !std::isfinite(static_cast<double>(rounded))) {
            throw ane::error(ane::errc::port, p.name,
                             fmt::format("element {} of '{}' is {}, beyond fp16's 65504", index, array, value));
        }
        store(rounded, at);
        return;
    }
    const double least = p.type == element_type::int8 ? -128 : 0;
    const double most = p.type == element_type::int8 ? 127 : 255;
    if (!(value >= least && value <= most) || value != std::floor(value)) {
        throw ane::error(ane::errc::port, p.name,
                         fmt::format("element {} of '{}' is {}, the port takes whole numbers from {} to {}", index,
                                     array, value, least, most));
    }
    *at = static_cast<std::byte>(static_cast<int>(value));
}

/// That no element is an integer that fp16 may have made of another one: what was 2049 or 4097 is 2048 or 4096 by now.
void require_told_apart(const input_array& a, const port& p) {
    if (!p.has_integers || (a.type != element_type::f16 && !a.was_fp16)) {
        return;
    }
    with_number(a.type, [&](auto number) {
        for (std::size_t i = 0; i < p.count; ++i) {
            const auto value = static_cast<double>(loaded<decltype(number)>(a.bytes.data() + i * sizeof number));
            if (std::fabs(value) >= ane::first_shared_integer) {
                throw ane::error(
                    ane::errc::port, p.name,
                    fmt::format("element {} of '{}' is {} in fp16, which is also what an integer beside it is rounded "
                                "to; from {} on give integers or float32: then one that fp16 has is taken, and another "
                                "refused",
                                i, a.name, value, ane::first_shared_integer));
            }
        }
    });
}

} // namespace

bool is_direct(const port& p, element_type type, const std::byte* at) {
    return type == p.type && reinterpret_cast<std::uintptr_t>(at) % bytes_of(p.type) == 0;
}

std::vector<std::byte> stored(const input_array& from, const port& p) {
    require_fits(from, p);
    require_told_apart(from, p);
    if (from.type == p.type) {
        return {from.bytes.begin(), from.bytes.end()};
    }
    std::vector<std::byte> made(p.bytes());
    with_number(from.type, [&](auto number) {
        for (std::size_t i = 0; i < p.count; ++i) {
            const auto value = loaded<decltype(number)>(from.bytes.data() + i * sizeof number);
            store_rounded(static_cast<double>(value), i, from.name, p, made.data() + i * bytes_of(p.type));
        }
    });
    return made;
}

void give(std::span<const std::byte> elements, const port& p, const output_array& to) {
    if (to.type == p.type) {
        std::copy(elements.begin(), elements.end(), to.bytes.begin());
        return;
    }
    with_number(p.type, [&](auto from) {
        with_number(to.type, [&](auto number) {
            using Number = decltype(number);
            for (std::size_t i = 0; i < p.count; ++i) {
                const auto value = loaded<decltype(from)>(elements.data() + i * sizeof from);
                store(static_cast<Number>(static_cast<double>(value)), to.bytes.data() + i * sizeof(Number));
            }
        });
    });
}

void require_takes(const output_array& to, const port& p) {
    require_fits(to, p);
    const bool floats = to.type == element_type::f16 || to.type == element_type::f32 || to.type == element_type::f64;
    if (to.type != p.type && !floats) {
        throw ane::error(
            ane::errc::port, p.name,
            fmt::format("has elements of {}, an array of {} does not hold them", name(p.type), name(to.type)));
    }
}

input_memory::input_memory(const std::vector<port>& inputs, const std::vector<input_array>& arrays) {
    const by_name<port> ports(inputs);
    for (const input_array& each : arrays) {
        if (!ports.contains(each.name)) {
            named(inputs, each.name, "input"); // refuses it
        }
    }
    const by_name<input_array> given(arrays);
    for (const port& p : inputs) {
        const input_array* const a = given.find(p.name);
        if (a == nullptr) {
            throw ane::error(ane::errc::port, p.name, "no array for this input; the inputs are: " + names_of(inputs));
        }
        require_fits(*a, p);
        require_told_apart(*a, p);
        if (is_direct(p, a->type, a->bytes.data())) {
            spans_.push_back(a->bytes);
        } else {
            spans_.emplace_back(owned_.emplace_back(stored(*a, p)));
        }
    }
}

} // namespace app
