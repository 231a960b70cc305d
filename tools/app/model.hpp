#pragma once

#include "port.hpp"
#include "reading.hpp"
#include <anemone/graph/graph.hpp>
#include <anemone/passes/layer_forms.hpp>
#include <anemone/weights/store.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace app {

/// A model of a file, or what became of one. It does not change once it is made: any number of threads may ask it. Copies
/// share the weights.
class model {
public:
    /// Throws what `read` throws.
    model(const std::string& path, const reading_options& how, const caller& who);

    /// What became of it: another graph of the same ports, of the same weights or of others.
    model with(ane::dynamic_graph graph) const;
    model with(ane::dynamic_graph graph, ane::weight_store weights) const;

    /// Its file read anew, by options that `change` makes of those that it was read by. Throws as the constructor, and `ane::error`
    /// (errc::argument) where it is another than its file's.
    model read_again(const std::function<void(reading_options&)>& change, const caller& who) const;

    const std::string& path() const { return path_; }
    /// The name of its file, without folders.
    std::string file_name() const;
    const ane::dynamic_graph& graph() const { return graph_; }
    const ane::weight_store& weights() const { return *weights_; }
    /// Throws as `ports_of`.
    model_ports ports() const { return ports_of(graph_, integers_); }
    /// Its weights where it is the last that has them, else a copy of them.
    ane::weight_store taken_weights() &&;
    /// What the reader remarks, a sentence each, and what it doubts that a compiler takes.
    const std::vector<std::string>& notes() const { return notes_; }
    const std::vector<ane::read_fault>& doubts() const { return doubts_; }
    /// Forms of the file that Apple's parser is not known to take, with what to write instead.
    const std::vector<ane::read_fault>& forms() const { return forms_; }
    /// What of its types a compiler may refuse, target by target, and what systems were seen to fail on.
    const std::vector<ane::typed_value>& types() const { return types_; }
    const std::vector<ane::read_fault>& hazards() const { return hazards_; }
    /// Numbers of the file that the graph does not hold, of a model that is read to be judged: others cannot be read.
    const std::vector<ane::read_fault>& unheld() const { return unheld_; }
    /// Those of the notes that tell of numbers which are others than in the file.
    const std::vector<std::string>& changes() const { return changes_; }
    /// Those of the notes that tell of weights which the file stores smaller than what is written of it.
    const std::vector<std::string>& expanded() const { return expanded_; }
    /// The weights whose values are not there.
    const std::vector<std::string>& missing() const { return missing_; }
    /// What its file's tool wrote beside layers and functions, of its own placement.
    const std::vector<ane::file_hint>& hints() const { return hints_; }
    /// Whether it is MIL text as it was read.
    bool is_mil() const { return is_mil_; }
    /// The layers that an engine runs of it: those that its file asks for, or the safe forms that are written of it.
    ane::layer_forms layers() const { return layers_; }
    /// Whether it is another than its file's.
    bool is_made() const { return is_made_; }
    /// The files that it was read from.
    const ane::opened_files& parts() const { return parts_; }
    /// Core ML's operations that its file names, as it names them; empty: none.
    const std::string& opset() const { return opset_; }
    /// Bytes that weights, and the values of a run, may take.
    std::uint64_t max_memory() const { return max_memory_; }
    /// Throws `ane::error` (errc::argument) where it was read to be judged, with approximate constants: it cannot be
    /// `what` ("run").
    void require_exact(const char* what) const;

private:
    model(const std::string& path, const reading_options& how, model_file file);

    std::string path_;
    reading_options how_;
    std::uint64_t max_memory_;
    bool approximates_;
    bool is_mil_;
    ane::layer_forms layers_;
    bool is_made_ = false;
    ane::dynamic_graph graph_;
    std::shared_ptr<ane::weight_store> weights_;
    std::vector<std::string> notes_;
    std::vector<ane::read_fault> doubts_;
    std::vector<std::string> changes_;
    std::vector<std::string> expanded_;
    ane::opened_files parts_;
    std::vector<ane::read_fault> forms_;
    std::vector<ane::typed_value> types_;
    std::vector<ane::read_fault> hazards_;
    std::vector<ane::read_fault> unheld_; // also of what became of the model: its graph has the others
    std::vector<std::string> missing_;
    std::vector<ane::file_hint> hints_;
    std::string opset_;
    std::vector<std::string> integers_; // inputs of integers, by the file
};

} // namespace app
