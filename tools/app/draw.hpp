#pragma once

#include "model.hpp"
#include <anemone/drawing/options.hpp>

#include <array>
#include <string>

namespace app {

template <>
inline constexpr std::array<named_value<ane::drawing::theme>, 3> words_of<ane::drawing::theme>{
    {{"automatic", ane::drawing::theme::automatic},
     {"light", ane::drawing::theme::light},
     {"dark", ane::drawing::theme::dark}}};

struct draw_options {
    ane::drawing::theme theme = ane::drawing::theme::automatic;
    std::string collapse = "auto";
    bool weights = false;

    static constexpr auto table() {
        return option_table(
            {.command = "draw", .c = "", .python = "Model.draw"},
            option(&draw_options::theme, {.name = "theme", .text = "The colours"}),
            option(&draw_options::collapse, {.name = "collapse",
                                             .text = "Blocks as one box: none; by so many parts of their names; auto: "
                                                     "as many as one can read"}),
            option(&draw_options::weights, {.name = "weights", .text = "Weights and constants as boxes of their own"}));
    }
};

/// Throws `ane::error` (errc::argument) where `collapse` is no depth: what `draw` throws, before a model is read for it.
int depth_of(const draw_options& how, const caller& who);

/// A model as the text of an SVG document, under a title. Throws as `depth_of`.
std::string draw(const model& of, const std::string& title, const draw_options& how, const caller& who);

} // namespace app
