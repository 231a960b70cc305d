#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

/// The parts of a page that needs nothing but itself.
namespace command::html {

/// Text as content or as an attribute's value; controls become blanks.
std::string escaped(std::string_view text);

/// A cell; `kind` is its class: "error", "warning", "note", "accepted", "text".
std::string cell(std::string_view text, std::string_view kind = {});
/// A cell with an identifier, which may break behind its underscores.
std::string named(std::string_view name);
/// A cell that sorts by a number.
std::string number(double value, std::string_view shown);

/// A table whose columns sort, of rows that are complete.
std::string table(std::initializer_list<std::string_view> heads, const std::string& rows);

/// What the reader may open.
std::string details(std::string_view summary, const std::string& content, bool open = false);

/// The whole page.
std::string page(std::string_view title, const std::string& body);

} // namespace command::html
