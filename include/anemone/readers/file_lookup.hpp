#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>

namespace ane {

/// How a reader gets the bytes of a file that another one refers to: made of anything that can be called with the path,
/// as it stands in the text, and returns a span of bytes. The bytes must stay valid until the reader returns; what is
/// thrown, it reports at the place of the reference. Refers to what it is made of, as a parameter does.
class file_lookup {
public:
    template <class Function>
        requires(!std::is_same_v<std::remove_cvref_t<Function>, file_lookup> &&
                 std::is_invocable_r_v<std::span<const std::byte>, Function&, const std::string&>)
    file_lookup(Function&& function) // NOLINT(google-explicit-constructor,bugprone-forwarding-reference-overload)
        : object_(const_cast<void*>(static_cast<const void*>(&function))),
          call_([](void* object, const std::string& path) -> std::span<const std::byte> {
              return (*static_cast<std::remove_reference_t<Function>*>(object))(path);
          }) {}

    std::span<const std::byte> operator()(const std::string& path) const { return call_(object_, path); }

private:
    void* object_;
    std::span<const std::byte> (*call_)(void*, const std::string&);
};

} // namespace ane
