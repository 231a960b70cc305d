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
#if defined(ANEMONE_COMPILED)
#define ANEMONE_WAY compiled
#define ANEMONE_API __attribute__((visibility("default")))
#define ANEMONE_BODY
#define ANEMONE_INLINE inline
#else
#define ANEMONE_WAY header_only
#define ANEMONE_API template <class = void>
#define ANEMONE_BODY template <class>
#define ANEMONE_INLINE template <class = void>
#endif
