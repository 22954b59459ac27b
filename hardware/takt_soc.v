// SPDX-License-Identifier: Apache-2.0 OR MIT
// A chip with one or two cores, RAM, CLINT and a serial line, at the places of QEMU's board virt:
//
//     0x00100000  finisher: a write ends the simulation
//     0x00102000  the chip: 0 parameters of a call of the host, 4 the call, which reads as its answer, 8 the number of
//                 the core that reads, 12 which cores run: a bit each, of which core 0's is always set; 16 idle
//     0x02000000  CLINT: takt_clint.v
//     0x10000000  serial line: takt_serial.v
//     0x80000000  RAM
//
// Of an address between them only the bits 31, 28, 25 and 20 are read, and places without a register read as 0.
// Each core has a port of the RAM of its own, so that none delays another there. The bus of devices has one request at
// a time, which takes two cycles; cores that ask for it together take turns.
//
// Reset: synchronous, at least two cycles. One clock.
`default_nettype none

module takt_soc #(
    parameter CORES = 1,
    parameter RAM_BYTES = 65536,
    parameter SERIAL_CYCLES = 434
) (
    input  wire                i_clk,
    input  wire                i_reset,
    output wire                o_tx,
    // The host's door. In a cycle with o_event a core has called it (o_call), printed (o_print) or ended (o_finish).
    output wire                o_event,
    output reg                 o_call,
    output reg                 o_print,
    output reg                 o_finish,
    output reg  [        31:0] o_data,        // operation, character or status
    output reg  [        31:0] o_parameters,
    input  wire [        31:0] i_answer,
    // The probe of simulators
    output wire                o_is_idle,     // no core does anything before an interrupt
    output wire [   CORES-1:0] o_retires,
    output wire [CORES*32-1:0] o_retired,
    output wire [ CORES*3-1:0] o_lines        // external, software, timer
);
    wire [CORES-1:0] timer, software, request, write, idle;
    wire alarm;
    wire [CORES*30-1:0] address;
    wire [CORES*32-1:0] data;
    reg [CORES-1:0] runs;

    // ---- cores and RAM ----
    wire [59:0] ram_address;
    wire [7:0] ram_enable;
    wire [63:0] ram_in, ram_out;
    genvar n;
    generate
        for (n = 0; n < CORES; n = n + 1) begin : cores
            assign o_lines[n*3+:3] = {n == 0 && alarm, software[n], timer[n]};
            takt_core core (
                .i_clk(i_clk),
                .i_reset(i_reset || !runs[n]),
                .i_timer(timer[n]),
                .i_software(software[n]),
                .i_external(n == 0 && alarm),
                .o_ram_address(ram_address[n*30+:30]),
                .o_ram_enable(ram_enable[n*4+:4]),
                .o_ram_data(ram_in[n*32+:32]),
                .i_ram_data(ram_out[n*32+:32]),
                .o_bus_request(request[n]),
                .o_bus_write(write[n]),
                .o_bus_address(address[n*30+:30]),
                .o_bus_data(data[n*32+:32]),
                .i_bus_acknowledge(acknowledge && owner == n),
                .i_bus_data(bus_in),
                .o_is_idle(idle[n]),
                .o_retires(o_retires[n]),
                .o_retired(o_retired[n*32+:32])
            );
        end
        if (CORES == 1) begin : alone
            assign ram_address[59:30] = 30'd0;
            assign ram_enable[7:4] = 4'd0;
            assign ram_in[63:32] = 32'd0;
        end
    endgenerate

    takt_ram #(
        .WORDS(RAM_BYTES / 4),
        .IS_DUAL(CORES - 1)
    ) ram (
        .i_clk(i_clk),
        .i_a_address(ram_address[29:0]),
        .i_a_enable(ram_enable[3:0]),
        .i_a_data(ram_in[31:0]),
        .o_a_data(ram_out[31:0]),
        .i_b_address(ram_address[59:30]),
        .i_b_enable(ram_enable[7:4]),
        .i_b_data(ram_in[63:32]),
        .o_b_data(ram_out[63:32])
    );

    // ---- the bus of devices ----
    reg owner;  // the core whose request is served
    reg acknowledge;
    wire other = CORES > 1 && request[CORES>1?!owner : 1'b0];
    wire [31:0] bus_out = data[owner*32+:32];
    wire [29:0] place = address[owner*30+:30];
    wire unused = &{1'b0, place, ram_out};  // not all bits tell places apart; one core has one port
    wire begins = request[owner] && !acknowledge;
    wire writes = begins && write[owner];
    always @(posedge i_clk) begin
        acknowledge <= begins && !i_reset;
        if (i_reset) owner <= 1'b0;
        else if (acknowledge || !request[owner]) owner <= other && !owner;  // without requests: core 0
    end

    wire is_serial = place[26];
    wire is_clint = !is_serial && place[23];
    wire is_chip = !is_serial && !is_clint && place[18];
    wire is_finisher = is_chip && !place[11];
    wire is_door = is_chip && place[11];

    // ---- the chip's own registers, and the host ----
    wire has_room;
    reg [1:0] chosen;
    reg [31:0] own;
    always @(posedge i_clk) begin
        o_call   <= writes && is_door && place[1:0] == 2'd1;
        o_print  <= writes && is_serial && place[2:0] == 3'd0 && has_room;
        o_finish <= writes && is_finisher;
        if (writes) o_data <= bus_out;
        if (writes && is_door && place[1:0] == 2'd0) o_parameters <= bus_out;
        if (i_reset) runs <= 1;
        else if (writes && is_door && place[1:0] == 2'd3) runs <= bus_out[CORES-1:0] | 1;
        chosen <= {is_serial, is_clint};
        case (place[1:0])
            2'd1: own <= i_answer;
            2'd2: own <= {31'd0, owner};
            2'd3: own <= {{32 - CORES{1'b0}}, runs};
            default: own <= 32'd0;
        endcase
    end
    assign o_event = o_call || o_print || o_finish;
    assign o_is_idle = &(idle | ~runs) && has_room;

    wire [31:0] clint_out;
    wire [31:0] serial_out = {18'd0, has_room, 13'd0};  // place 5 is the second byte of the second word
    wire [31:0] bus_in = chosen[1] ? serial_out : chosen[0] ? clint_out : own;

    takt_clint #(
        .CORES(CORES)
    ) clint (
        .i_clk(i_clk),
        .i_reset(i_reset),
        .i_write(writes && is_clint),
        .i_address(place[13:0]),
        .i_data(bus_out),
        .o_data(clint_out),
        .o_software(software),
        .o_timer(timer),
        .o_alarm(alarm)
    );

    takt_serial #(
        .CYCLES(SERIAL_CYCLES)
    ) serial (
        .i_clk(i_clk),
        .i_reset(i_reset),
        .i_write(writes && is_serial && place[2:0] == 3'd0),
        .i_data(bus_out[7:0]),
        .o_has_room(has_room),
        .o_tx(o_tx)
    );
endmodule
