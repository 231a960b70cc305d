#pragma once

#include "../base/way.hpp"
ANEMONE_INCLUDED(anemone_trainer_sample_arrays_hpp);

#include "../base/formatted.hpp"
#include "../values/half.hpp"
#include "../weights/formats/elements.hpp"
#include "sample_arrays.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

namespace ane::detail::inline ANEMONE_WAY {

/// A shape from axis `first` on, without extents of 1.
ANEMONE_INLINE extents without_ones(const extents& shape, int first) {
    extents rest;
    for (int axis = first; axis < shape.rank; ++axis) {
        if (shape[axis] != 1) {
            rest.append(shape[axis]);
        }
    }
    return rest;
}

/// "3x28x28"
ANEMONE_INLINE std::string sample_text(const extents& shape, int first) {
    std::string text;
    for (int axis = first; axis < shape.rank; ++axis) {
        text += (text.empty() ? "" : "x") + std::to_string(shape[axis]);
    }
    return text.empty() ? "one number" : text;
}

/// The shape of a port without the axis of its classes.
ANEMONE_INLINE extents without_classes(const sample_port& p) {
    extents rest;
    for (int axis = 0; axis < p.shape.rank; ++axis) {
        if (axis != p.classes) {
            rest.append(p.shape[axis]);
        }
    }
    return rest;
}

/// How an array is read for a port.
struct sample_fit {
    bool is_row = false;   ///< a sample is a row of the port
    bool is_whole = false; ///< a sample is the port
    bool is_label = false; ///< it has numbers of classes
};

ANEMONE_INLINE sample_fit fit_of(const sample_port& p, const extents& array) {
    const extents rest = without_ones(array, 1);
    sample_fit fit{.is_row = p.shape.rank > 0 && rest == without_ones(p.shape, 1),
                   .is_whole = rest == without_ones(p.shape, 0)};
    if (!fit.is_row && !fit.is_whole && p.classes >= 0) {
        const extents labels = without_classes(p);
        fit = {.is_row = p.classes > 0 && rest == without_ones(labels, 1), .is_whole = rest == without_ones(labels, 0)};
        fit.is_label = fit.is_row || fit.is_whole;
    }
    return fit;
}

ANEMONE_INLINE void refuse_number
    [[noreturn]] (const std::string& array, std::size_t element, std::size_t per_sample, const std::string& what) {
    throw error(errc::port, array,
                formatted("element {} of sample {} is {}", per_sample == 0 ? 0 : element % per_sample,
                          per_sample == 0 ? 0 : element / per_sample, what));
}

/// A number as a port holds it.
template <class Number>
void store_sample(Number value, const stored_tensor& from, const sample_port& p, std::size_t element,
                  std::size_t per_sample, std::byte* to) {
    const auto wide = static_cast<double>(value);
    if (!std::isfinite(wide)) {
        refuse_number(from.name, element, per_sample, formatted("{}; samples must be finite", wide));
    }
    if (p.type == dtype::f16) {
        const half rounded(wide);
        if (!is_finite(rounded)) {
            refuse_number(from.name, element, per_sample, formatted("{}, beyond fp16's 65504", wide));
        }
        if (std::is_integral_v<Number> && static_cast<double>(rounded) != wide) {
            refuse_number(from.name, element, per_sample,
                          formatted("{}, an integer that fp16 does not hold exactly, as it does all to 2048", wide));
        }
        std::memcpy(to, &rounded, sizeof rounded);
        return;
    }
    const double one[] = {wide};
    const std::vector<std::byte> packed = weight_formats::pack_elements<double>(element_of(p.type), one);
    std::memcpy(to, packed.data(), packed.size());
    if (weight_formats::element_as<double>(packed, element_of(p.type), 0) != wide) {
        refuse_number(from.name, element, per_sample, formatted("{}, which {} does not hold", wide, mil_name(p.type)));
    }
}

/// The elements of an array as a port holds them.
ANEMONE_INLINE std::vector<std::byte> sample_elements(const stored_tensor& from, const sample_port& p) {
    const auto count = static_cast<std::size_t>(from.shape.count());
    const std::size_t per_sample = from.shape[0] > 0 ? count / static_cast<std::size_t>(from.shape[0]) : 0;
    const auto size = static_cast<std::size_t>(bytes(p.type, 1));
    std::vector<std::byte> made(count * size);
    weight_formats::with_element(from.type, [&]<class Element>() {
        if constexpr (!std::is_void_v<Element>) {
            for (std::size_t i = 0; i < count; ++i) {
                Element value;
                std::memcpy(&value, from.bytes.data() + i * sizeof value, sizeof value);
                store_sample(weight_formats::number_of(value), from, p, i, per_sample, made.data() + i * size);
            }
        }
    });
    return made;
}

ANEMONE_INLINE std::vector<std::int32_t> sample_labels(const stored_tensor& from, std::int64_t classes) {
    const auto count = static_cast<std::size_t>(from.shape.count());
    const std::size_t per_sample = from.shape[0] > 0 ? count / static_cast<std::size_t>(from.shape[0]) : 0;
    std::vector<std::int32_t> made(count);
    weight_formats::with_element(from.type, [&]<class Element>() {
        if constexpr (!std::is_void_v<Element>) {
            for (std::size_t i = 0; i < count; ++i) {
                Element stored;
                std::memcpy(&stored, from.bytes.data() + i * sizeof stored, sizeof stored);
                const auto value = static_cast<double>(weight_formats::number_of(stored));
                if (!(value >= 0 && value < static_cast<double>(classes)) || value != std::floor(value)) {
                    refuse_number(from.name, i, per_sample,
                                  formatted("{}, classes are whole numbers from 0 to {}", value, classes - 1));
                }
                made[i] = static_cast<std::int32_t>(value);
            }
        }
    });
    return made;
}

ANEMONE_INLINE void refuse_samples [[noreturn]] (const sample_port& p, const extents& array) {
    std::string wanted = formatted("the model takes {}", sample_text(p.shape, 1));
    if (p.shape.rank > 0 && p.shape[0] > 1) {
        wanted += formatted(" ({} of them in a run) or {}", p.shape[0], sample_text(p.shape, 0));
    }
    if (p.classes >= 0) {
        wanted += formatted(", or {} of {} classes", sample_text(without_classes(p), 1), p.shape[p.classes]);
    }
    throw error(errc::port, p.name, formatted("its samples are {}, {}", sample_text(array, 1), wanted));
}

ANEMONE_INLINE std::string names_of_samples(std::span<const sample_port> ports) {
    std::vector<std::string> names;
    for (const sample_port& p : ports) {
        names.push_back(p.name);
    }
    return joined(names);
}

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

ANEMONE_BODY_OF sample_arrays::sample_arrays(std::span<const sample_port> ports, const weight_store& arrays) {
    for (const stored_tensor& each : arrays) {
        if (std::none_of(ports.begin(), ports.end(), [&](const sample_port& p) { return p.name == each.name; })) {
            throw error(errc::port, each.name, "no input has this name; there are: " + detail::names_of_samples(ports));
        }
    }
    const sample_port* first = nullptr;
    const sample_port* not_row = nullptr;
    const sample_port* not_whole = nullptr;
    for (const sample_port& p : ports) {
        const stored_tensor* const found = arrays.find(p.name);
        if (found == nullptr) {
            throw error(errc::port, p.name,
                        "no array for this input; the inputs are: " + detail::names_of_samples(ports));
        }
        if (found->shape.rank == 0 || found->shape.rank > extents::capacity) {
            throw error(errc::port, p.name, "is one number: the first axis counts the samples");
        }
        const detail::sample_fit fit = detail::fit_of(p, found->shape);
        if (!fit.is_row && !fit.is_whole) {
            detail::refuse_samples(p, found->shape);
        }
        const bool same_rows = first == nullptr || (p.shape.rank > 0 && p.shape[0] == first->shape[0]);
        not_row = not_row == nullptr && (!fit.is_row || !same_rows) ? &p : not_row;
        not_whole = not_whole == nullptr && !fit.is_whole ? &p : not_whole;
        if (first != nullptr && found->shape[0] != size_) {
            throw error(errc::port, p.name,
                        formatted("has {} samples, {} has {}", found->shape[0], first->name, size_));
        }
        size_ = found->shape[0];
        first = first == nullptr ? &p : first;
    }
    if (first == nullptr) {
        return;
    }
    if (size_ == 0) {
        throw error(errc::port, first->name, "has no samples");
    }
    if (not_row != nullptr && not_whole != nullptr) {
        detail::refuse_samples(*not_row, arrays.at(not_row->name).shape);
    }
    batch_ = not_row == nullptr ? first->shape[0] : 1;
    for (const sample_port& p : ports) {
        const stored_tensor& from = arrays.at(p.name);
        array& made = arrays_.emplace_back();
        made.bytes = static_cast<std::size_t>(bytes(p.type, p.shape.count() / batch_));
        if (detail::fit_of(p, from.shape).is_label) {
            made.labels = detail::sample_labels(from, p.shape[p.classes]);
            made.classes = static_cast<std::size_t>(p.shape[p.classes]);
            made.per_sample = static_cast<std::size_t>(from.shape.count() / size_);
            made.inner = 1;
            for (int axis = p.classes + 1; axis < p.shape.rank; ++axis) {
                made.inner *= static_cast<std::size_t>(p.shape[axis]);
            }
        } else {
            made.elements = detail::sample_elements(from, p);
        }
    }
}

ANEMONE_BODY_OF void sample_arrays::fill(std::span<const std::int64_t> samples,
                                         std::span<const std::span<std::byte>> memory) const {
    for (std::size_t k = 0; k < arrays_.size(); ++k) {
        const array& a = arrays_[k];
        for (std::size_t row = 0; row < samples.size(); ++row) {
            const auto sample = static_cast<std::size_t>(samples[row]);
            std::byte* const to = memory[k].data() + row * a.bytes;
            if (a.labels.empty()) {
                std::memcpy(to, a.elements.data() + sample * a.bytes, a.bytes);
                continue;
            }
            std::memset(to, 0, a.bytes);
            const std::size_t size = a.bytes / (a.per_sample * a.classes);
            for (std::size_t i = 0; i < a.per_sample; ++i) {
                const auto label = static_cast<std::size_t>(a.labels[sample * a.per_sample + i]);
                const std::size_t at = (i / a.inner * a.classes + label) * a.inner + i % a.inner;
                const half one(1);
                if (size == sizeof one) {
                    std::memcpy(to + at * size, &one, sizeof one);
                } else {
                    to[at * size] = std::byte{1};
                }
            }
        }
    }
}

} // namespace ane::inline ANEMONE_WAY
