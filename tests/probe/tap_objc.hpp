#pragma once

#include "journal.hpp"
#include <anemone/backend/engine/objc/api.hpp>
#include <anemone/backend/engine/objc/message.hpp>
#include <anemone/backend/engine/objc/runtime.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <type_traits>

/// The netplist door with its messages written down. Of an object only whether there is one is told, 1 or 0; of messages
/// that say whether they succeeded, the same. The factories of requests are told by their lookup alone.
namespace kit {

inline std::shared_ptr<const ane::objc::runtime>& tapped_runtime() {
    static std::shared_ptr<const ane::objc::runtime> real;
    return real;
}

template <const auto& Message, class Type = std::remove_cvref_t<decltype(Message)>> struct message_tap;
template <const auto& Message, class Result, class... Arguments>
struct message_tap<Message, ane::objc::message<Result(Arguments...)>> {
    static inline Result (*real)(void*, void*, Arguments...) = nullptr;

    static Result call(void* self, void* selector, Arguments... arguments) {
        const journal& out = journal::instance();
        out.call(Message.text());
        if constexpr (std::is_void_v<Result>) {
            real(self, selector, arguments...);
            out.answer(0);
        } else {
            const Result result = real(self, selector, arguments...);
            out.answer(result ? 1 : 0);
            return result;
        }
    }
    /// Puts itself before `found` if that is the implementation of this message.
    static void take(const std::string& selector, ane::objc::method& found) {
        if (found != nullptr && selector == Message.selector) {
            real = reinterpret_cast<decltype(real)>(found);
            found = reinterpret_cast<ane::objc::method>(&call);
        }
    }
};

class objc_tap {
public:
    static void* register_name(const char* name) {
        void* const selector = real().sel_registerName(name);
        selectors()[selector] = name;
        return selector;
    }
    static void* get_class(const char* name) {
        journal::instance().call("objc_getClass " + std::string(name));
        void* const found = real().objc_getClass(name);
        journal::instance().answer(found != nullptr ? 1 : 0);
        return found;
    }
    static bool responds(void* type, void* selector) {
        journal::instance().call("class_respondsToSelector " + selectors()[selector]);
        const bool does = real().class_respondsToSelector(type, selector);
        journal::instance().answer(does ? 1 : 0);
        return does;
    }
    static ane::objc::method implementation(void* type, void* selector) {
        using all = ane::objc::messages;
        const std::string& name = selectors()[selector];
        ane::objc::method found = real().class_getMethodImplementation(type, selector);
        message_tap<all::describe>::take(name, found);
        message_tap<all::in_memory>::take(name, found);
        message_tap<all::local_path>::take(name, found);
        message_tap<all::compile>::take(name, found);
        message_tap<all::load>::take(name, found);
        message_tap<all::attributes>::take(name, found);
        message_tap<all::wrap>::take(name, found);
        message_tap<all::map>::take(name, found);
        message_tap<all::evaluate>::take(name, found);
        message_tap<all::unmap>::take(name, found);
        message_tap<all::unload>::take(name, found);
        return found;
    }
    static void* create_surface(const void* properties) {
        journal::instance().call("IOSurfaceCreate");
        void* const made = real().IOSurfaceCreate(properties);
        journal::instance().answer(made != nullptr ? 1 : 0);
        return made;
    }

private:
    static const ane::objc::api& real() { return tapped_runtime()->functions(); }
    static std::map<void*, std::string>& selectors() {
        static std::map<void*, std::string> names;
        return names;
    }
};

/// Opens the libraries of the door, of a path or the default ones.
inline std::shared_ptr<const ane::objc::runtime> tapped_objc(const std::string& path) {
    tapped_runtime() = ane::objc::runtime::open(path);
    const auto find = [](const char* name) {
        ane::objc::api table = tapped_runtime()->functions();
        const std::string wanted = name;
        void* found = nullptr;
        ane::objc::for_each_symbol(table, [&](const char* known, auto& slot) {
            if (wanted == known) {
                found = reinterpret_cast<void*>(const_cast<void*>(reinterpret_cast<const void*>(slot)));
            }
        });
        const auto instead = [&](const char* known, auto* function) {
            if (wanted == known) {
                found = reinterpret_cast<void*>(function);
            }
        };
        instead("sel_registerName", &objc_tap::register_name);
        instead("objc_getClass", &objc_tap::get_class);
        instead("class_respondsToSelector", &objc_tap::responds);
        instead("class_getMethodImplementation", &objc_tap::implementation);
        instead("IOSurfaceCreate", &objc_tap::create_surface);
        return found;
    };
    return ane::objc::runtime::from_resolver(find, tapped_runtime()->image());
}

} // namespace kit
