#pragma once

#include <string_view>

/// What a struct says of its own members, once: `ANEMONE_MEMBERS(stride, dilation)` at its end, with all of them in the
/// order of their declaration (else it does not compile where anything reads them). Readers that need no names call
/// `visit_members`, which costs little to compile; graph/reflection.hpp makes a Hana struct of it, with names.
///
/// `member_names` has the names, with a comma and a space between them; `visit_members(values, visitor)` calls
/// `visitor(member...)` with all members at once and gives what it gives.
#define ANEMONE_MEMBERS(...)                                                                                           \
    static constexpr std::string_view member_names = #__VA_ARGS__;                                                     \
    template <class Self, class Visitor>                                                                               \
    static constexpr decltype(auto) visit_members(Self& self, Visitor&& visitor) {                                     \
        __VA_OPT__({ [[maybe_unused]] auto& [__VA_ARGS__] = self; } /* these are all that there are */)                \
        static_cast<void>(self);                                                                                       \
        return visitor(__VA_OPT__(ANEMONE_SCANNED(ANEMONE_OF_SELF(__VA_ARGS__))));                                     \
    }
// `self.` before each: the preprocessor scans the list once for each member, sixteen times at most.
#define ANEMONE_OF_SELF(first, ...) self.first __VA_OPT__(, ANEMONE_OF_SELF_AGAIN ANEMONE_NO_ARGUMENTS(__VA_ARGS__))
#define ANEMONE_OF_SELF_AGAIN() ANEMONE_OF_SELF
#define ANEMONE_NO_ARGUMENTS ()
#define ANEMONE_SCANNED(...) ANEMONE_SCANNED_8(ANEMONE_SCANNED_8(__VA_ARGS__))
#define ANEMONE_SCANNED_8(...) ANEMONE_SCANNED_4(ANEMONE_SCANNED_4(__VA_ARGS__))
#define ANEMONE_SCANNED_4(...) ANEMONE_SCANNED_2(ANEMONE_SCANNED_2(__VA_ARGS__))
#define ANEMONE_SCANNED_2(...) ANEMONE_SCANNED_1(ANEMONE_SCANNED_1(__VA_ARGS__))
#define ANEMONE_SCANNED_1(...) __VA_ARGS__
