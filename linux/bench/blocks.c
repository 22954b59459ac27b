// SPDX-License-Identifier: Apache-2.0 OR MIT
// A plugin of the emulator: which blocks of instructions each stay in the kernel executes, from user space to user space.
//
// Arguments: out=FILE,from=ADDRESS,below=ADDRESS. Of the stays that execute a block in that range, the last STAYS are written at
// the end: the number of blocks, then the address of each and its number of instructions, all words of 64 bits.
// where.py reads them. The declarations are those of qemu-plugin.h, version 2, which Debian has not.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint64_t plugin_id_t;
typedef struct { // qemu_info_t, without what is not read
    const char *target_name;
} info_t;
struct block;
enum { NO_REGISTERS = 0 };

uint64_t qemu_plugin_tb_vaddr(const struct block *block);
size_t qemu_plugin_tb_n_insns(const struct block *block);
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id_t id, void (*call)(plugin_id_t, struct block *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct block *block, void (*call)(unsigned, void *), int registers,
                                          void *data);
void qemu_plugin_register_atexit_cb(plugin_id_t id, void (*call)(plugin_id_t, void *), void *data);

int qemu_plugin_version = 2;

enum { STAYS = 512, BLOCKS_MOST = 8192 };

typedef struct {
    uint64_t address;
    uint64_t instructions;
} block_t;

static struct {
    const char *out;
    uint64_t from;
    uint64_t below;
    uint64_t count; // of stays that were kept
    uint64_t sizes[STAYS];
    block_t blocks[STAYS][BLOCKS_MOST];
    uint64_t size; // of the present stay
    int is_wanted; // it has executed a block in the range
} kept;

static int is_of_user(uint64_t address) { return address >> 63 == 0; }

static void end_stay(void) {
    if (kept.is_wanted && kept.size <= BLOCKS_MOST) {
        kept.sizes[kept.count % STAYS] = kept.size;
        kept.count++;
    }
    kept.size = 0;
    kept.is_wanted = 0;
}

static void execute(unsigned processor, void *data) {
    const block_t *block = data;
    (void)processor;
    if (is_of_user(block->address)) {
        end_stay();
        return;
    }
    kept.is_wanted |= block->address >= kept.from && block->address < kept.below;
    if (kept.size < BLOCKS_MOST) {
        kept.blocks[kept.count % STAYS][kept.size] = *block;
    }
    kept.size++;
}

static void translate(plugin_id_t id, struct block *block) {
    block_t *known = malloc(sizeof *known);
    (void)id;
    *known = (block_t){qemu_plugin_tb_vaddr(block), qemu_plugin_tb_n_insns(block)};
    qemu_plugin_register_vcpu_tb_exec_cb(block, execute, NO_REGISTERS, known);
}

static void write_all(plugin_id_t id, void *data) {
    FILE *file = fopen(kept.out, "wb");
    (void)id;
    (void)data;
    for (uint64_t i = kept.count > STAYS ? kept.count - STAYS : 0; file != NULL && i < kept.count; ++i) {
        const uint64_t size = kept.sizes[i % STAYS];
        fwrite(&size, sizeof size, 1, file);
        fwrite(kept.blocks[i % STAYS], sizeof(block_t), size, file);
    }
    if (file != NULL) {
        fclose(file);
    }
}

int qemu_plugin_install(plugin_id_t id, const info_t *info, int argc, char **argv) {
    (void)info;
    for (int i = 0; i < argc; ++i) {
        const char *value = strchr(argv[i], '=') + 1;
        if (argv[i][0] == 'o') {
            kept.out = value;
        } else if (argv[i][0] == 'f') {
            kept.from = strtoull(value, NULL, 16);
        } else {
            kept.below = strtoull(value, NULL, 16);
        }
    }
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
    qemu_plugin_register_atexit_cb(id, write_all, NULL);
    return 0;
}
