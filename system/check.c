/* Relations of check.h: one predicate each. */
#include "system/check.h"

#include "core/protocol.h"
#include "policy/table.h"

/* Whether row `row` keeps a relation. */
typedef bool (*predicate_t)(const takt_program_t *program, uint32_t row);

/* ---- where things are ------------------------------------------------------------------------------ */

static const takt_policy_t *policy_at(const takt_system_spec_t *spec, int32_t in) {
    const int32_t place = takt_system_place(spec, in);
    return place == TAKT_ROOT ? spec->policy : spec->servers[place].policy;
}

static uint32_t levels_at(const takt_system_spec_t *spec, int32_t in) {
    const int32_t place = takt_system_place(spec, in);
    return place == TAKT_ROOT ? spec->levels : spec->servers[place].levels;
}

static bool has_levels_at(const takt_system_spec_t *spec, int32_t in) {
    return policy_at(spec, in)->order == TAKT_ORDER_LEVELS;
}

static bool is_in_rule_server(const takt_system_spec_t *spec, int32_t in) {
    return takt_system_place(spec, in) != in;
}

static uint64_t entity_count(const takt_system_spec_t *spec) {
    return UINT64_C(1) + spec->server_count + spec->task_count + spec->thread_count;
}

/* Timers with `order_rows` rows of order digits serve the numbers below 2^(4 order_rows - 2). */
static bool rows_suffice(const takt_system_spec_t *spec, uint32_t order_rows) {
    return order_rows == 0 || entity_count(spec) <= (UINT64_C(1) << (4u * order_rows - 2u));
}

static bool has_ceiling(const takt_resource_spec_t *resource) {
    return takt_protocols[resource->protocol]->has_ceiling;
}

static bool has_rule(const takt_system_spec_t *spec, const takt_task_spec_t *task) {
    return task->events > 0 || spec->has_shares || is_in_rule_server(spec, task->server);
}

/* Policies that give windows or deadline rules. */
static bool is_special(const takt_policy_t *policy) {
    const uint32_t special =
        TAKT_POLICY_SLOTS | TAKT_POLICY_PROMOTIONS | TAKT_POLICY_MANDATORY_PARTS | TAKT_POLICY_RULE;
    return (policy->traits & special) != 0;
}

/* Whether `policy` is not of this build. */
static bool is_foreign(const takt_policy_t *policy) {
    bool is_known = false;
    for (size_t i = 0; i < takt_policy_count; i++) {
        is_known |= takt_policies[i] == policy;
    }
    return !is_known;
}

/* ---- the root --------------------------------------------------------------------------------------- */

static bool root_has_a_policy(const takt_program_t *program, uint32_t row) {
    (void)row;
    return program->spec.policy != NULL;
}

static bool numbers_suffice(const takt_program_t *program, uint32_t row) {
    (void)row;
    return entity_count(&program->spec) <= TAKT_ENTITY_LIMIT;
}

static bool root_has_timer_rows(const takt_program_t *program, uint32_t row) {
    (void)row;
    return rows_suffice(&program->spec, program->spec.order_rows);
}

/* ---- servers ---------------------------------------------------------------------------------------- */

static bool server_has_one_kind(const takt_program_t *program, uint32_t row) {
    const takt_server_spec_t *server = &program->spec.servers[row];
    return (server->kind == NULL) != (server->bandwidth == NULL);
}

static bool server_has_a_policy(const takt_program_t *program, uint32_t row) {
    return program->spec.servers[row].policy != NULL;
}

static bool server_has_timer_rows(const takt_program_t *program, uint32_t row) {
    return rows_suffice(&program->spec, program->spec.servers[row].order_rows);
}

static bool budget_is_within_period(const takt_program_t *program, uint32_t row) {
    return program->spec.servers[row].capacity <= program->spec.servers[row].period;
}

/* Each server is visited once in all: the scratch memory says from which row it was. */
static bool servers_form_a_tree(const takt_program_t *program, uint32_t row) {
    int32_t at = (int32_t)row;
    while (at != TAKT_ROOT && program->scratch[at] == 0) {
        program->scratch[at] = row + 1u;
        at = program->spec.servers[at].parent;
        if (at != TAKT_ROOT && program->scratch[at] == row + 1u) {
            return false;
        }
    }
    return true;
}

static bool parent_is_no_rule(const takt_program_t *program, uint32_t row) {
    return !is_in_rule_server(&program->spec, program->spec.servers[row].parent);
}

static bool server_level_exists(const takt_program_t *program, uint32_t row) {
    const takt_server_spec_t *server = &program->spec.servers[row];
    return server->level <= levels_at(&program->spec, server->parent);
}

/* ---- resources -------------------------------------------------------------------------------------- */

static bool resource_is_in_a_dispatcher(const takt_program_t *program, uint32_t row) {
    return !is_in_rule_server(&program->spec, program->spec.resources[row].server);
}

static bool ceiling_needs_levels(const takt_program_t *program, uint32_t row) {
    const takt_resource_spec_t *resource = &program->spec.resources[row];
    return !has_ceiling(resource) || policy_at(&program->spec, resource->server)->level != NULL;
}

static bool ceiling_exists(const takt_program_t *program, uint32_t row) {
    const takt_system_spec_t *spec = &program->spec;
    const takt_resource_spec_t *resource = &spec->resources[row];
    const bool is_level = has_levels_at(spec, resource->server);
    const takt_key_t most = is_level ? levels_at(spec, resource->server) : TAKT_TIME_MOST;
    return !has_ceiling(resource) || (resource->ceiling >= 1 && resource->ceiling <= most);
}

/* The tests of pcp, srp and its like know of no locks under another protocol. */
static bool has_test(const takt_protocol_kind_t *protocol) { return protocol->bars != TAKT_BARS_NOTHING; }

static bool is_among_servers(const takt_protocol_kind_t *protocol) {
    return protocol->scope == TAKT_SCOPE_SERVERS;
}

static bool mixes(takt_protocol_t one, takt_protocol_t other) {
    const takt_protocol_kind_t *protocol = takt_protocols[one];
    const bool may_have_srp_beside = is_among_servers(protocol) && !protocol->awaits_budget;
    return one == other || (!has_test(protocol) && !has_test(takt_protocols[other])) ||
           (may_have_srp_beside && other == TAKT_PROTOCOL_SRP);
}

static bool protocols_mix(const takt_program_t *program, uint32_t row) {
    const takt_resource_spec_t *one = &program->spec.resources[row];
    bool mix = true;
    for (uint32_t i = 0; i < row; i++) {
        const takt_resource_spec_t *other = &program->spec.resources[i];
        mix &= one->server != other->server || mixes(one->protocol, other->protocol) ||
               mixes(other->protocol, one->protocol);
    }
    return mix;
}

static bool protocol_is_among_servers(const takt_program_t *program, uint32_t row) {
    const takt_resource_spec_t *resource = &program->spec.resources[row];
    return !resource->is_shared ||
           (resource->server != TAKT_ROOT && is_among_servers(takt_protocols[resource->protocol]));
}

static bool among_is_of_the_parent(const takt_program_t *program, uint32_t row) {
    const takt_system_spec_t *spec = &program->spec;
    const takt_resource_spec_t *resource = &spec->resources[row];
    const takt_resource_spec_t *among = &spec->resources[resource->among];
    return !resource->is_shared || (!among->is_shared && among->protocol == resource->protocol &&
                                    among->server == spec->servers[resource->server].parent);
}

static bool sharing_server_is_periodic(const takt_program_t *program, uint32_t row) {
    const takt_resource_spec_t *resource = &program->spec.resources[row];
    return !resource->is_shared || takt_server_kind_is_periodic(program->spec.servers[resource->server].kind);
}

static bool server_shares_once(const takt_program_t *program, uint32_t row) {
    const takt_resource_spec_t *one = &program->spec.resources[row];
    bool is_first = true;
    for (uint32_t i = 0; one->is_shared && i < row; i++) {
        const takt_resource_spec_t *other = &program->spec.resources[i];
        is_first &= !other->is_shared || other->server != one->server || other->among != one->among;
    }
    return is_first;
}

static bool longest_fits_protocol(const takt_program_t *program, uint32_t row) {
    const takt_resource_spec_t *resource = &program->spec.resources[row];
    if (!resource->is_shared || !takt_protocols[resource->protocol]->awaits_budget) {
        return resource->longest == 0;
    }
    return resource->longest >= 1 && resource->longest <= program->spec.servers[resource->server].capacity;
}

/* ---- tasks ------------------------------------------------------------------------------------------ */

static bool periodic_has_period(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    return task->is_external || task->period >= 1;
}

static bool jitter_is_of_events(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    return task->is_external || task->jitter == 0;
}

static bool rule_server_holds_events(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    return task->is_external || !is_in_rule_server(&program->spec, task->server);
}

static bool task_level_exists(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    return task->level <= levels_at(&program->spec, task->server);
}

static bool preemption_level_exists(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    return !has_levels_at(&program->spec, task->server) ||
           task->preemption_key <= levels_at(&program->spec, task->server);
}

static bool ring_is_power_of_two(const takt_program_t *program, uint32_t row) {
    const uint32_t ring = program->spec.tasks[row].ring;
    return (ring & (ring - 1u)) == 0;
}

static bool one_deadline_rule(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    return task->events == 0 || !is_in_rule_server(&program->spec, task->server);
}

static bool rule_is_of_events(const takt_program_t *program, uint32_t row) {
    return program->spec.tasks[row].events == 0 || program->spec.tasks[row].is_external;
}

static bool rule_has_interval(const takt_program_t *program, uint32_t row) {
    return program->spec.tasks[row].events == 0 || program->spec.tasks[row].interval >= 1;
}

static bool share_goes_with_policy(const takt_program_t *program, uint32_t row) {
    (void)row;
    return program->spec.has_shares == (program->spec.policy == &takt_policy_share);
}

static bool shares_stand_alone(const takt_program_t *program, uint32_t row) {
    (void)row;
    return !program->spec.has_shares || program->spec.server_count == 0;
}

static bool share_is_of_events(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    return !program->spec.has_shares || (task->is_external && task->events == 0);
}

static bool share_has_weight(const takt_program_t *program, uint32_t row) {
    const uint64_t weight = program->spec.tasks[row].weight;
    return !program->spec.has_shares || (weight >= 1 && weight <= TAKT_SHARE_WEIGHTS);
}

/* ---- streams ---------------------------------------------------------------------------------------- */

static const takt_stream_t *stream_at(const takt_program_t *program, uint32_t row) {
    return &program->streams[row];
}

static bool is_listed(const takt_stream_t *stream) { return stream->kind == TAKT_STREAM_LISTED; }

/* In the order of the numbers, which are not negative. */
static uint64_t bits_of(double value) {
    const union {
        double value;
        uint64_t bits;
    } both = {value};
    return both.bits;
}

static bool stream_has_range(const takt_program_t *program, uint32_t row) {
    return stream_at(program, row)->least <= stream_at(program, row)->most;
}

static bool list_is_not_empty(const takt_program_t *program, uint32_t row) {
    const takt_stream_t *stream = stream_at(program, row);
    return is_listed(stream) == (stream->count > 0);
}

static bool list_is_in_range(const takt_program_t *program, uint32_t row) {
    const takt_stream_t *stream = stream_at(program, row);
    bool is_in = true;
    for (uint64_t i = 0; i < stream->count; i++) {
        is_in &= stream->values[i] >= stream->least;
    }
    return is_in;
}

static bool uniform_ascends(const takt_program_t *program, uint32_t row) {
    const takt_stream_t *stream = stream_at(program, row);
    return stream->kind != TAKT_STREAM_UNIFORM || bits_of(stream->a) <= bits_of(stream->b);
}

static bool shape_is_positive(const takt_program_t *program, uint32_t row) {
    const takt_stream_t *stream = stream_at(program, row);
    return stream->kind != TAKT_STREAM_WEIBULL || bits_of(stream->b) > 0;
}

static bool demand_is_positive(const takt_program_t *program, uint32_t row) {
    const takt_stream_t *demands = program->spec.tasks[row].demands;
    return demands == NULL || demands->least >= 1;
}

static bool arrivals_are_of_events(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    return task->arrivals == NULL || (task->is_external && task->jitter == 0);
}

static bool arrivals_ascend(const takt_program_t *program, uint32_t row) {
    const takt_stream_t *arrivals = program->spec.tasks[row].arrivals;
    bool ascend = true;
    for (uint64_t i = 1; arrivals != NULL && i < arrivals->count; i++) {
        ascend &= arrivals->values[i - 1u] <= arrivals->values[i];
    }
    return ascend;
}

static bool arrivals_have_separation(const takt_program_t *program, uint32_t row) {
    const takt_stream_t *arrivals = program->spec.tasks[row].arrivals;
    if (arrivals == NULL || is_listed(arrivals)) {
        return true;
    }
    const double typical = arrivals->kind == TAKT_STREAM_UNIFORM ? arrivals->b : arrivals->a;
    return arrivals->most >= 1 && (arrivals->least >= 1 || bits_of(typical) >= bits_of(1.0));
}

/* ---- bodies ----------------------------------------------------------------------------------------- */

static bool names_resource(const takt_item_t *item) {
    return item->kind == TAKT_ITEM_LOCK || item->kind == TAKT_ITEM_UNLOCK;
}

static bool item_takes_time(const takt_program_t *program, uint32_t row) {
    const takt_item_t *item = &program->items[row];
    return (item->kind != TAKT_ITEM_RUN && item->kind != TAKT_ITEM_SUSPEND) || item->ticks >= 1;
}

/* Whether each item of the body of task `row` keeps a relation. */
static bool body_keeps(const takt_program_t *program, uint32_t row,
                       bool (*keeps)(const takt_program_t *, uint32_t, const takt_item_t *)) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    bool is_kept = true;
    for (uint32_t i = 0; i < task->body_count; i++) {
        is_kept &= keeps(program, row, &task->body[i]);
    }
    return is_kept;
}

static bool may_suspend(const takt_program_t *program, uint32_t row, const takt_item_t *item) {
    return item->kind != TAKT_ITEM_SUSPEND || program->spec.tasks[row].suspends;
}

static bool may_lock(const takt_program_t *program, uint32_t row, const takt_item_t *item) {
    return !names_resource(item) || program->spec.tasks[row].locks;
}

static bool is_where_the_task_is(const takt_program_t *program, uint32_t row, const takt_item_t *item) {
    const takt_system_spec_t *spec = &program->spec;
    return !names_resource(item) ||
           (item->ticks < spec->resource_count &&
            spec->resources[item->ticks].server == takt_system_place(spec, spec->tasks[row].server));
}

static bool has_no_ceiling(const takt_program_t *program, uint32_t row, const takt_item_t *item) {
    const takt_system_spec_t *spec = &program->spec;
    return !names_resource(item) || !is_in_rule_server(spec, spec->tasks[row].server) ||
           !has_ceiling(&spec->resources[item->ticks]);
}

static bool suspensions_are_told(const takt_program_t *program, uint32_t row) {
    return body_keeps(program, row, may_suspend);
}

static bool locks_are_told(const takt_program_t *program, uint32_t row) {
    return body_keeps(program, row, may_lock);
}

static bool locked_resource_is_there(const takt_program_t *program, uint32_t row) {
    return body_keeps(program, row, is_where_the_task_is);
}

static bool rule_locks_without_ceiling(const takt_program_t *program, uint32_t row) {
    return body_keeps(program, row, has_no_ceiling);
}

/* What is held: of each resource, in scratch memory, one more than the place below it in the stack; 0: it is free. The
 * places of resources count from 1, and 0 is the bottom. */
typedef struct held {
    uint32_t *below;
    uint32_t top;
} held_t;

static bool push(held_t *held, uint32_t resource) {
    if (held->below[resource] != 0) {
        return false;
    }
    held->below[resource] = held->top + 1u;
    held->top = resource + 1u;
    return true;
}

static void pop(held_t *held) {
    uint32_t *below = &held->below[held->top - 1u];
    held->top = *below - 1u;
    *below = 0;
}

static bool pop_this(held_t *held, uint32_t resource) {
    if (held->top != resource + 1u) {
        return false;
    }
    pop(held);
    return true;
}

static bool pass_item(held_t *held, const takt_item_t *item) {
    switch (item->kind) {
    case TAKT_ITEM_LOCK:
        return push(held, (uint32_t)item->ticks);
    case TAKT_ITEM_UNLOCK:
        return pop_this(held, (uint32_t)item->ticks);
    default:
        return item->kind != TAKT_ITEM_SUSPEND || held->top == 0;
    }
}

/* No resource is locked twice, and no job suspends itself in a section. */
static bool sections_nest(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    held_t held = {program->scratch + program->spec.server_count, 0};
    bool nest = true;
    for (uint32_t i = 0; i < task->body_count && nest; i++) {
        nest = pass_item(&held, &task->body[i]);
    }
    while (held.top != 0) {
        pop(&held);
    }
    return nest;
}

/* ---- windows ---------------------------------------------------------------------------------------- */

static bool is_allocator(takt_windows_t kind) { return kind >= TAKT_WINDOWS_TOP; }

/* Whether `policy` is one that others than its own windows do not go with. */
static bool is_closed(const takt_policy_t *policy) {
    return policy == &takt_policy_rate_based || is_foreign(policy);
}

static bool windows_fit(const takt_policy_t *policy, takt_windows_t kind) {
    if (is_allocator(kind)) {
        return !is_closed(policy);
    }
    if (policy == &takt_policy_time_driven) {
        return kind == TAKT_WINDOWS_TIME_DRIVEN;
    }
    if (policy == &takt_policy_imprecise) {
        return kind == TAKT_WINDOWS_IMPRECISE;
    }
    if (policy == &takt_policy_dual_priority) {
        return kind == TAKT_WINDOWS_NONE || kind == TAKT_WINDOWS_DUAL_PRIORITY;
    }
    return kind == TAKT_WINDOWS_NONE || (kind <= TAKT_WINDOWS_ABORT && !is_closed(policy));
}

static bool windows_go_with_policy(const takt_program_t *program, uint32_t row) {
    (void)row;
    bool fit = true;
    for (uint32_t i = 0; i < program->spec.task_count; i++) {
        const takt_windows_t kind =
            program->spec.windows != NULL ? program->spec.windows[i].kind : TAKT_WINDOWS_NONE;
        fit &= windows_fit(program->spec.policy, kind);
    }
    return fit;
}

static bool allocator_is_last(const takt_program_t *program, uint32_t row) {
    return !is_allocator(program->spec.windows[row].kind) || row + 1u == program->spec.task_count;
}

static bool is_plain(const takt_task_spec_t *task) {
    return !task->is_external && !task->suspends && !task->is_limited;
}

static bool windowed_is_plain(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    return program->spec.windows[row].kind == TAKT_WINDOWS_NONE ||
           (is_plain(task) && !task->locks && task->on_miss == TAKT_ON_MISS_CONTINUE &&
            task->body_count == 0 && task->server == TAKT_ROOT);
}

static bool part_is_in_range(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    const takt_duration_t part = program->spec.windows[row].parameters.part;
    switch (program->spec.windows[row].kind) {
    case TAKT_WINDOWS_DUAL_PRIORITY:
        return part <= task->relative_deadline;
    case TAKT_WINDOWS_IMPRECISE:
        return part <= task->wcet;
    case TAKT_WINDOWS_TOP:
        return part >= 1 && part <= task->period;
    default:
        return part == 0;
    }
}

static bool windowed_deadline_is_in_period(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    const takt_windows_t kind = program->spec.windows[row].kind;
    const bool is_bound = kind == TAKT_WINDOWS_DUAL_PRIORITY || kind == TAKT_WINDOWS_IMPRECISE;
    return !is_bound || task->relative_deadline <= task->period;
}

static bool slots_are_of_time_driven(const takt_program_t *program, uint32_t row) {
    const takt_window_spec_t *window = &program->spec.windows[row];
    return (window->kind == TAKT_WINDOWS_TIME_DRIVEN) == (window->parameters.slot_count > 0);
}

static bool slots_ascend(const takt_program_t *program, uint32_t row) {
    const takt_window_parameters_t *parameters = &program->spec.windows[row].parameters;
    bool ascend = true;
    for (uint32_t i = 1; i < parameters->slot_count; i++) {
        const takt_slot_t *before = &parameters->slots[i - 1u];
        ascend &= before->start + before->length <= parameters->slots[i].start;
    }
    return ascend;
}

static bool slots_are_in_cycle(const takt_program_t *program, uint32_t row) {
    const takt_window_parameters_t *parameters = &program->spec.windows[row].parameters;
    bool are_in = true;
    for (uint32_t i = 0; i < parameters->slot_count; i++) {
        are_in &= parameters->slots[i].start + parameters->slots[i].length <= parameters->cycle;
    }
    return are_in;
}

static bool cycles_are_equal(const takt_program_t *program, uint32_t row) {
    const takt_window_spec_t *windows = program->spec.windows;
    return row == 0 || windows[row].parameters.slot_count == 0 ||
           windows[row].parameters.cycle == windows[row - 1u].parameters.cycle;
}

/* ---- threads and the platform ------------------------------------------------------------------------ */

static bool thread_level_exists(const takt_program_t *program, uint32_t row) {
    return program->spec.threads[row].level <= program->spec.levels;
}

static bool tick_has_period(const takt_program_t *program, uint32_t row) {
    return program->costs[row].tick == 0 || program->costs[row].tick_period >= 1;
}

static bool pull_is_without_ticks(const takt_program_t *program, uint32_t row) {
    return !program->costs[row].is_pull || program->costs[row].tick == 0;
}

static bool interval_is_positive(const takt_program_t *program, uint32_t row) {
    const takt_architecture_t *architecture = &program->architecture[row];
    return architecture->model != TAKT_ARCHITECTURE_SOFTWARE || architecture->interval >= 1;
}

static bool architecture_has_plain_tasks(const takt_program_t *program, uint32_t row) {
    (void)row;
    const takt_system_spec_t *spec = &program->spec;
    bool are_plain = true;
    for (uint32_t i = 0; i < spec->task_count; i++) {
        const takt_task_spec_t *task = &spec->tasks[i];
        are_plain &= is_plain(task) && !task->locks && task->server == TAKT_ROOT &&
                     task->on_miss == TAKT_ON_MISS_DROP && task->demands == NULL && task->body_count == 0 &&
                     !takt_system_has_windows(spec, i);
    }
    return are_plain;
}

static bool architecture_keeps_order(const takt_program_t *program, uint32_t row) {
    (void)row;
    return program->spec.policy->overtake == NULL;
}

static bool architecture_has_no_changes(const takt_program_t *program, uint32_t row) {
    (void)row;
    return program->spec.change_count == 0;
}

/* ---- rates ------------------------------------------------------------------------------------------ */

static bool rates_go_with_policy(const takt_program_t *program, uint32_t row) {
    (void)row;
    return (program->spec.rates != NULL) == (program->spec.policy == &takt_policy_rate_based);
}

static bool rates_stand_alone(const takt_program_t *program, uint32_t row) {
    (void)row;
    return program->spec.server_count == 0;
}

static bool use_is_of_a_locking_task(const takt_program_t *program, uint32_t row) {
    const takt_use_spec_t *use = &program->spec.uses[row];
    return use->task < program->spec.task_count && program->spec.tasks[use->task].locks;
}

static bool use_is_under_srp(const takt_program_t *program, uint32_t row) {
    const uint32_t resource = program->spec.uses[row].resource;
    return program->spec.rates != NULL && resource < program->spec.resource_count &&
           program->spec.resources[resource].protocol == TAKT_PROTOCOL_SRP;
}

/* Whether one of the first `count` uses is of `task` and `resource`. */
static bool is_used(const takt_system_spec_t *spec, uint32_t count, uint32_t task, uint64_t resource) {
    bool is_any = false;
    for (uint32_t i = 0; i < count; i++) {
        is_any |= spec->uses[i].task == task && spec->uses[i].resource == resource;
    }
    return is_any;
}

static bool use_is_told_once(const takt_program_t *program, uint32_t row) {
    const takt_use_spec_t *use = &program->spec.uses[row];
    return !is_used(&program->spec, row, use->task, use->resource);
}

static bool rated_is_plain(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    return program->spec.rates == NULL || (is_plain(task) && task->on_miss == TAKT_ON_MISS_CONTINUE &&
                                           !(task->is_greedy && task->body_count > 0));
}

static bool is_rate_weight(uint64_t weight) { return weight >= 1 && weight < TAKT_RATE_WEIGHTS; }

static bool rated_has_weight(const takt_program_t *program, uint32_t row) {
    return program->spec.rates == NULL || is_rate_weight(program->spec.tasks[row].weight);
}

/* Whether a reservation of `task` can have such times; class none and whole budgets have no wcet. */
static bool are_rate_times(const takt_task_spec_t *task, takt_duration_t wcet, takt_duration_t deadline,
                           takt_duration_t period) {
    const bool has_wcet = task->task_class != TAKT_CLASS_NONE && !task->is_greedy;
    return period <= TAKT_RATE_LONGEST && deadline <= period && (!has_wcet || wcet <= deadline);
}

static bool rated_times_are_short(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    return program->spec.rates == NULL ||
           are_rate_times(task, task->wcet, task->relative_deadline, task->period);
}

static bool rated_body_locks_its_uses(const takt_program_t *program, uint32_t row) {
    const takt_system_spec_t *spec = &program->spec;
    bool are_uses = true;
    for (uint32_t i = 0; spec->rates != NULL && i < spec->tasks[row].body_count; i++) {
        const takt_item_t *item = &spec->tasks[row].body[i];
        are_uses &= item->kind == TAKT_ITEM_RUN ||
                    (names_resource(item) && is_used(spec, spec->use_count, row, item->ticks));
    }
    return are_uses;
}

static bool greedy_is_rated(const takt_program_t *program, uint32_t row) {
    return program->spec.rates != NULL || !program->spec.tasks[row].is_greedy;
}

static bool only_soft_adapts(const takt_program_t *program, uint32_t row) {
    const takt_task_spec_t *task = &program->spec.tasks[row];
    return !task->adapts || (program->spec.rates != NULL && task->task_class == TAKT_CLASS_SOFT);
}

/* ---- changes ---------------------------------------------------------------------------------------- */

static bool is_of_policy(const takt_program_t *program, uint32_t row) {
    return program->spec.changes[row].kind == TAKT_CHANGE_POLICY;
}

static bool is_of_parameters(const takt_program_t *program, uint32_t row) {
    return program->spec.changes[row].kind == TAKT_CHANGE_PARAMETERS;
}

static const takt_task_spec_t *changed_by(const takt_program_t *program, uint32_t row) {
    return &program->spec.tasks[program->spec.changes[row].task];
}

static bool change_is_of_a_task(const takt_program_t *program, uint32_t row) {
    return is_of_policy(program, row) || program->spec.changes[row].task < program->spec.task_count;
}

static bool changes_ascend(const takt_program_t *program, uint32_t row) {
    const takt_change_spec_t *changes = program->spec.changes;
    return row == 0 || changes[row - 1u].instant <= changes[row].instant;
}

static bool policy_change_has_policy(const takt_program_t *program, uint32_t row) {
    return is_of_policy(program, row) == (program->spec.changes[row].policy != NULL);
}

/* What is made for one policy does not go with another. Of threads a kernel has one, which is always ready. */
static bool can_change(const takt_policy_t *policy) {
    return !is_foreign(policy) && !is_special(policy) && policy != &takt_policy_rate_based;
}

static bool policies_can_change(const takt_program_t *program, uint32_t row) {
    const takt_system_spec_t *spec = &program->spec;
    return !is_of_policy(program, row) ||
           (can_change(spec->policy) && can_change(spec->changes[row].policy) && spec->thread_count <= 1);
}

/* Once for all changes. */
static bool is_first_of_policy(const takt_program_t *program, uint32_t row) {
    bool is_first = is_of_policy(program, row);
    for (uint32_t i = 0; is_first && i < row; i++) {
        is_first = !is_of_policy(program, i);
    }
    return is_first;
}

static bool threshold_survives(const takt_program_t *program, uint32_t row) {
    const takt_system_spec_t *spec = &program->spec;
    bool survives = true;
    for (uint32_t i = 0; is_first_of_policy(program, row) && i < spec->task_count; i++) {
        const takt_task_spec_t *task = &spec->tasks[i];
        survives &= (task->server != TAKT_ROOT || !task->is_limited || task->preemption_key == 0) &&
                    !takt_system_has_windows(spec, i);
    }
    return survives;
}

static bool ceiling_survives(const takt_program_t *program, uint32_t row) {
    const takt_system_spec_t *spec = &program->spec;
    bool survives = true;
    for (uint32_t i = 0; is_first_of_policy(program, row) && i < spec->resource_count; i++) {
        survives &= spec->resources[i].server != TAKT_ROOT || !has_ceiling(&spec->resources[i]);
    }
    return survives;
}

static bool changed_has_no_windows(const takt_program_t *program, uint32_t row) {
    return is_of_policy(program, row) ||
           !takt_system_has_windows(&program->spec, program->spec.changes[row].task);
}

static bool changed_has_no_rule(const takt_program_t *program, uint32_t row) {
    return !is_of_parameters(program, row) || !has_rule(&program->spec, changed_by(program, row));
}

/* The longest sections of a server that shares under sirap count all its tasks. Ceilings are looked at where a job
 * locks. */
static bool changed_is_unmeasured(const takt_program_t *program, uint32_t row) {
    const takt_system_spec_t *spec = &program->spec;
    bool is_unmeasured = true;
    for (uint32_t i = 0; is_of_parameters(program, row) && i < spec->resource_count; i++) {
        const takt_resource_spec_t *resource = &spec->resources[i];
        is_unmeasured &= !resource->is_shared || !takt_protocols[resource->protocol]->awaits_budget ||
                         resource->server != changed_by(program, row)->server;
    }
    return is_unmeasured;
}

static bool changed_period_is_positive(const takt_program_t *program, uint32_t row) {
    return is_of_policy(program, row) || changed_by(program, row)->is_external ||
           program->spec.changes[row].period >= 1;
}

static bool changed_level_exists(const takt_program_t *program, uint32_t row) {
    return is_of_policy(program, row) ||
           program->spec.changes[row].level <= levels_at(&program->spec, changed_by(program, row)->server);
}

static bool changed_demand_is_positive(const takt_program_t *program, uint32_t row) {
    const takt_stream_t *demands = program->spec.changes[row].demands;
    return demands == NULL || demands->least >= 1;
}

static bool changed_rate_fits(const takt_program_t *program, uint32_t row) {
    const takt_change_spec_t *change = &program->spec.changes[row];
    return program->spec.rates == NULL || !is_of_parameters(program, row) ||
           (change->task_class == changed_by(program, row)->task_class && is_rate_weight(change->weight) &&
            are_rate_times(changed_by(program, row), change->wcet, change->relative_deadline,
                           change->period));
}

/* ---- several processors -------------------------------------------------------------------------------- */

static bool processors_stand_alone(const takt_program_t *program, uint32_t row) {
    (void)row;
    const takt_system_spec_t *spec = &program->spec;
    return spec->cpu_count == 0 ||
           (spec->server_count == 0 && spec->resource_count == 0 && spec->thread_count == 0 &&
            spec->change_count == 0 && spec->rates == NULL);
}

static bool processors_have_one_policy(const takt_program_t *program, uint32_t row) {
    (void)row;
    const takt_policy_t *policy = program->spec.policy;
    return program->spec.cpu_count == 0 ||
           (policy->overtake == NULL && policy != &takt_policy_rate_based && !is_special(policy));
}

static bool is_free(const takt_sim_costs_t *costs) {
    return costs == NULL ||
           ((costs->context_switch | costs->release | costs->scheduling | costs->point | costs->tick) == 0 &&
            !costs->is_pull);
}

static bool processors_are_free(const takt_program_t *program, uint32_t row) {
    (void)row;
    return program->spec.cpu_count == 0 || (is_free(program->costs) && program->architecture == NULL);
}

static bool processors_have_plain_tasks(const takt_program_t *program, uint32_t row) {
    (void)row;
    const takt_system_spec_t *spec = &program->spec;
    bool are_plain = true;
    for (uint32_t i = 0; spec->cpu_count > 0 && i < spec->task_count; i++) {
        const takt_task_spec_t *task = &spec->tasks[i];
        are_plain &= !task->suspends && !task->locks && task->body_count == 0 &&
                     (!task->is_limited || task->preemption_key == TAKT_KEY_MOST_URGENT) &&
                     !takt_system_has_windows(spec, i);
    }
    return are_plain;
}

/* ---- what comes from outside ------------------------------------------------------------------------- */

static bool input_is_of_somebody(const takt_program_t *program, uint32_t row) {
    const takt_system_spec_t *spec = &program->spec;
    const takt_input_t *input = &program->inputs[row];
    return input->kind == TAKT_INPUT_CHANGE
               ? input->index < spec->change_count
               : input->index < spec->task_count && spec->tasks[input->index].is_external;
}

/* ---- all of them --------------------------------------------------------------------------------------- */

#define TAKT_RELATION_ROW(name, table, message) {#name, message, name, TAKT_TABLE_##table},

static const struct {
    const char *name;
    const char *message;
    predicate_t keeps;
    takt_table_t table;
} relations[TAKT_RELATIONS] = {TAKT_RELATION_LIST(TAKT_RELATION_ROW)};

const char *takt_relation_message(takt_relation_t relation) { return relations[relation].message; }

const char *takt_relation_name(takt_relation_t relation) { return relations[relation].name; }

static bool is_kept(const takt_program_t *program, takt_relation_t relation, takt_place_t *place) {
    for (uint32_t row = 0; row < program->rows[relations[relation].table]; row++) {
        if (!relations[relation].keeps(program, row)) {
            *place = (takt_place_t){(uint32_t)relations[relation].table, row, 0};
            return false;
        }
    }
    return true;
}

takt_relation_t takt_check(const takt_program_t *program, takt_place_t *place) {
    takt_relation_t relation = 0;
    while (relation < TAKT_RELATIONS && is_kept(program, relation, place)) {
        relation++;
    }
    return relation;
}
