#ifndef ANEMONE_BACKEND_BUCKETED_HPP
#define ANEMONE_BACKEND_BUCKETED_HPP

#include "../analysis/padding.hpp"
#include "../base/hidden.hpp"
#include "../base/way.hpp"
#include "../build.hpp"
#include "any.hpp"
#include "port_fault.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// One model at several lengths. The engine's programs have fixed shapes: a sequence runs in the shortest program that
/// holds it, padded, and what padding could change does not compile (analysis/padding.hpp).
namespace ane {

/// A model of one length, from a function of a builder and of the length as a constant:
///
///     constexpr auto encoder = [](auto& g, auto length) { auto x = g.input("x"_s, f16<1, length, 64>); ... };
///     sized<encoder, 128>
template <const auto& Family, int Length>
inline constexpr auto sized = graph([](auto& g) { Family(g, std::integral_constant<int, Length>{}); });

/// How padding changes what a model computes, as compilers print it.
template <op Operation, padding_rule Rule, int Length, int Line, int Axis> struct padding_leak {
    static constexpr bool kept = false;
};
struct lengths_must_ascend_and_be_two_or_more {
    static constexpr bool kept = false;
};
struct padding_is_harmless {
    static constexpr bool kept = true;
};

namespace detail {

template <int... Lengths> constexpr bool ascend() {
    int last = 0;
    bool good = sizeof...(Lengths) >= 2;
    ((good = good && Lengths > last, last = Lengths), ...);
    return good;
}

template <const auto& Family, int Length, int Other>
inline constexpr padding_verdict found_leak = find_padding_leak(sized<Family, Length>, Length, sized<Family, Other>,
                                                                Other);

template <const auto& Family, int Shorter, int Length, int... Longer> constexpr auto find_padding_fault() {
    constexpr padding_verdict found = found_leak<Family, Length, Shorter>;
    if constexpr (!found.ok()) {
        constexpr int node = found.node < 0 ? 0 : found.node;
        constexpr op kind = sized<Family, Length>.view()[node].kind;
        constexpr int line = sized<Family, Length>.view()[node].where.line;
        return padding_leak<kind, found.broken, Length, line, found.axis>{};
    } else if constexpr (sizeof...(Longer) > 0) {
        return find_padding_fault<Family, Length, Longer...>();
    } else {
        return padding_is_harmless{};
    }
}
template <const auto& Family, int... Lengths> constexpr auto find_padding_verdict() {
    if constexpr (!ascend<Lengths...>()) {
        return lengths_must_ascend_and_be_two_or_more{};
    } else {
        return find_padding_fault<Family, Lengths...>();
    }
}
template <const auto& Family, int... Lengths>
using padding_verdict_of = decltype(find_padding_verdict<Family, Lengths...>());
template <class Verdict>
concept harmless = Verdict::kept;

} // namespace detail

/// Whether a family of models can be padded from any length to these, which ascend.
template <const auto& Family, int... Lengths>
concept pads_harmlessly = detail::harmless<detail::padding_verdict_of<Family, Lengths...>>;

} // namespace ane

namespace ane::inline ANEMONE_WAY {

struct bucket_options {
    /// Programs that stay loaded; the one that was used least recently goes. The engine holds about 128 of a process
    /// (R116).
    std::size_t most_loaded = 8;
};

/// The outputs of one sequence, dense, without the padding.
class bucket_results {
public:
    /// The elements of an output. Throws `error` (errc::port) if no output has this name.
    ANEMONE_API std::span<const half> operator[](std::string_view name) const;
    /// The length of the program that ran.
    int bucket() const noexcept { return bucket_; }

    ANEMONE_API_OF(anemone_backend_bucketed_hpp)
    bucket_results(int bucket, std::vector<std::string> names, std::vector<std::vector<half>> values);

private:
    int bucket_;
    std::vector<std::string> names_;
    std::vector<std::vector<half>> values_;
};

} // namespace ane::inline ANEMONE_WAY

namespace ane::detail::inline ANEMONE_WAY {

/// A value that a caller binds: its elements as bytes.
struct bucket_value {
    std::string_view name;
    std::span<const std::byte> bytes;
};

/// The ports of a family and the programs of its lengths, without their types.
class bucket_set {
public:
    /// `models` and `lengths` ascend; all of them were found to be harmless to pad.
    ANEMONE_API_OF(anemone_backend_bucketed_hpp)
    bucket_set(std::span<const graph_view> models, std::span<const int> lengths, backend::any place,
               weight_store weights, const bucket_options& options);

    /// Runs `length` elements on the program of the shortest sufficient length. Throws `error` (errc::port) for a length
    /// that no program has room for, and for values that do not fit.
    ANEMONE_API bucket_results run(std::int64_t length, std::span<const bucket_value> given);
    /// The length of that program; throws the same `error` if there is none.
    ANEMONE_API int bucket_for(std::int64_t length) const;
    /// The lengths whose programs are compiled and in memory.
    ANEMONE_API std::vector<int> loaded() const;

private:
    struct members;
    hidden<members> state_;
};

} // namespace ane::detail::inline ANEMONE_WAY

namespace ane::inline ANEMONE_WAY {

/// A model at several lengths, `bucketed<encoder, 64, 128, 256>(backend::cpu{}, weights)`: a call runs a sequence of any
/// length in the shortest program that holds it, which is compiled when it is first needed.
///
///     auto encode = bucketed<encoder, 64, 128>(backend::cpu{}, weights);
///     auto y = encode(length, "x"_s = elements)["y"_s]; // spans of `half`, dense for this length
///
/// Inputs are padded with zeros (or the end of their promise that is nearest); a port of bytes may be left out and is 1
/// for the sequence and 0 for the padding. What padding could change does not compile: a softmax over the length needs
/// its scores selected by a port of bytes, a sum needs zeros. For one thread at a time.
template <const auto& Family, int... Lengths>
    requires pads_harmlessly<Family, Lengths...>
class bucketed {
    static constexpr std::array lengths{Lengths...};
    static constexpr const auto& first = sized<Family, lengths[0]>;

public:
    /// Compiles nothing yet. Throws `error` for weights that do not fit the model.
    template <runnable_backend Backend>
    explicit bucketed(Backend place, weight_store weights = {}, const bucket_options& options = {})
        : set_(std::array<graph_view, sizeof...(Lengths)>{sized<Family, Lengths>.view()...}, lengths,
               backend::any(std::move(place)), std::move(weights), options) {}

    /// Runs a sequence. A value is a container of `half`, or of bytes for ports of bytes, with just the elements that a
    /// model of this length would have. Throws `error`: argument for a length below 1 or above the largest and while
    /// another thread is running, port for a wrong number of elements, an input left out or a mask that hides all
    /// elements of a row, and what the backend throws.
    template <fixed_string... Names, class... Values>
        requires((detail::input_position(first, Names.view()) >= 0) && ...)
    bucket_results operator()(std::int64_t length, binding<Names, Values>... given) {
        return set_.run(length, std::array<detail::bucket_value, sizeof...(Names)>{value_of(given)...});
    }
    template <fixed_string... Names, class... Values>
        requires(!((detail::input_position(first, Names.view()) >= 0) && ...))
    bucket_results operator()(std::int64_t, binding<Names, Values>...) = delete;

    /// The length of the program in which a sequence runs; throws as a run does.
    int bucket_for(std::int64_t length) const { return set_.bucket_for(length); }
    /// The lengths of the programs that are loaded, the least recently used first.
    std::vector<int> loaded() const { return set_.loaded(); }

private:
    template <fixed_string Name, class Value> static detail::bucket_value value_of(const binding<Name, Value>& given) {
        const std::span elements = elements_of(given.value);
        using element = typename decltype(elements)::value_type;
        static_assert(std::is_same_v<element, typename detail::input_types<first, Name>::element_type>,
                      "the value has another element type than the port: half, or std::uint8_t for ports of bytes");
        return {Name.view(), std::as_bytes(elements)};
    }
    template <class Value> static auto elements_of(const Value& value) {
        if constexpr (requires { value.elements(); }) {
            return value.elements();
        } else {
            return std::span(std::data(value), std::size(value));
        }
    }

    detail::bucket_set set_;
};

} // namespace ane::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "bucketed.ipp"
#endif
