#pragma once

/// Everything: write a model (model.hpp), load weights, compile it for a backend, run it, report on it.
#include "backend/cpu/cpu.hpp"
#include "backend/engine/engine.hpp"
#include "backend/oracle/oracle.hpp"
#include "backend/program.hpp"
#include "compare.hpp"
#include "formats/mil.hpp"
#include "formats/netplist.hpp"
#include "graph/drawing.hpp"
#include "model.hpp"
#include "print.hpp"
#include "report/cost_report.hpp"
#include "rules/report.hpp"
#include "weights/safetensors.hpp"
