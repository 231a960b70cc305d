#include "door.hpp"

#include "journal.hpp"
#include "tap_e5rt.hpp"
#include "tap_objc.hpp"

#include <dlfcn.h>

namespace kit {

open_door::open_door(engine_runtime door, ane::target chip, ane::e5rt::time_span pause)
    : door_(door), chip_(chip), pause_(pause) {
    if (door == engine_runtime::e5rt) {
        image_ = ane::e5rt::default_library_path();
        direct_ = tapped_e5rt(image_);
    } else {
        netplist_ = tapped_objc({});
        image_ = netplist_->image();
    }
    if (is_standin(door, image_)) {
        pause_ = {}; // no service is shared there
    }
}

ane::backend::engine open_door::engine(ane::backend::engine_options options) const {
    options.runtime = door_;
    options.e5rt_library = direct_;
    options.objc_library = netplist_;
    options.rules = ane::waive(ane::rule::width_slice_may_saturate); // probes look for it
    options.session.compile_backoff = pause_;
    return ane::backend::engine(chip_, std::move(options));
}

std::string open_door::identity() const {
    return (is_standin(door_, image_) ? "the stand-in of this repository, " : "not a stand-in: ") + image_;
}

std::string open_door::missing() const {
    std::string names;
    if (direct_) {
        ane::e5rt::for_each_symbol([&](auto known) {
            if (direct_->functions().*known.member == nullptr) {
                names += std::string(names.empty() ? "" : ", ") + known.name;
            }
        });
    }
    return names.empty() ? "none" : names;
}

ane::backend::engine_program open_door::compile(const ane::graph_view& model, ane::backend::engine_options options,
                                                const ane::weight_store& weights) {
    const ane::backend::engine place = engine(std::move(options));
    try {
        ane::backend::engine_program program = place.compile(model, weights);
        ++compiles_;
        return program;
    } catch (const ane::error& e) {
        if (e.code() == ane::errc::engine) {
            ++compiles_;
            journal::instance().say(line::pause, is_standin(door_, image_) ? "0" : "1");
        }
        throw;
    }
}

bool is_standin(engine_runtime door, const std::string& image) {
    void* const opened = ::dlopen(image.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) {
        return false;
    }
    const bool found =
        ::dlsym(opened, door == engine_runtime::e5rt ? "anemone_standin_fail" : "anemone_objc_fail") != nullptr;
    ::dlclose(opened);
    return found;
}

} // namespace kit
