#include "tests/sim/node.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

void node_start(struct node *node, const struct core_face *face, void *core, Bus__Role role, const char *name,
                uint64_t boot)
{
    *node = (struct node){ .face = face, .core = core };
    (void)snprintf(node->name, sizeof node->name, "%s", name);
    node->self = (struct link_self){ .role = role, .name = node->name, .boot = boot };
    arena_init(&node->arena, 64 << 10, LINK_UNPACKED_MAX);
}

void node_connect(struct node *node, uint16_t peer, Bus__Role role, const char *name)
{
    node->peers[peer].is_peer = true;
    link_init(&node->peers[peer].link, &node->self, role, name);
}

void node_stop(struct node *node)
{
    for (uint16_t i = 0; i < NODES_MAX; i++) {
        if (node->peers[i].is_peer)
            link_fini(&node->peers[i].link);
        node->peers[i].is_peer = false;
    }
    arena_fini(&node->arena);
    node->core = NULL;
}

/* What the core has to tell goes into the links' batches. */
static void push_outbox(struct node *node)
{
    struct outbox *outbox = node->face->outbox(node->core);

    for (size_t i = 0; i < outbox->count; i++)
        (void)link_push(&node->peers[outbox->entries[i].peer].link, outbox->entries[i].item);
    outbox_clear(outbox);
}

static void tell_down(struct node *node, uint64_t now_ms, uint16_t peer)
{
    if (!node->peers[peer].is_up)
        return;
    node->peers[peer].is_up = false;
    node->peers[peer].is_backlogged = false;
    node->face->peer_down(node->core, now_ms, peer);
}

static void tell_up(struct node *node, uint64_t now_ms, uint16_t peer)
{
    const struct link *link = &node->peers[peer].link;

    node->peers[peer].is_up = true;
    node->face->peer_up(node->core, now_ms, peer, link->peer_role, link->peer_name, link_peer_boot(link));
}

void node_receive(struct node *node, uint64_t now_ms, uint16_t from, struct span data,
                  const struct node_wire *wire)
{
    struct link *link = &node->peers[from].link;
    struct link_verdict verdict;
    Bus__Batch *batch;

    arena_reset(&node->arena);
    batch = link_unpack(&node->arena, data);
    assert(batch != NULL);
    if (!link_goes_on(link, batch))
        push_outbox(node);
    verdict = link_receive(link, now_ms, batch);
    if (verdict.refuse != BUS__REFUSED__WHY__WHY_NONE) {
        uint8_t message[LINK_REFUSAL_SIZE_MAX];
        size_t size = link_refusal(&node->self, batch, verdict.refuse, message);

        (void)wire->emit(wire->context, from, (struct span){ message, size });
        return;
    }
    if (verdict.down)
        tell_down(node, now_ms, from);
    if (verdict.up)
        tell_up(node, now_ms, from);
    for (size_t i = 0; verdict.apply && i < batch->n_items; i++)
        node->face->on_item(node->core, now_ms, from, batch->items[i]);
    link_check(link);
}

struct emit_context {
    const struct node_wire *wire;
    uint16_t to;
};

static bool emit_to_peer(void *context, struct span message)
{
    struct emit_context *emit = context;

    return emit->wire->emit(emit->wire->context, emit->to, message);
}

static void flush_peer(struct node *node, uint64_t now_ms, uint16_t number, const struct node_wire *wire)
{
    struct node_peer *peer = &node->peers[number];
    struct emit_context emit = { wire, number };
    bool is_over;

    link_flush(&peer->link, now_ms, emit_to_peer, &emit);
    is_over = link_is_over(&peer->link);
    if (!peer->is_up || is_over == peer->is_backlogged)
        return;
    peer->is_backlogged = is_over;
    if (node->face->backlogged != NULL)
        node->face->backlogged(node->core, number, is_over);
}

void node_run(struct node *node, uint64_t now_ms, const struct node_wire *wire)
{
    for (uint16_t i = 0; i < NODES_MAX; i++) {
        if (node->peers[i].is_peer && link_tick(&node->peers[i].link, now_ms))
            tell_down(node, now_ms, i);
    }
    if (now_ms >= node->face->wakes_at(node->core))
        node->face->tick(node->core, now_ms);
    push_outbox(node);
    for (uint16_t i = 0; i < NODES_MAX; i++) {
        if (node->peers[i].is_peer)
            flush_peer(node, now_ms, i, wire);
    }
}

uint64_t node_wakes_at(const struct node *node)
{
    uint64_t wakes_ms = node->face->wakes_at(node->core);

    for (uint16_t i = 0; i < NODES_MAX; i++) {
        uint64_t link_ms = node->peers[i].is_peer ? link_wakes_at(&node->peers[i].link) : UINT64_MAX;

        wakes_ms = link_ms < wakes_ms ? link_ms : wakes_ms;
    }
    return wakes_ms;
}
