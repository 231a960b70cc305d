#include "tensor.hpp"

namespace command {

std::vector<app::input_array> arrays_for(const std::vector<app::port>& inputs, std::span<const tensor> tensors) {
    std::vector<app::input_array> arrays;
    for (const tensor& each : tensors) {
        const bool is_only_one = tensors.size() == 1 && inputs.size() == 1;
        arrays.push_back({is_only_one ? inputs.front().name : each.name, ane::element_type::f64,
                          std::as_bytes(std::span(each.values)), each.shape, each.was_fp16});
    }
    return arrays;
}

} // namespace command
