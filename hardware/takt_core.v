// SPDX-License-Identifier: Apache-2.0 OR MIT
// One VexRiscv with its port of the RAM, its way to the bus of devices, and its idle register.
//
// Fetches and data share the port, and data go first. A word of data takes two cycles. After a fetch the port reads
// the word behind it, so that code without a jump is fetched in a cycle a word, and a jump costs one more. There is no
// cache: how many cycles an instruction takes depends on nothing that was executed long before.
//
// A read of the idle register is answered when an interrupt is pending: that is this core's wfi, as the standard has
// it, whatever the core masks. Until then the core does nothing at all, and a simulator may skip the time.
//
// Source: the core's interface is Wishbone B4 without bursts; it takes no errors, so none is sent.
`default_nettype none

module takt_core (
    input  wire        i_clk,
    input  wire        i_reset,
    input  wire        i_timer,
    input  wire        i_software,
    input  wire        i_external,
    // RAM
    output wire [29:0] o_ram_address,
    output wire [ 3:0] o_ram_enable,
    output wire [31:0] o_ram_data,
    input  wire [31:0] i_ram_data,
    // devices: a request stands until it is acknowledged
    output wire        o_bus_request,
    output wire        o_bus_write,
    output wire [29:0] o_bus_address,
    output wire [31:0] o_bus_data,
    input  wire        i_bus_acknowledge,
    input  wire [31:0] i_bus_data,
    // for simulators
    output wire        o_is_idle,
    output wire        o_retires,
    output wire [31:0] o_retired
);
    localparam [29:0] IDLE = 30'h00102010 >> 2;

    wire fetch_request, data_request, data_write, fetch_answer, data_answer;
    wire [29:0] fetch_address, data_address;
    wire [3:0] data_select;
    wire [31:0] data_out;

    // ---- data: RAM, the idle register, or a device ----
    reg ram_answer;
    wire is_ram = data_address[29];
    wire is_idle = !is_ram && data_address == IDLE;
    wire port_has_data = data_request && is_ram && !ram_answer;
    always @(posedge i_clk) ram_answer <= port_has_data && !i_reset;

    assign o_is_idle = data_request && is_idle && !(i_timer || i_software || i_external);
    wire idle_answer = data_request && is_idle && !o_is_idle;
    assign data_answer = ram_answer || idle_answer || i_bus_acknowledge;
    wire [31:0] data_in = ram_answer ? i_ram_data : i_bus_data;

    assign o_bus_request = data_request && !is_ram && !is_idle;
    assign o_bus_write = data_write;
    assign o_bus_address = data_address;
    assign o_bus_data = data_out;

    // ---- fetches: the word that the port has read in the last cycle, if it is the right one ----
    reg [29:0] fetched;
    reg is_fetched;
    assign fetch_answer = fetch_request && is_fetched && fetched == fetch_address;
    wire [29:0] ahead = fetch_answer ? fetched + 30'd1 : fetch_request ? fetch_address : fetched;
    wire [31:0] instruction = fetched[29] ? i_ram_data : 32'd0;  // beside the RAM there is no instruction
    always @(posedge i_clk) begin
        is_fetched <= !port_has_data && !i_reset;
        if (!port_has_data) fetched <= ahead;
    end

    assign o_ram_address = port_has_data ? data_address : ahead;
    assign o_ram_enable = port_has_data && data_write ? data_select : 4'd0;
    assign o_ram_data = data_out;

    VexRiscv cpu (
        .clk(i_clk),
        .reset(i_reset),
        .externalResetVector(32'h80000000),
        .timerInterrupt(i_timer),
        .softwareInterrupt(i_software),
        .externalInterruptArray({31'd0, i_external}),
        .iBusWishbone_STB(fetch_request),
        .iBusWishbone_ADR(fetch_address),
        .iBusWishbone_ACK(fetch_answer),
        .iBusWishbone_DAT_MISO(instruction),
        .iBusWishbone_ERR(1'b0),
        .dBusWishbone_STB(data_request),
        .dBusWishbone_WE(data_write),
        .dBusWishbone_ADR(data_address),
        .dBusWishbone_SEL(data_select),
        .dBusWishbone_DAT_MOSI(data_out),
        .dBusWishbone_ACK(data_answer),
        .dBusWishbone_DAT_MISO(data_in),
        .dBusWishbone_ERR(1'b0),
        // verilator lint_off PINCONNECTEMPTY
        .iBusWishbone_CYC(),
        .iBusWishbone_WE(),
        .iBusWishbone_DAT_MOSI(),
        .iBusWishbone_SEL(),
        .iBusWishbone_CTI(),
        .iBusWishbone_BTE(),
        .dBusWishbone_CYC(),
        .dBusWishbone_CTI(),
        .dBusWishbone_BTE()
        // verilator lint_on PINCONNECTEMPTY
    );

    // ---- the probe: which instruction ends in this cycle ----
`ifdef TAKT_PROBE
    assign o_retires = cpu.lastStageIsFiring;
    assign o_retired = cpu.lastStagePc;
`else
    assign o_retires = 1'b0;
    assign o_retired = 32'd0;
`endif
endmodule
