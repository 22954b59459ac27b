// SPDX-License-Identifier: Apache-2.0 OR MIT
// A serial line that sends: 8 bits, no parity, one bit that ends. It has of a 16550 what a program that prints needs:
// the data at place 0, and bit 5 of place 5, which says that there is room.
`default_nettype none

module takt_serial #(
    parameter CYCLES = 434  // of a bit
) (
    input  wire       i_clk,
    input  wire       i_reset,
    input  wire       i_write,
    input  wire [7:0] i_data,
    output wire       o_has_room,
    output wire       o_tx
);
    localparam BITS = $clog2(CYCLES);

    reg [9:0] rest;  // what is to be sent, the next bit lowest; nothing but ones: the line rests
    reg [3:0] left;
    reg [BITS-1:0] wait_cycles;

    assign o_has_room = left == 4'd0;
    assign o_tx = rest[0];

    always @(posedge i_clk) begin
        if (i_reset) begin
            rest <= 10'h3FF;
            left <= 4'd0;
            wait_cycles <= 0;
        end else if (o_has_room) begin
            if (i_write) begin
                rest <= {1'b1, i_data, 1'b0};
                left <= 4'd10;
                wait_cycles <= CYCLES[BITS-1:0] - 1'b1;
            end
        end else if (wait_cycles != 0) wait_cycles <= wait_cycles - 1'b1;
        else begin
            rest <= {1'b1, rest[9:1]};
            left <= left - 4'd1;
            wait_cycles <= CYCLES[BITS-1:0] - 1'b1;
        end
    end
endmodule
