#pragma once

#include "../app/check.hpp"
#include "../app/compress.hpp"
#include "../app/generate_options.hpp"
#include "../app/layer_errors.hpp"
#include "../app/optimize.hpp"
#include "../app/option_faults.hpp"
#include "../app/placement.hpp"
#include "../app/timeline.hpp"
#include "../app/train_options.hpp"
#include "guarded.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

/// The structures of anemone.h as options of use cases. What is 0 in one is the default.
namespace c_interface {

constexpr app::caller caller{app::front_end::c, nullptr};

/// A member of a structure of C, and the option that it gives.
template <class C, class Given, class Of, class Value> struct same {
    Given C::*from;
    Value Of::*to;
    constexpr same(Given C::*given, Value Of::*option) : from(given), to(option) {}
};
/// The same of a list and its length.
template <class C, class Given, class Of, class Value> struct list {
    Given C::*from;
    std::size_t C::*count;
    std::vector<Value> Of::*to;
    constexpr list(Given C::*given, std::size_t C::*length, std::vector<Value> Of::*option)
        : from(given), count(length), to(option) {}
};

/// The members of a structure, but for its size and what is read apart.
template <class C> inline constexpr std::tuple<> members{};
template <>
inline constexpr std::tuple members<anemone_reading>{
    same(&anemone_reading::function, &app::reading_options::function),
    list(&anemone_reading::shapes, &anemone_reading::shape_count, &app::reading_options::shapes),
    same(&anemone_reading::max_memory, &app::reading_options::max_memory),
    same(&anemone_reading::approximates, &app::reading_options::approximates),
    list(&anemone_reading::values, &anemone_reading::value_count, &app::reading_options::values),
    same(&anemone_reading::weights, &app::reading_options::weights),
    same(&anemone_reading::context, &app::reading_options::context),
    same(&anemone_reading::chunk, &app::reading_options::chunk),
    same(&anemone_reading::batch, &app::reading_options::batch),
    same(&anemone_reading::layout, &app::reading_options::layout),
    same(&anemone_reading::image, &app::reading_options::image),
    same(&anemone_reading::frame_height, &app::reading_options::frame_height),
    same(&anemone_reading::frame_width, &app::reading_options::frame_width)};
template <>
inline constexpr std::tuple members<anemone_policy>{
    list(&anemone_policy::errors, &anemone_policy::error_count, &app::check_options::errors),
    list(&anemone_policy::waived, &anemone_policy::waived_count, &app::check_options::waive),
    same(&anemone_policy::route, &app::check_options::route),
    same(&anemone_policy::system, &app::check_options::system),
    same(&anemone_policy::profile, &app::check_options::profile)};
template <>
inline constexpr std::tuple members<anemone_optimizing>{
    same(&anemone_optimizing::bits, &app::optimize_options::bits),
    same(&anemone_optimizing::values, &app::optimize_options::values),
    same(&anemone_optimizing::errors, &app::optimize_options::errors),
    same(&anemone_optimizing::resident, &app::optimize_options::resident),
    same(&anemone_optimizing::prove, &app::optimize_options::prove),
    list(&anemone_optimizing::ranges, &anemone_optimizing::range_count, &app::optimize_options::ranges),
    same(&anemone_optimizing::forms, &app::optimize_options::forms),
    same(&anemone_optimizing::vendor, &app::optimize_options::vendor)};
template <>
inline constexpr std::tuple members<anemone_compressing>{
    same(&anemone_compressing::most_loss, &app::compress_options::most_loss),
    same(&anemone_compressing::goal, &app::compress_options::goal),
    same(&anemone_compressing::to, &app::compress_options::to),
    same(&anemone_compressing::backend, &app::compress_options::backend),
    same(&anemone_compressing::plain, &app::compress_options::plain),
    same(&anemone_compressing::runs, &app::compress_options::random_runs)};
template <>
inline constexpr std::tuple members<anemone_differing>{
    same(&anemone_differing::backend, &app::layer_error_options::backend),
    same(&anemone_differing::bound, &app::layer_error_options::bound),
    same(&anemone_differing::quick, &app::layer_error_options::quick),
    same(&anemone_differing::runs, &app::layer_error_options::random_runs)};
template <>
inline constexpr std::tuple members<anemone_placing>{
    same(&anemone_placing::goal, &app::placement_options::goal),
    same(&anemone_placing::batches, &app::placement_options::batches),
    same(&anemone_placing::gpu_graph, &app::placement_options::gpu_graph)};
template <>
inline constexpr std::tuple members<anemone_calling>{
    same(&anemone_calling::calls, &app::timeline_options::calls),
    same(&anemone_calling::period, &app::timeline_options::period),
    same(&anemone_calling::idle, &app::timeline_options::idle),
    same(&anemone_calling::warm, &app::timeline_options::warm),
    list(&anemone_calling::batches, &anemone_calling::batch_count, &app::timeline_options::batches)};
template <>
inline constexpr std::tuple members<anemone_decoding>{
    same(&anemone_decoding::context, &app::decoding_options::context),
    same(&anemone_decoding::chunk, &app::decoding_options::chunk),
    same(&anemone_decoding::rows, &app::decoding_options::rows),
    same(&anemone_decoding::caches, &app::decoding_options::caches),
    same(&anemone_decoding::layers, &app::decoding_options::layers),
    same(&anemone_decoding::head_parts, &app::decoding_options::head_parts),
    same(&anemone_decoding::draft, &app::decoding_options::draft),
    same(&anemone_decoding::lookup, &app::decoding_options::lookup),
    same(&anemone_decoding::backend, &app::decoding_options::backend),
    same(&anemone_decoding::threads, &app::decoding_options::threads),
    same(&anemone_decoding::max_memory, &app::decoding_options::max_memory)};
template <>
inline constexpr std::tuple members<anemone_generating>{
    same(&anemone_generating::max_tokens, &app::generate_options::max_tokens),
    same(&anemone_generating::temperature, &app::generate_options::temperature),
    same(&anemone_generating::top_k, &app::generate_options::top_k),
    same(&anemone_generating::top_p, &app::generate_options::top_p),
    same(&anemone_generating::min_p, &app::generate_options::min_p),
    same(&anemone_generating::repetition_penalty, &app::generate_options::repetition_penalty),
    same(&anemone_generating::seed, &app::generate_options::seed),
    list(&anemone_generating::stop, &anemone_generating::stop_count, &app::generate_options::stop)};

template <>
inline constexpr std::tuple members<anemone_training>{
    same(&anemone_training::wanted, &app::train_options::wanted),
    same(&anemone_training::output, &app::train_options::output),
    same(&anemone_training::loss, &app::train_options::loss),
    same(&anemone_training::axis, &app::train_options::axis),
    same(&anemone_training::smoothing, &app::train_options::smoothing),
    same(&anemone_training::optimizer, &app::train_options::optimizer),
    same(&anemone_training::rate, &app::train_options::rate),
    same(&anemone_training::schedule, &app::train_options::schedule),
    same(&anemone_training::warm_up, &app::train_options::warm_up),
    same(&anemone_training::last_rate, &app::train_options::last_rate),
    same(&anemone_training::decay, &app::train_options::decay),
    same(&anemone_training::clip, &app::train_options::clip),
    same(&anemone_training::clip_norm, &app::train_options::clip_norm),
    same(&anemone_training::weight_limit, &app::train_options::weight_limit),
    same(&anemone_training::loss_scale, &app::train_options::loss_scale),
    same(&anemone_training::pairs, &app::train_options::pairs),
    same(&anemone_training::epochs, &app::train_options::epochs),
    same(&anemone_training::steps, &app::train_options::steps),
    same(&anemone_training::batch, &app::train_options::batch),
    list(&anemone_training::train, &anemone_training::train_count, &app::train_options::train),
    list(&anemone_training::freeze, &anemone_training::freeze_count, &app::train_options::freeze),
    same(&anemone_training::seed, &app::train_options::seed),
    same(&anemone_training::ordered, &app::train_options::ordered),
    same(&anemone_training::validate_every, &app::train_options::validate_every),
    same(&anemone_training::patience, &app::train_options::patience),
    same(&anemone_training::checkpoint, &app::train_options::checkpoint),
    same(&anemone_training::checkpoint_every, &app::train_options::checkpoint_every),
    same(&anemone_training::keep, &app::train_options::keep),
    same(&anemone_training::resume, &app::train_options::resume),
    same(&anemone_training::backend, &app::train_options::backend),
    same(&anemone_training::threads, &app::train_options::threads),
    same(&anemone_training::step_memory, &app::train_options::step_memory)};

/// The sizes that a structure had in earlier versions: what callers that were compiled with these give. Members are added
/// at the end only, and what such a caller has not is 0.
template <class C> inline constexpr std::array<std::size_t, 0> earlier_sizes{};
template <>
inline constexpr std::array earlier_sizes<anemone_reading>{
    offsetof(anemone_reading, values), offsetof(anemone_reading, context), offsetof(anemone_reading, frame_height)};
template <> inline constexpr std::array earlier_sizes<anemone_policy>{offsetof(anemone_policy, profile)};
template <> inline constexpr std::array earlier_sizes<anemone_placing>{offsetof(anemone_placing, gpu_graph)};
template <> inline constexpr std::array earlier_sizes<anemone_training>{offsetof(anemone_training, step_memory)};
template <> inline constexpr std::array earlier_sizes<anemone_optimizing>{offsetof(anemone_optimizing, forms)};

namespace detail {

template <class Of, class Value, class Member> constexpr bool gives(const Member& member, Value Of::*option) {
    if constexpr (std::equality_comparable_with<decltype(member.to), Value Of::*>) {
        return member.to == option;
    } else {
        return false;
    }
}

/// Whether a structure has a member for each option that C has.
template <class C, class Options> constexpr bool is_complete() {
    bool complete = true;
    app::each_option<Options>([&](const auto& row) {
        if constexpr (requires { row.member; }) {
            const bool is_member = row.is.is_in(app::front_end::c) && !row.is.is_argument_in_c;
            const bool is_given =
                std::apply([&](const auto&... member) { return (gives(member, row.member) || ...); }, members<C>);
            complete = complete && is_member == is_given;
        }
    });
    return complete;
}

inline ane::error size_fault(std::size_t size, std::size_t known, const std::string& name) {
    return {ane::errc::argument, name,
            "has size " + std::to_string(size) + ", this library has " + std::to_string(known)};
}

/// A structure of a caller of this version or an earlier one, of which no more is read than it has.
template <class C> C whole(const C* given, std::string_view name) {
    std::size_t size = 0;
    std::memcpy(&size, given, sizeof size); // the first member of each
    bool is_known = size == sizeof(C);
    for (const std::size_t earlier : earlier_sizes<C>) {
        is_known = is_known || size == earlier;
    }
    if (!is_known) {
        throw size_fault(size, sizeof(C), std::string(name));
    }
    C all{};
    std::memcpy(&all, given, size);
    return all;
}

template <class Value> Value listed(const Value& element, const std::string& /*name*/) { return element; }
inline std::string listed(const char* element, const std::string& name) { return needed_text(element, name.c_str()); }
inline app::input_range listed(const anemone_range& element, const std::string& /*name*/) {
    return {needed_text(element.input, "input of a range"), ane::within(element.low, element.high)};
}

template <class C, class Given, class Of, class Value>
void take(const C& how, Of& options, const same<C, Given, Of, Value>& member) {
    const Given& given = how.*member.from;
    Value& to = options.*member.to;
    if constexpr (std::is_same_v<Value, bool>) {
        to = given != 0;
    } else if constexpr (std::is_enum_v<Value>) {
        to = given == nullptr ? to : app::value_named(app::row_of(member.to), given, app::front_end::c);
    } else if constexpr (std::is_same_v<Value, std::string>) {
        to = given == nullptr ? to : given;
    } else if (given != 0) {
        to = given;
    }
}

template <class C, class Given, class Of, class Value>
void take(const C& how, Of& options, const list<C, Given, Of, Value>& member) {
    const std::string name(app::row_of(member.to).is.name_in(app::front_end::c));
    for (std::size_t i = 0; i < how.*member.count; ++i) {
        (options.*member.to).push_back(listed((&needed(how.*member.from, name.c_str()))[i], name));
    }
}

} // namespace detail

/// The options that a structure gives; the defaults for NULL. Throws `ane::error` (errc::argument) for a structure that
/// this version does not know, and for words that are none.
template <class Options, class C> Options options_from(const C* how) {
    static_assert(detail::is_complete<C, Options>(), "an option has no member in tools/c/options.hpp");
    Options options;
    if (how != nullptr) {
        const C all = detail::whole(how, Options::table().place.c);
        std::apply([&](const auto&... member) { (detail::take(all, options, member), ...); }, members<C>);
    }
    return options;
}

} // namespace c_interface
