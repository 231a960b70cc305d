#pragma once

#include "../base/way.hpp"

namespace ane::inline ANEMONE_WAY {

/// How a netplist is written where its sources disagree (docs/conflicts.md). The defaults need neither side of a
/// conflict to be right.
struct netplist_options {
    /// A scale and an offset in one GOC unit, which computes scale (x + bias). That the bias comes first is inferred
    /// from the numbers of two files (netplist facts, 9.1); the guide describes gain x + offset. A graph that adds
    /// before it scales is written so; one that scales first, where every offset divided by its scale is an fp16 number
    /// that gives the offset back. The sum is then not rounded by a unit of its own, and it may leave fp16 where the
    /// graph's own does not. False: a unit for each, right under both readings.
    bool one_goc = false;
    /// GlobalArgMinMax wherever an argument is reduced. The sources disagree whether it runs before A15 (TC9). False:
    /// ArgMinMax, which runs on every family, the axis laid along the width where it has to be.
    bool global_arg = false;
};

} // namespace ane::inline ANEMONE_WAY
