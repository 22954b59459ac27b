// SPDX-License-Identifier: Apache-2.0 OR MIT
// The CLINT of the chip: mtime, which counts cycles, a comparator and a software interrupt for each core, and one
// comparator more, the alarm of programs. A comparator's line is high from the cycle after mtime has reached it.
//
//     0x0000 + 4 n  msip of core n          0x4020  the alarm's comparator
//     0x4000 + 8 n  mtimecmp of core n      0xBFF8  mtime, which cannot be written
//
// Source: SiFive, U54 manual, and QEMU's virt, which have these places; the alarm is where they have core 4.
`default_nettype none

module takt_clint #(
    parameter CORES = 1
) (
    input  wire             i_clk,
    input  wire             i_reset,
    input  wire             i_write,
    input  wire [13:0]      i_address,  // of a word
    input  wire [31:0]      i_data,
    output reg  [31:0]      o_data,
    output reg  [CORES-1:0] o_software,
    output reg  [CORES-1:0] o_timer,
    output reg              o_alarm
);
    localparam ALARM = 4;

    reg [63:0] mtime;
    reg [63:0] alarm;
    reg [63:0] compare[0:CORES-1];

    wire is_compare = i_address[13:12] == 2'd1;
    wire is_high = i_address[0];
    wire [2:0] number = i_address[3:1];

    always @(posedge i_clk) begin
        mtime   <= i_reset ? 64'd0 : mtime + 64'd1;
        o_alarm <= !i_reset && mtime >= alarm;
        if (i_reset) alarm <= {64{1'b1}};
        else if (i_write && is_compare && number == ALARM) begin
            if (is_high) alarm[63:32] <= i_data;
            else alarm[31:0] <= i_data;
        end
    end

    genvar n;
    generate
        for (n = 0; n < CORES; n = n + 1) begin : each
            always @(posedge i_clk) begin
                o_timer[n] <= !i_reset && mtime >= compare[n];
                if (i_reset) compare[n] <= {64{1'b1}};
                else if (i_write && is_compare && number == n) begin
                    if (is_high) compare[n][63:32] <= i_data;
                    else compare[n][31:0] <= i_data;
                end
                if (i_reset) o_software[n] <= 1'b0;
                else if (i_write && i_address == n) o_software[n] <= i_data[0];
            end
        end
    endgenerate

    // ---- what a core reads ----
    wire [63:0] of_core = compare[CORES > 1 ? number[0] : 1'b0];
    wire [63:0] of_compare = number == ALARM ? alarm : of_core;
    wire [63:0] double = is_compare ? of_compare : mtime;
    wire [31:0] word = is_high ? double[63:32] : double[31:0];
    always @(posedge i_clk) begin
        if (i_address[13:12] != 2'd0) o_data <= word;
        else o_data <= {31'd0, o_software[CORES > 1 ? i_address[0] : 1'b0]};
    end
endmodule
