#pragma once

#include "layers.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ane::standin_objc {

/// Runs a network, unit by unit. As the engine's compiler does, a GOC joins the layer before it where nothing else
/// reads that one: a bias starts the sums of a convolution, and an offset behind a gain is rounded together with it.
class executor {
public:
    executor(network of, const numerics::datapath& path) : net_(std::move(of)), a_{path} {}

    const network& net() const { return net_; }

    /// The outputs, in the order of OutputList.
    std::vector<tensor> run(const std::vector<tensor>& inputs) const {
        std::map<std::string, tensor, std::less<>> values(net_.constants.begin(), net_.constants.end());
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            values[net_.inputs[i].symbol] = inputs[i];
        }
        for (const unit& u : net_.units) {
            operands xs;
            bool constant = true;
            for (const std::string& name : u.bottoms) {
                const auto found = values.find(name);
                if (found == values.end()) {
                    throw refused("unit " + u.name + " reads " + name + ", which is nothing before it");
                }
                xs.push_back(&found->second);
                constant = constant && found->second.constant;
            }
            tensor y;
            try {
                y = compute(u, xs, values);
            } catch (const refused& why) {
                throw refused("unit " + u.name + ": " + why.what());
            }
            y.constant = constant;
            if (u.channels != 0 && u.channels != y.shape[C]) {
                throw refused("unit " + u.name + ": OutputChannels is " + std::to_string(u.channels));
            }
            values[u.name] = std::move(y);
        }
        std::vector<tensor> result;
        for (const port& each : net_.outputs) {
            result.push_back(values.at(each.from));
            for (half& v : result.back().values) { // N080: no NaN comes out
                v = is_nan(v) ? half::from_bits(0x7C00U) : v;
            }
        }
        return result;
    }

private:
    /// The unit that made an operand, where this is its only reader.
    const unit* before(const std::string& name, std::string_view type) const {
        const unit* const found = net_.find(name);
        const auto readers = net_.readers.find(name);
        return found != nullptr && found->type == type && readers != net_.readers.end() && readers->second == 1
                   ? found
                   : nullptr;
    }

    tensor gain_offset(const unit& u, const tensor& x, const std::map<std::string, tensor, std::less<>>& values) const {
        const std::vector<half> bias = arithmetic::gain(u.params, net_.weights, "Bias", x.shape[C]);
        const std::vector<half> scale = arithmetic::gain(u.params, net_.weights, "Scale", x.shape[C]);
        if (scale.empty()) {
            const unit* const conv = before(u.bottoms.front(), "Conv");
            if (conv != nullptr && conv->params.at("KernelMode").string() == "Dense") {
                return a_.convolution(*conv, net_.weights, values.at(conv->bottoms.front()), bias);
            }
            if (const unit* const first = before(u.bottoms.front(), "GOC")) {
                const std::vector<half> by = arithmetic::gain(first->params, net_.weights, "Scale", x.shape[C]);
                if (!by.empty() && arithmetic::gain(first->params, net_.weights, "Bias", x.shape[C]).empty()) {
                    return a_.by_channel(values.at(first->bottoms.front()), [&](half v, std::size_t c) {
                        return numerics::scale_offset(a_.path, v, by[c], bias[c]);
                    });
                }
            }
        }
        return a_.gain_offset(u, net_.weights, x);
    }

    tensor compute(const unit& u, const operands& xs, const std::map<std::string, tensor, std::less<>>& values) const {
        const std::string& type = u.type;
        const tensor& x = *xs.at(0);
        const plist& p = u.params;
        if (type == "Neuron")
            return a_.neuron(p, x);
        if (type == "ElementWise")
            return a_.element_wise(p, xs);
        if (type == "ScaledElementWise")
            return a_.scaled_element_wise(p, xs);
        if (type == "GOC")
            return gain_offset(u, x, values);
        if (type == "Conv")
            return a_.convolution(u, net_.weights, x, {});
        if (type == "Pooling")
            return a_.pooling(p, x);
        if (type == "MatrixMultiplication")
            return a_.product(x, *xs.at(1));
        if (type == "Softmax")
            return a_.softmax(p, x);
        if (type == "Reduction")
            return a_.reduction(p, x);
        if (type == "ArgMinMax")
            return a_.arg_min_max(p, x);
        if (type == "GlobalArgMinMax")
            return a_.arg(p.at("Type").string() == "Max", axis_named(p.at("Dimension")), x);
        if (type == "Reshape")
            return reshape(p, x);
        if (type == "Transpose")
            return transpose(p, x);
        if (type == "Concat")
            return concat(p, xs);
        if (type == "InputView")
            return input_view(a_, p, x);
        if (type == "Broadcast")
            return broadcast(p, x);
        if (type == "Gather")
            return gather(p, x, *xs.at(1));
        if (type == "DynamicSlice")
            return dynamic_slice(p, x, *xs.at(1));
        if (type == "PixelShuffle" || type == "PixelUnshuffle" || type == "ChannelToSpace" ||
            type == "SpaceToChannel" || type == "SpaceToBatch" || type == "BatchToSpace") {
            return blocks(type, p, x);
        }
        if (type == "LocalResponseNormalization")
            return response_norm(a_, p, x);
        if (type == "TopK" || type == "Sort")
            return ordered(type == "TopK", p, x);
        if (type == "CrossCorrelation")
            return cross_correlation(a_, p, x, *xs.at(1));
        if (type == "CrossProduct")
            return cross_product(a_, x, *xs.at(1));
        if (type == "CostVolume")
            return cost_volume(a_, p, x, *xs.at(1));
        if (type == "FurthestPointSampling")
            return furthest_points(a_, p, x);
        if (type == "MinMaxNormalization")
            return min_max(a_, p, x);
        if (type == "SDPA")
            return attention(a_, p, xs);
        if (type == "Dropout")
            return a_.each(x, [this](half v) { return numerics::dropout(a_.path, v); });
        throw refused("unit type " + type + " is not known");
    }

    network net_;
    arithmetic a_;
};

} // namespace ane::standin_objc
