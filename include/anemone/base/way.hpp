#pragma once

/// The two ways to use the library, from the same sources. What describes and checks a model is `constexpr` and stands
/// in headers. What runs, reads, writes or reports is declared in a header and defined in the body beside it (.ipp):
///
/// - header-only: the header includes its body at its end. Everything in it is a template without a use of its
///   parameter, so that the compiler does no more than parse what a program never calls.
/// - compiled (ANEMONE_COMPILED, which the CMake target anemone::compiled sets for its users and for itself): headers
///   declare, the library has the bodies.
///
/// The inline namespace ANEMONE_WAY around all of it tags types and functions by their way. Both ways in one program are
/// side by side; an object handed from one to the other is an unresolved symbol that names the way. Graphs, tensors and
/// `error` are the same in both and have no tag.
///
///     ANEMONE_API     before the declaration of a function or member function in a header
///     ANEMONE_BODY    before its definition in the body
///     ANEMONE_INLINE  before a function that is defined where it is declared: in a body, or in a header that only
///                     bodies include
///
/// Special members (destructors, copies, moves), virtual functions and friends cannot be templates: they are `inline`,
/// and short.
///
/// Parsing all bodies would take a compiler several times as long as all declarations. Header-only, anemone.hpp
/// therefore leaves out the bodies of the tools (base/left_out.hpp lists their headers, docs/compile_time.md says why):
/// it declares them, and a program that calls one includes the tool's own header too, before or after. Without it, the
/// call does not compile, and the compiler names the header. Such a header has an include guard around its declarations
/// alone, so that its body can follow later, and
///
///     ANEMONE_API_OF(header), ANEMONE_BODY_OF  instead of ANEMONE_API and ANEMONE_BODY
///     ANEMONE_INCLUDED(header)                 at the beginning of its body
///     #if ANEMONE_BODIES                       around the include of its body
#if defined(ANEMONE_COMPILED)
#define ANEMONE_WAY compiled
#define ANEMONE_API __attribute__((visibility("default")))
#define ANEMONE_BODY
#define ANEMONE_INLINE inline
#define ANEMONE_API_OF(header) ANEMONE_API
#define ANEMONE_BODY_OF ANEMONE_BODY
#define ANEMONE_INCLUDED(header) static_assert(true)
#define ANEMONE_BODIES 0
#else
#include "left_out.hpp"

#include <cstddef>
#define ANEMONE_WAY header_only
#define ANEMONE_API template <class = void>
#define ANEMONE_BODY template <class>
#define ANEMONE_INLINE template <class = void>
#define ANEMONE_API_OF(header) template <class Header = ::ane::include::header, std::size_t = sizeof(Header)>
#define ANEMONE_BODY_OF template <class, std::size_t>
#define ANEMONE_INCLUDED(header)                                                                                       \
    struct ane::include::header {}
#define ANEMONE_BODIES 1
#endif
