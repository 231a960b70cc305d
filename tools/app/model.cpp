#include "model.hpp"

#include <anemone/base/error.hpp>

#include <filesystem>
#include <utility>

namespace app {

model::model(const std::string& path, const reading_options& how, const caller& who)
    : model(path, how, read(path, how, who)) {}

model::model(const std::string& path, const reading_options& how, model_file file)
    : path_(path), how_(how), max_memory_(how.max_memory), approximates_(how.approximates), is_mil_(file.is_mil),
      layers_(file.has_own_layers ? ane::layer_forms::own : ane::layer_forms::safe), graph_(std::move(file.read.graph)),
      weights_(std::make_shared<ane::weight_store>(std::move(file.read.weights))), notes_(std::move(file.read.notes)),
      doubts_(std::move(file.read.doubts)), changes_(std::move(file.read.changes)),
      expanded_(std::move(file.read.expanded)), parts_(std::move(file.parts)), forms_(std::move(file.read.forms)),
      types_(std::move(file.read.types)), hazards_(std::move(file.read.hazards)), unheld_(std::move(file.read.unheld)),
      missing_(std::move(file.read.missing)), hints_(std::move(file.read.hints)), opset_(std::move(file.read.opset)),
      integers_(std::move(file.read.integers)) {}

model model::with(ane::dynamic_graph graph) const {
    model made = *this;
    made.is_mil_ = false;
    made.opset_.clear();
    made.layers_ = ane::layer_forms::safe;
    made.is_made_ = true;
    made.graph_ = std::move(graph);
    made.doubts_.clear(); // of the file's words
    made.forms_.clear();
    made.types_.clear();
    made.hazards_.clear();
    made.hints_.clear();
    return made;
}

model model::with(ane::dynamic_graph graph, ane::weight_store weights) const {
    model made = with(std::move(graph));
    made.missing_.clear();
    made.weights_ = std::make_shared<ane::weight_store>(std::move(weights));
    return made;
}

model model::read_again(const std::function<void(reading_options&)>& change, const caller& who) const {
    if (is_made_) {
        throw ane::error(ane::errc::argument, path_, "was changed since it was read, and is not read again");
    }
    reading_options how = how_;
    change(how);
    return {path_, how, who};
}

std::string model::file_name() const { return std::filesystem::path(path_).filename().string(); }

ane::weight_store model::taken_weights() && {
    return weights_.use_count() == 1 ? std::move(*weights_) : ane::weight_store(*weights_);
}

void model::require_exact(const char* what) const {
    if (approximates_) {
        throw ane::error(ane::errc::argument, path_,
                         std::string("was opened to be judged, with approximate constants, and cannot be ") + what);
    }
}

} // namespace app
