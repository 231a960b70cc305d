#pragma once

#include "model.hpp"
#include "systems.hpp"

#include <array>
#include <cstdint>
#include <string>

namespace app {

/// What a model is written as.
enum class model_format : std::uint8_t { mil, netplist, mlpackage, cpp };

template <>
inline constexpr std::array<named_value<model_format>, 4> words_of<model_format>{
    {{"mil", model_format::mil},
     {"netplist", model_format::netplist},
     {"mlpackage", model_format::mlpackage},
     {"cpp", model_format::cpp}}};

struct convert_options {
    model_format to = model_format::mil;
    std::string name{};
    std::string weights_file{};
    std::string targets{};
    bool core_ml_states = false;
    bool force = false;
    ane::operating_system system = ane::operating_system::any;

    static constexpr auto table() {
        constexpr std::string_view argument_only = "anemone_convert has no structure of options";
        return option_table(
            {.command = "convert", .c = "", .python = "Model.convert"},
            option(&convert_options::to, {.name = "to",
                                          .text = "MIL text, a netplist, an ML package or a C++ header",
                                          .is_required = true,
                                          .is_argument_in_c = true}),
            option(&convert_options::name,
                   {.name = "name",
                    .text = "The namespace of the C++ model, a::b too; without it the header's name",
                    .left_out = {.c = argument_only}}),
            option(&convert_options::weights_file, {.name = "weights_file",
                                                    .text = "How the C++ program opens the weights, if it is elsewhere",
                                                    .left_out = {.c = argument_only}}),
            option(&convert_options::targets,
                   {.name = "targets",
                    .text = "Targets that the C++ model has to conform to, checked at build time",
                    .left_out = {.c = argument_only},
                    .letter = 't',
                    .word = words::targets}),
            option(&convert_options::core_ml_states, {.name = "core_ml_states",
                                                      .text = "States as Core ML has them, in MIL text",
                                                      .left_out = {.c = argument_only}}),
            option(&convert_options::force,
                   {.name = "force",
                    .text = "Replace the model of an ML package that has other files too, which stay",
                    .left_out = {.c = argument_only}}),
            option(&convert_options::system,
                   {.name = "system",
                    .text = "The oldest system whose Core ML is to load MIL text or a package",
                    .left_out = {.c = argument_only}}));
    }
};

/// Writes a model and its weights to a folder, which is made where it is missing, or, as C++, to a header with a
/// safetensors file of its name beside it. The path of what a reader opens: the text, the package, the header. Throws
/// `ane::error` (errc::argument) for a model that was read to be judged, for targets that are none, and where a file would
/// be written over that the model, or another one of the caller, was read from; and as the writers do.
std::string convert(model of, const convert_options& how, const std::string& to, const caller& who);

/// Throws as `convert` where a file would be written over: before much is computed that is then to be written there.
void require_unread(const model& of, const convert_options& how, const std::string& to, const caller& who);

/// The weights that `convert` writes beside a header.
std::string weights_beside(const std::string& header);

} // namespace app
