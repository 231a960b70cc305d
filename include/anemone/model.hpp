#pragma once

/// What a translation unit needs that only writes models and checks them at build time: no run-time headers.
#include "build.hpp"
#include "ops/ops.hpp"
#include "rules/acceptance.hpp"
#include "rules/conforms.hpp"
#include "targets/sets.hpp"
#include "targets/table.hpp"
