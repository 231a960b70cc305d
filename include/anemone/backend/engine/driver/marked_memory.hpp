#pragma once

#include "../../../base/error.hpp"
#include "../../../base/way.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

#if defined(__APPLE__)
#include <mach/mach.h>
#include <mach/mach_vm.h>
#else
#include <cstdio>
#include <fstream>
#endif

/// Memory of this process that carries a mark, so that a search for the mark finds it: also by another copy of the
/// library whose symbols see nothing of this one's. The mark is the name of the mapping on Linux, of a memory file that is
/// closed at once, and a tag of the region on macOS.
namespace ane::e5rt::detail::inline ANEMONE_WAY {

#if defined(__APPLE__)
/// One of the sixteen tags that Apple leaves to applications. Others may use it: what lies there is judged too.
inline constexpr unsigned memory_tag = VM_MEMORY_APPLICATION_SPECIFIC_16;

/// The first marked memory of this process that `accepts(address)`; null: there is none. What the call gets can be read.
template <class Accepts> void* find_marked_memory(const Accepts& accepts) {
    mach_vm_address_t at = 0;
    mach_vm_size_t size = 0;
    while (true) {
        vm_region_extended_info_data_t region{};
        mach_msg_type_number_t count = VM_REGION_EXTENDED_INFO_COUNT;
        mach_port_t object = MACH_PORT_NULL;
        if (::mach_vm_region(::mach_task_self(), &at, &size, VM_REGION_EXTENDED_INFO,
                             reinterpret_cast<vm_region_info_t>(&region), &count, &object) != KERN_SUCCESS)
            return nullptr;
        if (region.user_tag == memory_tag && region.protection == (VM_PROT_READ | VM_PROT_WRITE))
            if (void* const here = reinterpret_cast<void*>(at); accepts(here))
                return here;
        at += size;
    }
}
#else
inline constexpr const char* memory_mark = "anemone-process";

/// The first marked memory of this process that `accepts(address)`; null: there is none. What the call gets can be read.
/// Throws `error` (errc::engine) where the process cannot see its own memory.
template <class Accepts> void* find_marked_memory(const Accepts& accepts) {
    std::ifstream regions("/proc/self/maps");
    const std::string marked = std::string("/memfd:") + memory_mark + " ";
    std::string line;
    while (std::getline(regions, line)) {
        unsigned long begin = 0;
        char rights[5] = {};
        if (line.find(marked) != std::string::npos && std::sscanf(line.c_str(), "%lx-%*x %4s", &begin, rights) == 2 &&
            rights[0] == 'r' && rights[1] == 'w')
            if (void* const here = reinterpret_cast<void*>(begin); accepts(here)) // NOLINT(performance-no-int-to-ptr)
                return here;
    }
    if (!regions.eof())
        throw error(
            errc::engine, "/proc/self/maps",
            "cannot be read: by it all copies of this driver in a process find the one gate that keeps their runs "
            "apart (R118); mount /proc");
    return nullptr;
}
#endif

/// A marked page of zeros, which stays until the process ends; a child after a fork has a copy. Throws `error`
/// (errc::engine).
ANEMONE_INLINE void* make_marked_page() {
    const auto size = static_cast<std::size_t>(::getpagesize());
    const auto refuse = [](const char* call) {
        throw error(errc::engine, call,
                    "a page for the state that this driver has once in a process cannot be made: " +
                        std::generic_category().message(errno));
    };
#if defined(__APPLE__)
    // Regions of one kind side by side become one region: a page without rights on either side keeps this one apart.
    void* const around = ::mmap(nullptr, 3 * size, PROT_NONE, MAP_PRIVATE | MAP_ANON, VM_MAKE_TAG(memory_tag), 0);
    if (around == MAP_FAILED)
        refuse("mmap");
    void* const made = static_cast<std::byte*>(around) + size;
    if (::mprotect(made, size, PROT_READ | PROT_WRITE) != 0)
        refuse("mprotect");
    return made;
#else
    const int file = ::memfd_create(memory_mark, MFD_CLOEXEC);
    if (file < 0)
        refuse("memfd_create");
    void* made = MAP_FAILED;
    if (::ftruncate(file, static_cast<::off_t>(size)) == 0)
        made = ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0); // private: a child has its own
    const int failed = errno;
    ::close(file);
    errno = failed;
    if (made == MAP_FAILED)
        refuse("mmap");
    return made;
#endif
}

} // namespace ane::e5rt::detail::inline ANEMONE_WAY
