#pragma once

#include <string>

/// What the path of a model is, before anything of it is read.
namespace app {

/// The kinds of file that a model comes in.
enum class file_kind { mil, netplist, onnx, mlpackage, checkpoint, network };

/// Whether it is a published model, a configuration and its tensors: of language, or a network of images.
constexpr bool is_published(file_kind kind) { return kind == file_kind::checkpoint || kind == file_kind::network; }

/// Where a model that the user names was found.
struct found_file {
    std::string path; ///< of the text, the property list
    file_kind kind;
    std::string named; ///< what its reader is given: the folder, where the file in it is not the user's own choice
};

/// Where the model of a path is: MIL text, a property list, ONNX, an ML package, a GGUF file, or what a folder has of these; or
/// the name of a known network, where no file has it.
/// Throws `ane::error` (errc::file) where it is none.
found_file find_model(const std::string& path);

/// Whether the model of a path is a published language model; false where there is none.
bool is_checkpoint(const std::string& path);
/// The same of a published network of images or texts.
bool is_network(const std::string& path);

/// The SHA-256 of a model's file; of a folder the file in it that has the model, nothing for a whole package.
std::string digest_of(const std::string& path);

} // namespace app
