#include "model_file.hpp"

#include <CLI/CLI.hpp>

namespace command {

void add_reading(CLI::App& sub, reading& how) {
    sub.add_option("-s,--shape", how.shapes, "Of an ONNX input whose shape is free: x=1,3,224,224");
    sub.add_option("--function", how.function,
                   "The function of MIL text or of an ML package, or the procedure of a netplist");
    sub.add_option("--max-memory", how.memory, "Bytes that weights and arrays may take")
        ->transform(CLI::AsSizeValue(false))
        ->capture_default_str();
}

} // namespace command
