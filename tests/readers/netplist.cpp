#include "../formats/netplist_models.hpp"
#include "netplist_network.hpp"
#include <anemone/io/file.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

using namespace ane;
using namespace netplist_network;

namespace {

netplist written(const read_model& model, std::string_view name) {
    const lowered_graph lowered = lower(model.graph);
    return emit_netplist(lowered.graph, fold_constants(lowered.graph, model.weights), name);
}

/// The types of all units, sorted.
names units_of(const netplist& program) {
    names result;
    const auto& top = *program.document.get_if<plist_dict>();
    const auto& networks = *top.find("Networks")->get_if<plist_array>();
    const auto& net = *top.find(*networks.front().get_if<std::string>())->get_if<plist_dict>();
    for (const plist_value& unit : *net.find("Units")->get_if<plist_array>()) {
        const auto& body = *net.find(*unit.get_if<std::string>())->get_if<plist_dict>();
        result.push_back(*body.find("Type")->get_if<std::string>());
    }
    std::sort(result.begin(), result.end());
    return result;
}

/// The first lines in which two texts differ.
std::string first_difference(const std::string& a, const std::string& b) {
    const auto [left, right] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    const auto from = [](const std::string& text, std::size_t at) { return text.substr(at < 100 ? 0 : at - 100, 200); };
    const auto at = static_cast<std::size_t>(left - a.begin());
    return a == b ? "" : from(a, at) + "\n--- instead of\n" + from(b, at);
}

bool mentions(const std::vector<read_fault>& faults, std::string_view operation, std::string_view part) {
    for (const read_fault& f : faults) {
        if (f.operation.find(operation) != std::string::npos && f.reason.find(part) != std::string::npos) {
            return true;
        }
    }
    for (const read_fault& f : faults) {
        MESSAGE(ane::text(f));
    }
    return false;
}

network relu() {
    network n;
    n.input("x", {1, 1, 2, 1, 2}).unit("a", "Neuron", {"x"}, {{"Type", "ReLU"}});
    return n;
}

} // namespace

TEST_CASE("what is read from a written netplist is written as it was read") {
    for (const auto& model : netplist_models::all) {
        CAPTURE(model.name);
        netplist given = netplist_models::emit(model.build(), model.name);
        std::vector<std::string> texts{formats::to_xml(given.document)};
        std::vector<names> units{units_of(given)};
        for (int i = 0; i < 3; ++i) {
            given = written(read_netplist(given), model.name);
            texts.push_back(formats::to_xml(given.document));
            units.push_back(units_of(given));
        }
        // Names follow the numbers of nodes, so the first text has others. What Broadcast or Inv makes of a constant the
        // writer stores as one, so there a graph has fewer nodes after a second reading.
        const std::string_view name = model.name;
        const bool folds = name == "stencil" || name == "arithmetic";
        // Between some layers there are units that go to the one at one time and to the other at another.
        const bool renames = name == "arithmetic" || name == "movement";
        CHECK((renames || first_difference(texts[2], texts[3]) == ""));
        CHECK(units[1] == units[2]);
        if (!folds && !renames) {
            CHECK(first_difference(texts[1], texts[2]) == "");
        }
        // Once read, the epsilon of Log2 is added by a unit of its own, and products are between other transpositions.
        if (!folds && name != "activations" && name != "products") {
            CHECK(units[0] == units[1]);
        }
    }
}

TEST_CASE("a file is read with the weight files beside it, XML or binary, and a node knows its line") {
    const std::filesystem::path folder = std::filesystem::temp_directory_path() / "anemone_read_netplist";
    for (const formats::plist_form form : {formats::plist_form::xml, formats::plist_form::binary}) {
        const std::string path = write_netplist(netplist_models::emit(netplist_models::mlp(), "mlp"), folder, form);
        const read_model read = read_netplist_file(path);
        CHECK(read.weights == read_netplist(netplist_models::emit(netplist_models::mlp(), "mlp")).weights);
        const graph_view g = read.graph;
        CHECK(std::string_view(g[0].where.file) == path);
        CHECK((g[g.size() - 1].where.line > 1) == (form == formats::plist_form::xml));
        std::filesystem::remove_all(folder);
    }
    CHECK_THROWS_AS(read_netplist_file(folder / "net.plist"), error);

    network twins = relu();
    twins.blobs = {{"a/weights", std::vector<std::byte>(64)}, {"b/weights", std::vector<std::byte>(64)}};
    twins.constant("c", {1, 1, 2, 1, 2}, 0).constant("d", {1, 1, 2, 1, 2}, 1);
    twins.unit("sum", "ElementWise", {"c", "d"}, {{"Type", "Add"}});
    write_file(folder / "net.plist", formats::to_xml(twins.program().document));
    write_file(folder / "weights", std::string(64, '\0'));
    CHECK_THROWS_WITH_AS(read_netplist_file(folder / "net.plist"), doctest::Contains("are both the file weights"),
                         unreadable);
    std::filesystem::remove_all(folder);
}

TEST_CASE("schema 1.0.9: ports in the network, one operand as a text, kernels of Float32 inside a file") {
    network n("1.0.9");
    std::vector<float> file(48 + 2 * 3); // 192 bytes of a header before the kernel
    for (std::size_t i = 0; i < 6; ++i) {
        file[48 + i] = static_cast<float>(i + 1);
    }
    const std::int64_t kernel = n.blob(file, true);
    n.input("image", {1, 1, 3, 1, 2});
    n.unit("conv", "Conv", {"image"},
           {{"Type", "Conv"},
            {"KernelWidth", 1},
            {"KernelHeight", 1},
            {"Step", plist_array{1, 1}},
            {"KernelType", "Float32"},
            {"KernelIndex", kernel},
            {"KernelOffset", 192}},
           {{"OutputChannels", 2}, {"UnescapedName", "conv"}});
    n.unit("join", "Concat", {"conv", "image"});
    n.output("join@output");
    const read_model read = n.read();
    CHECK(graph_view(read.graph).name(graph_view(read.graph).outputs[0]) == "join_output");
    CHECK(read.notes == names{"the output \"join@output\" is called join_output"});
    // [1 2 3; 4 5 6] times the columns (1, 2, 3) and (4, 5, 6)
    CHECK(results_of(read, {{1, 4, 2, 5, 3, 6}}) == std::vector<float>{14, 32, 32, 77, 1, 4, 2, 5, 3, 6});
}

TEST_CASE("one of several procedures is named") {
    network n = relu();
    netplist p = n.program();
    plist_dict& top = *p.document.get_if<plist_dict>();
    plist_dict second = *top["ProcedureList"].get_if<plist_array>()->front().get_if<plist_dict>();
    second["Name"] = "other";
    top["ProcedureList"].get_if<plist_array>()->push_back(second);
    CHECK(results_of(read_netplist(p, {.procedure = "other"}), {{-1, 2, 3, -4}}) == std::vector<float>{0, 2, 3, 0});
    CHECK_THROWS_WITH_AS(read_netplist(p), doctest::Contains("has 2 procedures; name one of them: \"run\", \"other\""),
                         unreadable);
    CHECK_THROWS_WITH_AS(read_netplist(p, {.procedure = "third"}), doctest::Contains("has no procedure \"third\""),
                         unreadable);
}

TEST_CASE("all faults are told in one pass, each with its line") {
    network n;
    n.input("x", {1, 1, 2, 1, 2});
    n.unit("a", "Neuron", {"x"}, {{"Type", "Degamma"}});
    n.unit("b", "Neuron", {"a"}, {{"Type", "ELU"}, {"EluAlpha", 0.5}});
    n.unit("c", "Resize", {"x"});
    n.unit("d", "Neuron", {"x"}, {{"Type", "LeakyReLU"}, {"ReluSlope", bits(0.5)}, {"ReluOffset", 3}, {"Odd", 1}});
    n.unit("e", "Frobnicate", {"nobody"});
    n.unit("f", "Neuron", {"x"}, {{"Type", "Wavy"}});
    n.unit("g", "ElementWise", {"x"}, {{"Type", "Add"}});
    n.unit("h", "InputView", {"x"}, {{"Dimension", "Width"}, {"Offset", 1}, {"Size", 2}});
    n.unit("i", "ElementWise", {"x", "k"}, {{"Type", "Add"}});
    n.constant("k", {1, 1, 2, 1, 2}, 7);
    n.unit("j", "SDPA", {"x", "x", "x", "k"});
    n.unit("k2", "Neuron", {"k3"}, {{"Type", "ReLU"}});
    n.unit("k3", "Neuron", {"k2"}, {{"Type", "ReLU"}});
    const auto faults = n.faults();
    CHECK(mentions(faults, "a (Neuron)", "Degamma computes something whose exact form is not known"));
    CHECK(mentions(faults, "b (Neuron)", "EluAlpha is a real, which the engine truncates")); // though a is not read
    CHECK(mentions(faults, "c (Resize)", "has keys that are not known"));
    CHECK(mentions(faults, "d (Neuron)", "ReluOffset is 3; 0 alone is read"));
    CHECK(mentions(faults, "d (Neuron)", "has the key \"Odd\""));
    CHECK(mentions(faults, "e (Frobnicate)", "the unit \"Frobnicate\" is not known"));
    CHECK(mentions(faults, "e (Frobnicate)", "reads \"nobody\", which nothing gives"));
    CHECK(mentions(faults, "f (Neuron)", "the variant \"Wavy\" is not known"));
    CHECK(mentions(faults, "g (ElementWise)", "reads 1 operands, not 2"));
    CHECK(mentions(faults, "h (InputView)", "views 2 from 1 on along Width, which has 2"));
    CHECK(mentions(faults, "i (ElementWise)", "none with number 7"));
    CHECK(mentions(faults, "k", "which reads it in turn"));
    for (const read_fault& f : faults) {
        CHECK(f.where == "net.plist");
        CHECK(f.line > 1);
    }
}

TEST_CASE("what would need memory that no file has is refused") {
    network small;
    small.input("x", {1, 1, 65536, 1, 1});
    small.unit("a", "Conv", {"x"},
               {{"Type", "Conv"},
                {"KernelWidth", 65536},
                {"KernelHeight", 65536},
                {"KernelType", "Float16"},
                {"KernelIndex", small.blob({1})},
                {"KernelOffset", 0}},
               {{"OutputChannels", 65536}});
    CHECK(mentions(small.faults(), "a (Conv)", "has 2 bytes, not the"));

    network often;
    const std::int64_t file = often.blob(std::vector<float>(4096));
    often.input("x", {1, 1, 64, 1, 1});
    names made;
    for (int i = 0; i < 80; ++i) { // kernels at other places of one file are weights of their own
        made.push_back(fmt::format("u{}", i));
        often.unit(made.back(), "Conv", {"x"},
                   {{"Type", "Conv"},
                    {"KernelWidth", 1},
                    {"KernelHeight", 1},
                    {"KernelType", "Float16"},
                    {"KernelIndex", file},
                    {"KernelOffset", 2 * i}},
                   {{"OutputChannels", 63}});
    }
    often.unit("join", "Concat", made, {{"Dimension", "Channel"}});
    CHECK(mentions(often.faults(), "u", "more than 16 times the bytes"));
}

TEST_CASE("ports") {
    network bytes;
    bytes.input("x", {1, 1, 1, 1, 3}, "UInt8").unit("a", "Neuron", {"x"}, {{"Type", "Sqr"}});
    CHECK(bytes.run({{1, 2, 200}}) == std::vector<float>{1, 4, 40000});

    network wide;
    wide.input("x", {1, 1, 1, 1, 3}, "Int32").unit("a", "Neuron", {"x"}, {{"Type", "Sqr"}});
    CHECK(mentions(wide.faults(), "input \"x\"", "has the type \"Int32\""));

    network named;
    named.input("the image", {1, 1, 1, 1, 2}).unit("3", "Neuron", {"the image"}, {{"Type", "ReLU"}}).output("1st");
    const read_model read = named.read();
    CHECK(graph_view(read.graph).name(0) == "the_image");
    CHECK(graph_view(read.graph).name(graph_view(read.graph).outputs[0]) == "_1st");
    CHECK(read.notes.size() == 2);

    network deep;
    deep.input("x", {1, 2, 3, 1, 2}).unit("a", "Neuron", {"x"}, {{"Type", "ReLU"}});
    CHECK(graph_view(deep.read().graph)[0].shape == extents{1, 2, 3, 1, 2});

    network stateful = relu();
    stateful.body["States"] = list({"memory"});
    CHECK(mentions(stateful.faults(), "", "States"));

    network nothing;
    nothing.document["net"] = "text";
    CHECK(!nothing.faults().empty());
    CHECK_THROWS_AS(read_netplist({plist_value("text"), {}}), unreadable);
    CHECK_THROWS_AS(read_netplist({plist_dict{}, {}}), unreadable);
}
