// A signal, filtered block by block: what one block leaves in the states, the next one begins with.
import type { BufferTensor, Kernel, PreparedCall } from "../src/index.js";
import type { FilterRoles } from "./filter_roles.js";

const usage = { copySource: 4, copyTarget: 8, storage: 128 };

/**
 * Two prepared calls that take turns: each reads the states that the other one wrote. All channels get the same signal;
 * the first one is returned.
 */
export class BlockFilter {
  private turn = 0;
  private readonly buffers: GPUBuffer[] = [];
  private readonly signal: BufferTensor;
  private readonly parameters = new Map<string, BufferTensor>();
  private calls: readonly PreparedCall[] = [];
  /** The states before even and before odd blocks. */
  private states: readonly Map<string, BufferTensor>[] = [];

  private constructor(
    private readonly kernel: Kernel,
    private readonly roles: FilterRoles,
    readonly samples: number,
  ) {
    this.signal = this.tensor(roles.signal);
    for (const { key } of roles.parameters) this.parameters.set(key, this.tensor(key));
  }

  static async make(kernel: Kernel, roles: FilterRoles, samples: number): Promise<BlockFilter> {
    const filter = new BlockFilter(kernel, roles, samples);
    const states = (): Map<string, BufferTensor> =>
      new Map(roles.states.map(({ input }) => [input, filter.tensor(input)]));
    filter.states = [states(), states()];
    filter.calls = await Promise.all([filter.call(0), filter.call(1)]);
    filter.reset();
    return filter;
  }

  private tensor(key: string): BufferTensor {
    const { shape = [], dtype = "float32" } = this.roles.shapes(this.samples)[key] ?? {};
    const size = 4 * shape.reduce((product, extent) => product * extent, 1);
    const buffer = this.kernel.device.createBuffer({
      label: key,
      size,
      usage: usage.storage | usage.copySource | usage.copyTarget,
    });
    this.buffers.push(buffer);
    return { buffer, shape, dtype };
  }

  private call(turn: number): Promise<PreparedCall> {
    const [before, after] = [this.states[turn], this.states[1 - turn]];
    const inputs = {
      [this.roles.signal]: this.signal,
      ...Object.fromEntries(before ?? []),
      ...Object.fromEntries(this.parameters),
    };
    const into = Object.fromEntries(this.roles.states.map(({ input, output }) => [output, after?.get(input)]));
    return this.kernel.prepare(inputs, { into });
  }

  private write({ buffer }: BufferTensor, values: Float32Array<ArrayBuffer>): void {
    this.kernel.device.queue.writeBuffer(buffer, 0, values);
  }

  /** Begins anew: all states are 0. */
  reset(): void {
    for (const states of this.states)
      for (const tensor of states.values()) this.write(tensor, new Float32Array(tensor.buffer.size / 4));
  }

  /** Sets coefficients by their names, the same for all channels, from the next block on. */
  set(values: Readonly<Record<string, number>>): void {
    for (const { key, names } of this.roles.parameters) {
      const tensor = this.parameters.get(key);
      if (tensor === undefined) continue;
      const elements = new Float32Array(tensor.buffer.size / 4);
      const each = elements.length / names.length;
      names.forEach((name, i) => elements.fill(values[name] ?? 0, i * each, (i + 1) * each));
      this.write(tensor, elements);
    }
  }

  /** Filters the next block. */
  async next(block: Float32Array): Promise<Float32Array> {
    const { channels } = this.roles;
    const rows = new Float32Array(this.samples * channels);
    for (let i = 0; i < this.samples; i++) rows.fill(block[i] ?? 0, i * channels, (i + 1) * channels);
    this.write(this.signal, rows);
    const call = this.calls[this.turn];
    this.turn = 1 - this.turn;
    const encoder = this.kernel.device.createCommandEncoder({ label: "block" });
    call?.record(encoder);
    this.kernel.device.queue.submit([encoder.finish()]);
    const result = await call?.outputs[this.roles.filtered]?.read();
    const data = result?.data as Float32Array;
    return Float32Array.from({ length: this.samples }, (_, i) => data[i * channels] ?? 0);
  }

  dispose(): void {
    for (const call of this.calls) call.dispose();
    for (const buffer of this.buffers) buffer.destroy();
  }
}
