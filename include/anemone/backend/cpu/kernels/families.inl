// Included by simd/each_set.inl: the tables of one instruction set, by family (families.def), and all of them together.
// The loops that fill them are in level.inl; the compiled library makes an object of each family and set (cmake/anemone_library.cmake).

namespace ane::cpu::detail::inline ANEMONE_WAY {
namespace ANEMONE_SET {

#define ANEMONE_KERNEL_FAMILY(family, member, object)                                                                  \
    template <kernel_needs Needs> struct family##_loops { static const family##_kernels table; };
#include "families.def"

#if defined(__clang__) && defined(ANEMONE_COMPILED) // the tables are in other objects: clang would warn that it sees none
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wundefined-var-template"
#endif
template <kernel_needs Needs> const kernel_table& kernels() {
    static constinit const kernel_table table{
        .level = isa_level::ANEMONE_SET_LEVEL,
#define ANEMONE_KERNEL_FAMILY(family, member, object) .member = family##_loops<Needs>::table,
#include "families.def"
    };
    return table;
}
#if defined(__clang__) && defined(ANEMONE_COMPILED)
#pragma clang diagnostic pop
#endif

} // namespace ANEMONE_SET
} // namespace ane::cpu::detail::inline ANEMONE_WAY
