#pragma once

#include "../base/formatted.hpp"
#include "../base/way.hpp"
#include "../targets/description.hpp"
#include "../targets/table.hpp"
#include "../targets/target.hpp"
#include "../values/element_type.hpp"
#include "read_model.hpp"

#include <initializer_list>
#include <string>
#include <string_view>

/// What the element types that a program in MIL says mean for the engine's compiler. The graph computes in fp16 and holds
/// none of them: a reader keeps where they are used (`read_model::types`), and these records judge it, target by target.
/// Only bodies include this header.
namespace ane::readers {

class element_types_of {
public:
    constexpr element_types_of(std::initializer_list<element_type> all) {
        for (const element_type e : all) {
            bits_ |= bit(e);
        }
    }
    constexpr bool contains(element_type e) const { return (bits_ & bit(e)) != 0; }

private:
    static constexpr std::uint64_t bit(element_type e) { return std::uint64_t{1} << static_cast<unsigned>(e); }
    std::uint64_t bits_ = 0;
};

/// Integers that are no bytes and no shorts: nothing computes with them.
inline constexpr element_types_of wide_integers{element_type::int32, element_type::uint32, element_type::int64,
                                                element_type::uint64};
inline constexpr element_types_of short_integers{element_type::int8, element_type::uint8, element_type::int16,
                                                 element_type::uint16};
inline constexpr element_types_of integers_and_truth_values{
    element_type::int8,   element_type::uint8, element_type::int16,  element_type::uint16, element_type::int32,
    element_type::uint32, element_type::int64, element_type::uint64, element_type::boolean};
/// Types that only stored weights have, and those that are in no list of the compiler's (guide chapter 8).
inline constexpr element_types_of stored_types{element_type::int4,  element_type::uint1, element_type::uint2,
                                               element_type::uint3, element_type::uint4, element_type::uint6,
                                               element_type::f64,   element_type::bf16};

/// A use of a type that is refused: `use` of one of `types`, on the targets of `on` (null: on all).
struct type_rule {
    std::string_view name; ///< as docs/reading.md lists it
    std::string_view fact; ///< of the rules, or of the registers in docs/conflicts.md
    type_use use;
    element_types_of types;
    bool (*on)(const target_description&) = nullptr;
    std::string_view says; ///< behind the type: "int32 is no type of a port"
    std::string_view advice;
    std::string_view source;
    mark evidence;
    std::string_view silicon = {};
};

/// ANEForge's documents, of M1 and M5, say that truth values at ports are refused; another project expects them to run, on a chip
/// that our facts do not name. Refused where the first ran, taken elsewhere: our reading, nobody's measurement.
constexpr bool refuses_truth_values(const target_description& t) {
    return t.tier == family::a13 || t.tier == family::a17;
}

inline constexpr type_rule type_rules[] = {
    {.name = "port_is_an_integer",
     .fact = "R001",
     .use = type_use::port,
     .types = wide_integers,
     .says = "is no type of a port on the MIL route: fp16, fp32 and bool are",
     .advice = "hand it over as fp16, exact up to 2048, or as uint16",
     .source = "R001 (int32), engine-runtime section 3, mil-dialects",
     .evidence = mark::measured,
     .silicon = "M1"},
    {.name = "port_is_a_stored_type",
     .fact = "R004",
     .use = type_use::port,
     .types = stored_types,
     .says = "is no type of a port on the MIL route: fp16, fp32 and bool are",
     .advice = "hand it over as fp16",
     .source = "guide chapter 8 (bf16 seen refused), engine-runtime section 3",
     .evidence = mark::decompiled},
    {.name = "port_is_bool",
     .fact = "R001",
     .use = type_use::port,
     .types = {element_type::boolean},
     .on = refuses_truth_values,
     .says = "is no type of a port on the MIL route of this chip",
     .advice = "hand it over as fp16, and compare it with 0 inside",
     .source = "documents of ANEForge (M1, M5) by engine-runtime section 3; another project expects it to run",
     .evidence = mark::predicted},
    {.name = "arithmetic_in_fp32",
     .fact = "R001",
     .use = type_use::arithmetic,
     .types = {element_type::f32},
     .says = "arithmetic: the engine computes in fp16 alone, and through Core ML this runs elsewhere",
     .advice = "cast to fp16 before it",
     .source = "guide chapter 4; field-2026 section 3 (fp32 falls back)",
     .evidence = mark::measured,
     .silicon = "M1"},
    {.name = "arithmetic_in_integers",
     .fact = "R001, L009",
     .use = type_use::arithmetic,
     .types = wide_integers,
     .says = "arithmetic: the engine computes in fp16 alone",
     .advice = "compute in fp16, exact up to 2048, or outside",
     .source = "guide chapter 4 (M1), measured-limits (not placed on an M4)",
     .evidence = mark::measured,
     .silicon = "M1, M4"},
    {.name = "arithmetic_in_bytes",
     .fact = "R002",
     .use = type_use::arithmetic,
     .types = short_integers,
     .says = "arithmetic: its parser takes none of these types here (Param 'y' ... got tensor<uint8,...>)",
     .advice = "cast or dequantize before it",
     .source = "guide chapter 4, of uint8; the others carried over",
     .evidence = mark::measured,
     .silicon = "M1"},
    {.name = "arithmetic_in_truth_values",
     .fact = "R001",
     .use = type_use::arithmetic,
     .types = {element_type::boolean},
     .says = "arithmetic: truth values go to select and logical_not alone",
     .advice = "select between two tensors, or cast to fp16",
     .source = "mil-ops section 6",
     .evidence = mark::predicted},
    {.name = "value_is_a_stored_type",
     .fact = "R004",
     .use = type_use::value,
     .types = stored_types,
     .says = "is no type of a value inside a program",
     .advice = "use fp16",
     .source = "guide chapter 8",
     .evidence = mark::decompiled},
    {.name = "cast_of_integers",
     .fact = "R003, L018",
     .use = type_use::cast,
     .types = wide_integers,
     .says = "casts are refused",
     .advice = "hand it over as fp16, exact up to 2048, or as uint16",
     .source = "guide chapter 4 (M1, to int32), measured-limits (not placed on an M4)",
     .evidence = mark::measured,
     .silicon = "M1, M4"},
    {.name = "weight_is_an_integer",
     .fact = "R005",
     .use = type_use::weight,
     .types = integers_and_truth_values,
     .says = "weights are refused: a plain weight is of floating point",
     .advice = "store it as fp16, or by one of the constexpr operations",
     .source = "guide chapter 4",
     .evidence = mark::measured,
     .silicon = "M1"},
    {.name = "operands_of_two_types",
     .fact = "R002",
     .use = type_use::beside_fp16,
     .types = integers_and_truth_values,
     .says = "constants beside fp16: both operands have one type (Param 'y' ... got tensor<uint8,...>)",
     .advice = "write the constant as fp16",
     .source = "guide chapter 4",
     .evidence = mark::predicted},
    {.name = "result_of_another_type",
     .fact = "R196",
     .use = type_use::result,
     .types = {element_type::f32, element_type::int8, element_type::uint8, element_type::int16, element_type::uint16,
               element_type::int32, element_type::uint32, element_type::int64, element_type::uint64},
     .says = "results of fp16 operands: arithmetic gives the type that it reads",
     .advice = "declare it fp16, and cast behind it",
     .source = "string catalogue of the compiler; Core ML's public definitions",
     .evidence = mark::predicted},
};

/// The rule that refuses a use on a target; null where none does, or the sources disagree.
constexpr const type_rule* refusing(const typed_value& v, target t) noexcept {
    for (const type_rule& r : type_rules) {
        if (r.use == v.use && r.types.contains(v.type) && (r.on == nullptr || r.on(describe(t)))) {
            return &r;
        }
    }
    return nullptr;
}

/// "the engine's compiler: int32 arithmetic: ...; compute in fp16 (arithmetic_in_integers: R001, measured on M1)"
ANEMONE_INLINE std::string told_of(const type_rule& r, element_type type) {
    const std::string on = r.silicon.empty() ? std::string() : formatted(" on {}", r.silicon);
    return formatted("the engine's compiler: {} {}; {} ({}: {}, {}{}; {})", mil_name(type), r.says, r.advice, r.name,
                     r.fact, name(r.evidence), on, r.source);
}

} // namespace ane::readers
