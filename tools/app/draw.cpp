#include "draw.hpp"

#include "option_faults.hpp"
#include <anemone/drawing/drawing.hpp>

#include <charconv>
#include <system_error>

namespace app {

int depth_of(const draw_options& how, const caller& who) {
    if (how.collapse == "auto") {
        return ane::readable_depth;
    }
    if (how.collapse == "none") {
        return ane::every_operation;
    }
    int depth = 0;
    const char* const end = how.collapse.data() + how.collapse.size();
    const auto read = std::from_chars(how.collapse.data(), end, depth);
    if (read.ec != std::errc() || read.ptr != end || depth < 1) {
        throw ane::error(ane::errc::argument, spelled(&draw_options::collapse, who.by) + " '" + how.collapse + "'",
                         "must be auto, none or a number from 1 on");
    }
    return depth;
}

std::string draw(const model& of, const std::string& title, const draw_options& how, const caller& who) {
    ane::drawing_options options;
    options.title = title;
    options.fold_weights = !how.weights;
    options.depth = depth_of(how, who);
    options.theme = how.theme;
    return ane::draw_svg(of.graph(), options);
}

} // namespace app
