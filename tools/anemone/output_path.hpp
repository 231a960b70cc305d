#pragma once

#include <anemone/io/opened_files.hpp>

#include <span>
#include <string>

/// Nothing that a command reads is written over: whatever writes a file asks here, and whatever reads one tells.
namespace command {

/// What this run of the program has read: models and their weights, arrays, images.
ane::opened_files& read_files();

/// Throws `ane::error` (errc::argument) where what is written would replace a file that was read.
void require_unread(const std::string& output);

/// The same of the files that are about to be read, before anything is computed.
void require_other_file(const std::string& output, std::span<const std::string> inputs);

/// Throws `ane::error` (errc::file) where a file or a folder of files cannot be written, as far as that shows before the
/// attempt: a folder that is missing, or is none, or may not be changed. Missing folders around a folder are made.
void require_writable(const std::string& file);
void require_writable_folder(const std::string& folder);

/// `require_writable` and `require_other_file`, of a file that is named; none is where the name is empty.
void require_output(const std::string& file, std::span<const std::string> inputs);

/// Throws `ane::error` (errc::argument) for a folder that is written: it may not be the one that is read, and where it is
/// replaced as a whole, the model may not lie in it.
void require_apart(const std::string& folder, const std::string& model, bool is_replaced);

} // namespace command
