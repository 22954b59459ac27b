// SPDX-License-Identifier: Apache-2.0 OR MIT
// RAM with two ports, as a simulator has it; ecp5/takt_ram.v is the same in block RAM of an ECP5.
//
// A port reads the word at its address in every cycle, and has it in the next one. Bytes whose enable is set are
// written; the word that is read in that cycle is the old one.
`default_nettype none

module takt_ram #(
    parameter WORDS = 16384,
    parameter IS_DUAL = 0  // 0: nothing is read or written through port B
) (
    input  wire        i_clk,
    input  wire [29:0] i_a_address,  // of a word; what is above the last one begins again at 0
    input  wire [ 3:0] i_a_enable,
    input  wire [31:0] i_a_data,
    output reg  [31:0] o_a_data,
    input  wire [29:0] i_b_address,
    input  wire [ 3:0] i_b_enable,
    input  wire [31:0] i_b_data,
    output reg  [31:0] o_b_data
);
    localparam BITS = $clog2(WORDS);

    reg [31:0] memory[0:WORDS-1];

    wire [BITS-1:0] a = i_a_address[BITS-1:0];
    wire [BITS-1:0] b = i_b_address[BITS-1:0];
    wire unused = &{1'b0, i_a_address[29:BITS], i_b_address, b, i_b_enable, i_b_data};

    always @(posedge i_clk) begin
        o_a_data <= memory[a];
        if (i_a_enable[0]) memory[a][7:0] <= i_a_data[7:0];
        if (i_a_enable[1]) memory[a][15:8] <= i_a_data[15:8];
        if (i_a_enable[2]) memory[a][23:16] <= i_a_data[23:16];
        if (i_a_enable[3]) memory[a][31:24] <= i_a_data[31:24];
        if (IS_DUAL != 0) begin
            o_b_data <= memory[b];
            if (i_b_enable[0]) memory[b][7:0] <= i_b_data[7:0];
            if (i_b_enable[1]) memory[b][15:8] <= i_b_data[15:8];
            if (i_b_enable[2]) memory[b][23:16] <= i_b_data[23:16];
            if (i_b_enable[3]) memory[b][31:24] <= i_b_data[31:24];
        end else o_b_data <= 32'd0;
    end
endmodule
