#pragma once

#include "../readers/mil_support.hpp"
#include <anemone/onnx/onnx.hpp>
#include <anemone/onnx/proto.hpp>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

/// Small models of ONNX for tests, made through the messages.
namespace models {

using list = std::vector<std::int64_t>;
using reading::numbers;

class model {
public:
    explicit model(int opset = 17) {
        proto.set_ir_version(8);
        proto.add_opset_import()->set_version(opset);
    }
    ::onnx::GraphProto& graph() { return *proto.mutable_graph(); }

    /// An extent below 0 is free.
    model& input(const std::string& name, const list& shape, int type = ::onnx::TensorProto::FLOAT) {
        port(*graph().add_input(), name, type);
        for (const std::int64_t e : shape) {
            auto* dim =
                graph().mutable_input()->rbegin()->mutable_type()->mutable_tensor_type()->mutable_shape()->add_dim();
            e < 0 ? dim->set_dim_param("free") : dim->set_dim_value(e);
        }
        if (shape.empty()) {
            graph().mutable_input()->rbegin()->mutable_type()->mutable_tensor_type()->mutable_shape();
        }
        return *this;
    }
    model& output(const std::string& name) {
        port(*graph().add_output(), name, ::onnx::TensorProto::FLOAT);
        return *this;
    }
    model& floats(const std::string& name, const list& shape, const std::vector<float>& values) {
        ::onnx::TensorProto& t = tensor(name, shape, ::onnx::TensorProto::FLOAT);
        for (const float v : values) {
            t.add_float_data(v);
        }
        return *this;
    }
    model& integers(const std::string& name, const list& shape, const list& values) {
        ::onnx::TensorProto& t = tensor(name, shape, ::onnx::TensorProto::INT64);
        for (const std::int64_t v : values) {
            t.add_int64_data(v);
        }
        return *this;
    }
    ::onnx::TensorProto& tensor(const std::string& name, const list& shape, int type) {
        ::onnx::TensorProto& t = *graph().add_initializer();
        t.set_name(name);
        t.set_data_type(type);
        for (const std::int64_t e : shape) {
            t.add_dims(e);
        }
        return t;
    }
    ::onnx::NodeProto& node(const std::string& type, const std::vector<std::string>& inputs,
                            const std::vector<std::string>& outputs) {
        return add(*graph().add_node(), type, inputs, outputs);
    }
    static ::onnx::NodeProto& add(::onnx::NodeProto& n, const std::string& type, const std::vector<std::string>& inputs,
                                  const std::vector<std::string>& outputs) {
        n.set_op_type(type);
        n.set_name("the_" + type);
        for (const std::string& name : inputs) {
            n.add_input(name);
        }
        for (const std::string& name : outputs) {
            n.add_output(name);
        }
        return n;
    }

    std::string bytes() const { return proto.SerializeAsString(); }
    ane::read_model read(const ane::onnx_reader_options& options = {}) const {
        const std::string text = bytes();
        return ane::read_onnx(std::as_bytes(std::span(text)), options);
    }
    std::vector<numbers> run(const std::vector<numbers>& inputs, const ane::onnx_reader_options& options = {}) const {
        return reading::run(read(options), inputs);
    }
    std::vector<ane::read_fault> faults(const ane::onnx_reader_options& options = {}) const {
        try {
            read(options);
        } catch (const ane::unreadable& refused) {
            return refused.faults();
        }
        return {};
    }
    /// The sentences of all faults, a line each; empty where the model is read.
    std::string refusal(const ane::onnx_reader_options& options = {}) const {
        std::string text;
        for (const ane::read_fault& fault : faults(options)) {
            text += ane::text(fault) + "\n";
        }
        return text;
    }

    ::onnx::ModelProto proto;

private:
    static void port(::onnx::ValueInfoProto& p, const std::string& name, int type) {
        p.set_name(name);
        p.mutable_type()->mutable_tensor_type()->set_elem_type(type);
    }
};

inline ::onnx::AttributeProto& attribute(::onnx::NodeProto& n, const std::string& name,
                                         ::onnx::AttributeProto::AttributeType type) {
    ::onnx::AttributeProto& a = *n.add_attribute();
    a.set_name(name);
    a.set_type(type);
    return a;
}
inline void set(::onnx::NodeProto& n, const std::string& name, std::int64_t value) {
    attribute(n, name, ::onnx::AttributeProto::INT).set_i(value);
}
inline void set(::onnx::NodeProto& n, const std::string& name, const list& values) {
    ::onnx::AttributeProto& a = attribute(n, name, ::onnx::AttributeProto::INTS);
    for (const std::int64_t v : values) {
        a.add_ints(v);
    }
}

inline bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

} // namespace models
