#pragma once

#include "option.hpp"
#include <anemone/models/activation_layout.hpp>
#include <anemone/models/network_form.hpp>
#include <anemone/readers/mil.hpp>
#include <anemone/readers/read_model.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace app {

template <>
inline constexpr std::array<named_value<ane::models::activation_layout>, 2> words_of<ane::models::activation_layout>{
    {{"rows", ane::models::activation_layout::rows}, {"channels", ane::models::activation_layout::channels}}};
template <>
inline constexpr std::array<named_value<ane::models::image_input>, 2> words_of<ane::models::image_input>{
    {{"normalized", ane::models::image_input::normalized}, {"pixels", ane::models::image_input::pixels}}};

/// How a model is read.
struct reading_options {
    std::string function{};
    std::vector<std::string> shapes{};                  ///< "x=1,3,224,224"
    std::vector<std::string> values{};                  ///< "sr=16000"
    std::string weights{};                              ///< what stands for weights whose file is not there
    std::uint64_t max_memory = std::uint64_t{8} << 30U; ///< what the values of a run may take, too
    bool approximates = false; ///< every number as the nearest that fp16 holds: to judge, not to run

    std::int64_t context = 0; ///< 0: 2048, or what the model was trained for where that is less
    std::int64_t chunk = 1;
    std::int64_t batch = 1;
    ane::models::activation_layout layout = ane::models::activation_layout::rows;
    ane::models::image_input image = ane::models::image_input::normalized;
    std::int64_t frame_height = 0;
    std::int64_t frame_width = 0;

    static constexpr auto table() {
        return option_table(
            {.command = "*", .c = "anemone_reading", .python = "Model.__init__"},
            option(&reading_options::function,
                   {.name = "function",
                    .text = "The function of MIL text or of a package, the procedure of a netplist, the program of a "
                            "language model that one does not hold, or the part of a network of several (of CLIP "
                            "image, text; of Whisper encoder, cross, decoder, step; of a U-Net down, middle, up); else "
                            "the only one, or the whole"}),
            option(&reading_options::shapes, {.name = "shapes",
                                              .text = "Of inputs that the file leaves free",
                                              .named = {.command = "shape"},
                                              .written = {.command = "x=1,3,224,224",
                                                          .c = "\"x=1,3,224,224\"",
                                                          .python = "{\"x\": (1, 3, 224, 224)}"},
                                              .letter = 's'}),
            option(&reading_options::values,
                   {.name = "values",
                    .text = "Of ONNX inputs that are constants, such as a rate; one number fills the shape",
                    .named = {.command = "value"},
                    .written = {.command = "sr=16000 or axes=2,3",
                                .c = "\"sr=16000\", \"axes=2,3\"",
                                .python = "{\"sr\": 16000, \"axes\": (2, 3)}"},
                    .takes_one = true}),
            option(&reading_options::weights,
                   {.name = "weights",
                    .text =
                        "What stands for weights whose file is not there: zeros, random, or a safetensors or GGUF file",
                    .word = words::file}),
            option(&reading_options::max_memory,
                   {.name = "max_memory",
                    .text = "Bytes that weights, and the values of a run, may take",
                    .word = words::bytes},
                   {.least = 1}),
            option(&reading_options::approximates,
                   {.name = "approximates",
                    .text = "To be judged and drawn only, with constants as the nearest that fp16 holds",
                    .left_out = {.command = "what a subcommand does says whether it is to run"}}),
            option(
                &reading_options::context,
                {.name = "context",
                 .text =
                     "Of a published language model: positions that its caches hold; of a network of texts: tokens of a "
                     "run; 0: what is usual"},
                {.least = 0, .most = 1048576}),
            option(&reading_options::chunk,
                   {.name = "chunk", .text = "The same: positions that one run computes, 1 to decode"},
                   {.least = 1, .most = 4096}),
            option(&reading_options::batch,
                   {.name = "batch",
                    .text = "The same: texts that one run computes at once, each with a cache of its own"},
                   {.least = 1, .most = 256}),
            option(&reading_options::layout,
                   {.name = "layout",
                    .text = "Of a published model: activations as frameworks have them, (positions, width), or as the "
                            "engine has them, (1, width, 1, positions)"}),
            option(
                &reading_options::image,
                {.name = "image",
                 .text =
                     "Of an image network: its input as normalized numbers, or as pixels, bytes from 0 to 255 that it "
                     "normalizes itself"}),
            option(&reading_options::frame_height,
                   {.name = "frame_height",
                    .text = "With pixels: rows of what the camera gives, which the graph resizes so that the shorter "
                            "side fits, and of which it takes the centre; 0: as the network takes it"},
                   {.least = 0, .most = 16384}),
            option(&reading_options::frame_width,
                   {.name = "frame_width", .text = "The same: its columns; 0: as the network takes it"},
                   {.least = 0, .most = 16384}));
    }
};

/// A model as it was read.
struct model_file {
    ane::read_model read;
    bool is_mil = false;         ///< a program in MIL: text, alone or in a folder, or a package
    bool has_own_layers = false; ///< it asks for layers of the engine by name: all but ONNX
    ane::opened_files parts{};   ///< what it was read from
};

/// The model of a path: MIL text, a property list, ONNX, an ML package, a folder that has one (`.mlmodelc`, what we write),
/// or a published model: a folder with `config.json`, a GGUF file, or the name of a published network. Throws `ane::error` (errc::file) where it is none, and `ane::unreadable` with all that is wrong with the file;
/// (errc::argument) for shapes that are none, or that are not for such a file.
model_file read(const std::string& path, const reading_options& how, const caller& who);

/// Whether a model is read without the values of weights whose file is not there: to be judged, or with others.
bool allows_missing(const reading_options& how);

/// One of the models in a file: a function of several, or one of the shapes that it enumerates for its inputs.
struct variant {
    std::string function;
    std::vector<std::string> shapes; ///< "x=1,80,300"; empty: as the file says
    std::string others = {};         ///< those that are the same model: " to program_5"
};

/// A file of MIL text of which several models are read.
struct open_text {
    std::string path{};
    std::optional<ane::opened_mil_file> file{};
};

/// The models of MIL text or of an ML package that has several, but for what `how` chooses; else none. MIL text stays open
/// in `text` for `read`. Throws as `read`.
std::vector<variant> variants_of(const std::string& path, const reading_options& how, open_text& text);

} // namespace app
