// SPDX-License-Identifier: Apache-2.0 OR MIT
// The RAM of takt_ram.v in 32 block RAMs of an ECP5, one for each bit: 64 KB and no selection behind them. Written out,
// because yosys makes two copies of a memory with two ports that write.
//
// Source: Lattice, ECP5 Memory Usage Guide (FPGA-TN-02204), DP16KD.
`default_nettype none

module takt_ram #(
    parameter WORDS = 16384,
    parameter IS_DUAL = 0
) (
    input  wire        i_clk,
    input  wire [29:0] i_a_address,
    input  wire [ 3:0] i_a_enable,
    input  wire [31:0] i_a_data,
    output wire [31:0] o_a_data,
    input  wire [29:0] i_b_address,
    input  wire [ 3:0] i_b_enable,
    input  wire [31:0] i_b_data,
    output wire [31:0] o_b_data
);
    // One clock for both ports; their outputs have no register of their own.
    genvar n;
    generate
        if (WORDS != 16384) this_ram_has_64_KB absent ();
        for (n = 0; n < 32; n = n + 1) begin : bits
            DP16KD #(
                .DATA_WIDTH_A(1),
                .DATA_WIDTH_B(1),
                .REGMODE_A("NOREG"),
                .REGMODE_B("NOREG"),
                .WRITEMODE_A("READBEFOREWRITE"),
                .WRITEMODE_B("READBEFOREWRITE"),
                .CSDECODE_A("0b000"),
                .CSDECODE_B("0b000"),
                .GSR("DISABLED")
            ) block (
                .CLKA(i_clk),
                .CEA(1'b1),
                .OCEA(1'b1),
                .RSTA(1'b0),
                .WEA(i_a_enable[n/8]),
                .CSA0(1'b0),
                .CSA1(1'b0),
                .CSA2(1'b0),
                .ADA0(i_a_address[0]),
                .ADA1(i_a_address[1]),
                .ADA2(i_a_address[2]),
                .ADA3(i_a_address[3]),
                .ADA4(i_a_address[4]),
                .ADA5(i_a_address[5]),
                .ADA6(i_a_address[6]),
                .ADA7(i_a_address[7]),
                .ADA8(i_a_address[8]),
                .ADA9(i_a_address[9]),
                .ADA10(i_a_address[10]),
                .ADA11(i_a_address[11]),
                .ADA12(i_a_address[12]),
                .ADA13(i_a_address[13]),
                .DIA0(i_a_data[n]),
                .DOA0(o_a_data[n]),
                .CLKB(i_clk),
                .CEB(IS_DUAL != 0),
                .OCEB(1'b1),
                .RSTB(1'b0),
                .WEB(i_b_enable[n/8]),
                .CSB0(1'b0),
                .CSB1(1'b0),
                .CSB2(1'b0),
                .ADB0(i_b_address[0]),
                .ADB1(i_b_address[1]),
                .ADB2(i_b_address[2]),
                .ADB3(i_b_address[3]),
                .ADB4(i_b_address[4]),
                .ADB5(i_b_address[5]),
                .ADB6(i_b_address[6]),
                .ADB7(i_b_address[7]),
                .ADB8(i_b_address[8]),
                .ADB9(i_b_address[9]),
                .ADB10(i_b_address[10]),
                .ADB11(i_b_address[11]),
                .ADB12(i_b_address[12]),
                .ADB13(i_b_address[13]),
                .DIB0(i_b_data[n]),
                .DOB0(o_b_data[n])
            );
        end
    endgenerate
endmodule
