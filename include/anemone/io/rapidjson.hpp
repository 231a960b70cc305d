#pragma once

// The reader of RapidJSON. Its stack adds to a null pointer before it holds anything (RapidJSON 1.1), which clang's
// sanitizer would report. Only bodies include this header.
#if defined(__clang__)
#pragma clang attribute push(__attribute__((no_sanitize("pointer-overflow"))), apply_to = function)
#endif
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>
#if defined(__clang__)
#pragma clang attribute pop
#endif
