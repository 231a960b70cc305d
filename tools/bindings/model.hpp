#pragma once

#include "../anemone/judgement.hpp"
#include "../anemone/model_file.hpp"
#include <anemone/cost/cost.hpp>
#include <anemone/report/report_policy.hpp>
#include <anemone/report/verdicts.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

/// What the C interface and the Python module share: models of files and their programs, asked by strings and bytes as
/// the command asks them.
namespace bindings {

/// Element types of the caller's arrays. Ports have the first three.
enum class element : std::uint8_t { float16, int8, uint8, float32, float64 };

const char* name(element type);
std::size_t bytes_of(element type);

/// An input or an output of a model, or a state that its programs keep.
struct port {
    std::string name;
    element type = element::float16;
    std::vector<std::int64_t> shape{};
    std::size_t count = 1; ///< elements
    int node = -1;         ///< in the graph

    std::size_t bytes() const { return count * bytes_of(type); }
};

/// "image, mask"; "none" where there is none.
std::string names_of(const std::vector<port>& ports);
/// The port of a name. Throws `ane::error` (errc::port) for a name that is none: "x: is no input; there are: image".
const port& named(const std::vector<port>& ports, const std::string& name, const char* what);

/// A model of a file, or what became of one. It does not change once it is made: any number of threads may ask it.
class model {
public:
    /// Throws what `command::read` throws.
    model(const std::string& path, const command::reading& how);
    /// What became of a model: another graph of the same ports.
    model(const model& from, ane::dynamic_graph graph, ane::weight_store weights);

    const std::vector<port>& inputs() const { return inputs_; }
    const std::vector<port>& outputs() const { return outputs_; }
    const std::vector<port>& states() const { return states_; }
    /// What the reader remarks, a sentence each.
    const std::vector<std::string>& notes() const { return file_.notes; }
    const std::string& path() const { return path_; }
    const ane::read_model& file() const { return file_; }
    /// Read to be judged: constants that fp16 does not hold are the nearest that it does. Such a model is not run.
    bool approximates() const { return approximates_; }
    /// Bytes that weights, and the values of a run, may take.
    std::uint64_t memory() const { return memory_; }

    /// Throws `ane::error` (errc::argument) where the model approximates: it cannot be `what` ("run").
    void require_exact(const char* what) const;

    /// What `anemone check` finds.
    command::judgement check(const std::string& targets, const ane::report_policy& rules) const;
    /// The estimate of one target.
    ane::cost cost(const std::string& target) const;
    /// SVG.
    std::string drawing(const std::string& title) const;
    /// Writes the model as "mil", "netplist" or "mlpackage" into a folder, which is made where it is missing; gives the path of the
    /// text.
    std::string convert(const std::string& to, const std::string& folder) const;

private:
    void find_ports();

    std::string path_;
    bool approximates_;
    bool is_mil_;
    std::uint64_t memory_;
    ane::read_model file_;
    std::vector<port> inputs_{};
    std::vector<port> outputs_{};
    std::vector<port> states_{};
};

} // namespace bindings
