// SPDX-License-Identifier: Apache-2.0 OR MIT
// The chip in a simulator: loads a program, counts cycles, and answers semihosting calls at the host's door.
//
// Usage: model [--cycles N] [--serial FILE] [--probe FILE [--at ADDRESS]...] PROGRAM [WORD...]
//
// The words are the program's command line, behind the word takt. --probe writes a line "cycle core what" whenever an
// interrupt's line rises (timer, software, external) or the instruction at an address ends. While all cores wait in
// their idle registers only mtime changes, so that it is set to just before the next comparator.
// Exit status: the program's; 124 after N cycles, or if no interrupt can come any more; 126 for a file that cannot be
// used.
#include <elf.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <Vtakt_soc.h>
#include <Vtakt_soc___024root.h>

namespace {

constexpr uint32_t RAM = 0x80000000, SETTLED_CYCLES = 64, MARGIN_CYCLES = 16;
constexpr uint64_t NEVER = UINT64_MAX;
constexpr int CORES = TAKT_CORES;

Vtakt_soc chip;
auto &ram = chip.rootp->takt_soc__DOT__ram__DOT__memory;
auto &mtime = chip.rootp->takt_soc__DOT__clint__DOT__mtime;
uint64_t cycle, skipped, most_cycles = NEVER;
std::string command_line = "takt";
std::vector<FILE *> files;
FILE *serial, *probe;
std::vector<uint32_t> watched;

[[noreturn]] void give_up(int status, const char *what, const char *name = "") {
    fprintf(stderr, "chip: %s%s\n", what, name);
    exit(status);
}

FILE *opened(const char *name, const char *mode) {
    FILE *file = fopen(name, mode);
    if (file == nullptr) {
        give_up(126, "cannot open ", name);
    }
    return file;
}

// The bytes of the RAM from an address on; what does not lie in it ends the simulation.
char *at(uint32_t address, uint64_t bytes) {
    if (address < RAM || address - RAM + bytes > sizeof ram.m_storage) {
        give_up(126, "the program uses memory that the chip does not have");
    }
    return reinterpret_cast<char *>(&ram[0]) + (address - RAM);
}

uint32_t word(uint32_t address) {
    uint32_t value;
    memcpy(&value, at(address, sizeof value), sizeof value);
    return value;
}

void load(const char *name) {
    FILE *file = opened(name, "rb");
    Elf32_Ehdr head = {};
    const bool is_elf = fread(&head, sizeof head, 1, file) == 1 && memcmp(head.e_ident, ELFMAG, SELFMAG) == 0;
    if (!is_elf || head.e_machine != EM_RISCV || head.e_ident[EI_CLASS] != ELFCLASS32) {
        give_up(126, "no program for RV32: ", name);
    }
    for (int n = 0; n < head.e_phnum; n++) {
        Elf32_Phdr part = {};
        fseek(file, static_cast<long>(head.e_phoff + n * sizeof part), SEEK_SET);
        const bool is_read = fread(&part, sizeof part, 1, file) == 1;
        if (is_read && part.p_type == PT_LOAD && part.p_filesz > 0) {
            fseek(file, static_cast<long>(part.p_offset), SEEK_SET);
            if (fread(at(part.p_paddr, part.p_filesz), 1, part.p_filesz, file) != part.p_filesz) {
                give_up(126, "a part is missing of ", name);
            }
        }
    }
    fclose(file);
}

// ---- the host's door: semihosting calls, by their numbers -----------------------------------------------------------

uint32_t open_file(uint32_t block) {
    const char *modes[] = {"r", "rb", "r+", "r+b", "w", "wb", "w+", "w+b", "a", "ab", "a+", "a+b"};
    const uint32_t mode = word(block + 4), bytes = word(block + 8);
    FILE *file = mode < 12 ? fopen(std::string(at(word(block), bytes), bytes).c_str(), modes[mode]) : nullptr;
    if (file == nullptr) {
        return UINT32_MAX;
    }
    files.push_back(file);
    return static_cast<uint32_t>(files.size()); // 1 is the first
}

uint32_t length_of(FILE *file) {
    const long place = ftell(file);
    fseek(file, 0, SEEK_END);
    const long length = ftell(file);
    fseek(file, place, SEEK_SET);
    return static_cast<uint32_t>(length);
}

uint32_t read_command_line(uint32_t block) {
    if (word(block + 4) <= command_line.size()) {
        return UINT32_MAX;
    }
    strcpy(at(word(block), command_line.size() + 1), command_line.c_str());
    const uint32_t length = static_cast<uint32_t>(command_line.size());
    memcpy(at(block + 4, sizeof length), &length, sizeof length);
    return 0;
}

uint32_t call_file(uint32_t operation, uint32_t block) {
    const uint32_t number = word(block);
    if (number == 0 || number > files.size() || files[number - 1] == nullptr) {
        return UINT32_MAX;
    }
    FILE *&file = files[number - 1];
    const auto transfer = [&](auto move) {
        const uint32_t bytes = word(block + 8);
        return bytes - static_cast<uint32_t>(move(at(word(block + 4), bytes), 1, bytes, file));
    };
    switch (operation) {
    case 0x02:
        return static_cast<uint32_t>(fclose(std::exchange(file, nullptr)));
    case 0x05:
        return transfer(fwrite);
    case 0x06:
        return transfer(fread);
    default:
        return length_of(file); // 0x0C
    }
}

uint32_t call(uint32_t operation, uint32_t block) {
    switch (operation) {
    case 0x01:
        return open_file(block);
    case 0x02:
    case 0x05:
    case 0x06:
    case 0x0C:
        return call_file(operation, block);
    case 0x04:
        return static_cast<uint32_t>(fputs(at(block, 1), stdout));
    case 0x15:
        return read_command_line(block);
    case 0x20:
        exit(static_cast<int>(word(block + 4)));
    default:
        return UINT32_MAX;
    }
}

void serve() {
    if (chip.o_call) {
        chip.i_answer = call(chip.o_data, chip.o_parameters);
    }
    if (chip.o_print && serial != nullptr) {
        fputc(static_cast<int>(chip.o_data & 0xFF), serial);
        fflush(serial);
    }
    if (chip.o_finish) { // 0x5555, or a status above 0x3333
        exit(static_cast<int>(chip.o_data >> 16));
    }
}

// ---- cycles -----------------------------------------------------------------------------------------------------

void step() {
    chip.i_clk = 0;
    chip.eval();
    chip.i_clk = 1;
    chip.eval();
    cycle++;
}

void skip() {
    uint64_t next = chip.rootp->takt_soc__DOT__clint__DOT__alarm;
    for (int n = 0; n < CORES; n++) {
        next = std::min(next, chip.rootp->takt_soc__DOT__clint__DOT__compare[n]);
    }
    if (next == NEVER) {
        give_up(124, "all cores wait for an interrupt, and none is to come");
    }
    if (next > mtime + MARGIN_CYCLES) {
        skipped += next - MARGIN_CYCLES - mtime;
        mtime = next - MARGIN_CYCLES;
    }
}

void write_probe() {
    static uint32_t before;
    static const char *const names[] = {"timer", "software", "external"};
    for (int n = 0; n < 3 * CORES; n++) {
        if ((chip.o_lines & ~before) >> n & 1) {
            fprintf(probe, "%lu %d %s\n", cycle + skipped, n / 3, names[n % 3]);
        }
    }
    before = chip.o_lines;
    for (int n = 0; n < CORES; n++) {
        const uint32_t place = static_cast<uint32_t>(chip.o_retired >> 32 * n);
        if ((chip.o_retires >> n & 1) != 0 &&
            std::find(watched.begin(), watched.end(), place) != watched.end()) {
            fprintf(probe, "%lu %d %08x\n", cycle + skipped, n, place);
        }
    }
}

// Reads the options, and returns the place of the first other word.
int read_options(int count, char **words) {
    int next = 1;
    for (; next + 1 < count && strncmp(words[next], "--", 2) == 0; next += 2) {
        const std::string option = words[next];
        if (option == "--cycles") {
            most_cycles = strtoull(words[next + 1], nullptr, 10);
        } else if (option == "--serial") {
            serial = opened(words[next + 1], "w");
        } else if (option == "--probe") {
            probe = opened(words[next + 1], "w");
        } else if (option == "--at") {
            watched.push_back(static_cast<uint32_t>(strtoul(words[next + 1], nullptr, 16)));
        } else {
            give_up(126, "unknown option ", words[next]);
        }
    }
    if (next >= count) {
        give_up(
            126,
            "usage: model [--cycles N] [--serial FILE] [--probe FILE [--at ADDRESS]...] PROGRAM [WORD...]");
    }
    return next;
}

void begin(const char *program) {
    chip.i_reset = 1;
    step();
    step();
    chip.i_reset = 0;
    load(program);
}

} // namespace

int main(int count, char **words) {
    const int program = read_options(count, words);
    for (int n = program + 1; n < count; n++) {
        command_line += std::string(" ") + words[n];
    }
    begin(words[program]);
    uint32_t quiet = 0;
    while (cycle < most_cycles) {
        step();
        if (chip.o_event) {
            serve();
        }
        if (probe != nullptr) {
            write_probe();
        }
        quiet = chip.o_is_idle ? quiet + 1 : 0;
        if (quiet == SETTLED_CYCLES) {
            skip();
        }
    }
    give_up(124, "the program has not ended");
}
