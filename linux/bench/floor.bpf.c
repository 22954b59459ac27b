/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/* A scheduler that decides nothing: a thread of SCHED_EXT that wakes preempts what runs. What it costs is what sched_ext
 * costs. */
#include <vmlinux.h>

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

char _license[] SEC("license") = "Dual MIT/GPL";

enum { CLASS_EXT = 7 };

SEC("struct_ops/floor_enqueue")
void BPF_PROG(floor_enqueue, struct task_struct *p, u64 flags) {
    if (p->policy == CLASS_EXT) {
        scx_bpf_dsq_insert(p, SCX_DSQ_LOCAL, SCX_SLICE_INF, flags | SCX_ENQ_PREEMPT | SCX_ENQ_HEAD);
    } else {
        scx_bpf_dsq_insert(p, SCX_DSQ_GLOBAL, SCX_SLICE_DFL, flags);
    }
}

SEC(".struct_ops.link")
struct sched_ext_ops floor_ops = {.enqueue = (void *)floor_enqueue, .name = "floor"};
