// Two curves over time on a canvas: a signal and what a filter makes of it.
export interface Curves {
  readonly input: Float32Array;
  readonly output: Float32Array;
  /** Samples a second. */
  readonly rate: number;
}

const margin = { left: 44, right: 12, top: 10, bottom: 40 };

function step(range: number, count: number): number {
  const raw = range / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  return ([1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10) * power;
}

/** A range that holds the values, and changes seldom. */
function rangeOf({ input, output }: Curves): number {
  let largest = 1;
  for (const values of [input, output])
    for (const value of values) if (Number.isFinite(value)) largest = Math.max(largest, Math.abs(value));
  return largest <= 1 ? 1 : 2 ** Math.ceil(Math.log2(largest));
}

/** Draws both curves, with their axes, in the colours that the page's style gives. */
export function drawCurves(canvas: HTMLCanvasElement, curves: Curves): void {
  const density = window.devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = canvas;
  if (canvas.width !== Math.round(width * density) || canvas.height !== Math.round(height * density)) {
    canvas.width = Math.round(width * density);
    canvas.height = Math.round(height * density);
  }
  const context = canvas.getContext("2d");
  if (context === null || width === 0) return;
  const style = getComputedStyle(canvas);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  context.setTransform(density, 0, 0, density, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = `12px ${style.fontFamily}`;
  const range = rangeOf(curves);
  const span = curves.input.length / curves.rate;
  const x = (seconds: number): number => margin.left + ((width - margin.left - margin.right) * seconds) / span;
  const y = (value: number): number =>
    margin.top + ((height - margin.top - margin.bottom) * (range - value)) / (2 * range);

  context.strokeStyle = colour("--grid");
  context.fillStyle = colour("--muted");
  context.lineWidth = 1;
  context.textAlign = "right";
  for (const value of [-range, -range / 2, 0, range / 2, range]) {
    context.beginPath();
    context.moveTo(margin.left, Math.round(y(value)) + 0.5);
    context.lineTo(width - margin.right, Math.round(y(value)) + 0.5);
    context.stroke();
    context.fillText(String(value), margin.left - 8, y(value) + 4);
  }
  context.textAlign = "center";
  const every = step(span, width < 480 ? 4 : 8);
  for (let at = 0; at <= span * 1.0001; at += every)
    context.fillText(String(Math.round(at * 1e4) / 10), x(at), height - 24);
  context.fillText("time in ms", (margin.left + width - margin.right) / 2, height - 7);

  const line = (values: Float32Array, stroke: string, thickness: number): void => {
    context.strokeStyle = stroke;
    context.lineWidth = thickness;
    context.lineJoin = "round";
    context.beginPath();
    values.forEach((value, i) => {
      const shown = Number.isFinite(value) ? Math.max(-range, Math.min(range, value)) : 0;
      if (i === 0) context.moveTo(x(0), y(shown));
      else context.lineTo(x(i / curves.rate), y(shown));
    });
    context.stroke();
  };
  line(curves.input, colour("--input-curve"), 1.5);
  line(curves.output, colour("--output-curve"), 2.5);
}

/** Where on the canvas a pointer is: the part of the width, and the value. */
export function placeOn(canvas: HTMLCanvasElement, event: PointerEvent): { at: number; value: number } {
  const { left, top, width, height } = canvas.getBoundingClientRect();
  const at = (event.clientX - left - margin.left) / (width - margin.left - margin.right);
  const value = 1 - (2 * (event.clientY - top - margin.top)) / (height - margin.top - margin.bottom);
  return { at: Math.max(0, Math.min(1, at)), value: Math.max(-1, Math.min(1, value)) };
}
