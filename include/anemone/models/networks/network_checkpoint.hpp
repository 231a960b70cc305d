#ifndef ANEMONE_MODELS_NETWORKS_NETWORK_CHECKPOINT_HPP
#define ANEMONE_MODELS_NETWORKS_NETWORK_CHECKPOINT_HPP

#include "../../base/way.hpp"
#include "../../readers/read_model.hpp"
#include "../../weights/store.hpp"
#include "network.hpp"

#include <string>

namespace ane {
inline namespace ANEMONE_WAY {
class opened_files;
}
} // namespace ane

/// Published networks as files: a folder with `config.json` and safetensors, or tensors alone, of a network that is known
/// by name.
namespace ane::models::inline ANEMONE_WAY {

struct network_checkpoint_options {
    network_form form{};
    bool allows_missing = false;    ///< whether weights may be missing: to be judged, or with others
    opened_files* opened = nullptr; ///< is told what is opened
    bool counts_beyond_half = true; ///< a note for each weight with numbers that fp16 cannot hold; reads all weights
};

/// The network and its weights out of a folder, as every reader gives them; the configuration alone is enough where weights
/// may be missing. Pixels are normalized by what the files say of them (`read_pixel_statistics`).
///
/// Batch norms are folded into the convolution before them, in double precision, w gamma / sqrt(variance + epsilon) and
/// beta - mean gamma / sqrt(variance + epsilon), epsilon the family's (`norm_epsilon_of`); the offset has the name of the norm's. Joined weights of
/// queries, keys and values are read apart. Of sentence-transformers `modules.json` says how sentences are pooled; another BERT
/// has a pooler where its tensors have one. Throws `ane::error` (errc::file) for what `read_network_configuration` refuses and
/// for files that cannot be read, and `ane::unreadable` with all that is wrong with the tensors: other shapes than the
/// configuration says, other types than fp32, fp16 and bf16, a variance below 0, weights or parts of batch norms that are missing.
ANEMONE_API_OF(anemone_models_networks_network_checkpoint_hpp)
read_model read_network(const std::string& path, const network_checkpoint_options& options = {});

/// The same with tensors of your own, by their published names; `place` names them in errors. A YOLO has as many classes as they
/// have scores.
ANEMONE_API_OF(anemone_models_networks_network_checkpoint_hpp)
read_model network_model(const network& n, weight_store tensors, const std::string& place = "tensors",
                         const network_checkpoint_options& options = {});

/// The tables of a network of texts, out of which the host takes the rows of tokens (text_inputs.hpp), under their published
/// names with underscores for the dots; none of other networks. Throws as `read_network`.
ANEMONE_API_OF(anemone_models_networks_network_checkpoint_hpp) weight_store read_host_tables(const std::string& path);
/// The same out of tensors of your own.
ANEMONE_API_OF(anemone_models_networks_network_checkpoint_hpp)
weight_store host_tables_among(const network& n, weight_store tensors, const std::string& place = "tensors");

/// The network of a folder, of which its configuration alone is read. Throws `ane::error` (errc::file) as `read_network` does.
ANEMONE_API_OF(anemone_models_networks_network_checkpoint_hpp) network network_in_folder(const std::string& path);

/// A form with the statistics of pixels that the files of a folder say, or the usual ones of the family; `read_network` does so.
ANEMONE_API_OF(anemone_models_networks_network_checkpoint_hpp)
network_form network_form_in_folder(const std::string& path, const network_form& form);

/// Whether a folder has the configuration of one of these networks. Throws `ane::error` (errc::file) where it cannot be read.
ANEMONE_API_OF(anemone_models_networks_network_checkpoint_hpp) bool is_network_folder(const std::string& path);

} // namespace ane::models::inline ANEMONE_WAY

#endif
#if ANEMONE_BODIES
#include "network_checkpoint.ipp"
#endif
