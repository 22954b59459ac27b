// Binding of what is chosen so that a set fits: priorities, points, regions, thresholds; and of utilization bounds.
#include "python/analysis/module.hpp"

void bind_assignment(nb::module_ &m) { (void)m; }
