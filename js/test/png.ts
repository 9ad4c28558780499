// Reads the PNGs that Chromium's screenshots are: eight bits a channel, with or without alpha, not interlaced.
import { inflateSync } from "node:zlib";

export interface Picture {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue of a pixel. */
  at(x: number, y: number): readonly [number, number, number];
}

function paeth(left: number, above: number, corner: number): number {
  const [a, b, c] = [Math.abs(above - corner), Math.abs(left - corner), Math.abs(left + above - 2 * corner)];
  return a <= b && a <= c ? left : b <= c ? above : corner;
}

/** Undoes the filter of each row. */
function unfiltered(data: Buffer, height: number, stride: number, step: number): Uint8Array {
  const rows = new Uint8Array(height * stride);
  for (let y = 0; y < height; y++) {
    const filter = data[y * (stride + 1)] ?? 0;
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x;
      const left = x < step ? 0 : (rows[at - step] ?? 0);
      const above = y === 0 ? 0 : (rows[at - stride] ?? 0);
      const corner = x < step || y === 0 ? 0 : (rows[at - stride - step] ?? 0);
      const guess = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter] ?? 0;
      rows[at] = (data[y * (stride + 1) + 1 + x] ?? 0) + guess;
    }
  }
  return rows;
}

export function picture(png: Buffer): Picture {
  const chunks: Buffer[] = [];
  let [width, height, step] = [0, 0, 4];
  for (let at = 8; at < png.length;) {
    const length = png.readUInt32BE(at);
    const type = png.toString("latin1", at + 4, at + 8);
    const content = png.subarray(at + 8, at + 8 + length);
    if (type === "IHDR")
      [width, height, step] = [content.readUInt32BE(0), content.readUInt32BE(4), content[9] === 6 ? 4 : 3];
    if (type === "IDAT") chunks.push(content);
    at += 12 + length;
  }
  const rows = unfiltered(inflateSync(Buffer.concat(chunks)), height, width * step, step);
  return {
    width,
    height,
    at: (x, y) => {
      const start = (y * width + x) * step;
      return [rows[start] ?? 0, rows[start + 1] ?? 0, rows[start + 2] ?? 0];
    },
  };
}

/** How many pixels have a colour, such as `#1d5bc9`, or nearly. */
export function pixelsOf({ width, height, at }: Picture, colour: string): number {
  const wanted = [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16));
  let count = 0;
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) if (at(x, y).every((value, i) => Math.abs(value - (wanted[i] ?? 0)) <= 6)) count++;
  return count;
}
