// Binding of response times under fixed priorities, of limited preemption, of control-flow graphs.
#include "python/analysis/module.hpp"

void bind_fixed_priority(nb::module_ &m) { (void)m; }
