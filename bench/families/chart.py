"""The chart of the benchmark families: bars of how many times faster than ONNX Runtime's Scan, on a logarithmic scale."""

import math

WIDTH, LEFT, TOP, ROW, GAP = 1080, 78, 96, 34, 26
LOWEST, HIGHEST = 0.5, 5000
GRID = [1, 10, 100, 1000]

STYLE = """
  svg { background: #ffffff }
  text { font: 12px system-ui, sans-serif; fill: #24292f }
  .title { font-size: 16px; font-weight: 600 }
  .quiet { fill: #57606a }
  .grid { stroke: #d0d7de; stroke-width: 1 }
  .one { stroke: #57606a }
  .pawl { fill: #0969da }
  .hand { fill: #afb8c1 }
  .goal { stroke: #cf222e; stroke-width: 2 }
  @media (prefers-color-scheme: dark) {
    svg { background: #0d1117 }
    text { fill: #e6edf3 }
    .quiet { fill: #8d96a0 }
    .grid { stroke: #30363d }
    .one { stroke: #8d96a0 }
    .pawl { fill: #4493f8 }
    .hand { fill: #484f58 }
    .goal { stroke: #f85149 }
  }"""


def text(x, y, words, kind="", anchor="start"):
    return f'<text x="{x:.1f}" y="{y:.1f}" class="{kind}" text-anchor="{anchor}">{words}</text>'


def line(x1, y1, x2, y2, kind):
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def bar(x1, x2, y, height, kind, words):
    left, width = min(x1, x2), max(abs(x2 - x1), 1)
    return (
        f'<rect x="{left:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height}" class="{kind}"><title>{words}</title></rect>'
    )


class Panel:
    """The families of one preset, from `left` on, `width` wide."""

    def __init__(self, left, width, families):
        self.left, self.width, self.families = left, width, families
        self.bottom = TOP + ROW * len(families)

    def x(self, ratio):
        part = math.log(min(max(ratio, LOWEST), HIGHEST) / LOWEST) / math.log(HIGHEST / LOWEST)
        return self.left + part * self.width

    def frame(self, title):
        parts = [text(self.left, TOP - 14, title, "title")]
        for ratio in GRID:
            parts.append(line(self.x(ratio), TOP, self.x(ratio), self.bottom, "grid one" if ratio == 1 else "grid"))
            parts.append(text(self.x(ratio), self.bottom + 16, f"{ratio}×", "quiet", "middle"))
        return parts

    def row(self, index, run):
        y, parts, ends = TOP + ROW * index, [], [self.x(1)]
        for name, at, height in (("hand", 18, 7), ("pawl", 6, 11)):
            ratio = run.ratio("ort", name)
            if ratio:
                words = f"{run.family} {run.preset}: {'by hand' if name == 'hand' else name} {ratio:.3g}×"
                parts.append(bar(self.x(1), self.x(ratio), y + at, height, name, words))
                if name == "pawl":
                    ends.append(self.x(ratio))
                    label = f"{ratio:.3g}" if ratio < 1000 else f"{ratio:.0f}"
        if run.goal:
            parts.append(line(self.x(run.goal), y + 3, self.x(run.goal), y + 28, "goal"))
            if abs(self.x(run.goal) - max(ends)) < 34 and self.x(run.goal) > max(ends) - 3:
                ends.append(self.x(run.goal))
        if len(ends) > 1:
            parts.append(text(max(ends) + 4, y + 16, label))
        return parts


def legend(threads):
    parts = [text(LEFT, 26, "How many times faster than ONNX Runtime's Scan", "title")]
    x, y = LEFT, 48
    for kind, words in (("pawl", f"pawl, {threads} threads"), ("hand", "written by hand")):
        parts += [bar(x, x + 14, y - 10, 11, kind, words), text(x + 20, y, words, "quiet")]
        x += 40 + 7 * len(words)
    return parts + [line(x + 6, y - 12, x + 6, y + 3, "goal"), text(x + 16, y, "goal", "quiet")]


def draw(runs, presets):
    """An SVG with a panel for each preset, for the largest number of threads."""
    threads = max((run.threads for run in runs), default=1)
    chosen = [run for run in runs if run.threads == threads]
    presets = [preset for preset in presets if any(run.preset == preset for run in chosen)]
    families = list(dict.fromkeys(run.family for run in chosen))
    width = (WIDTH - LEFT - GAP * len(presets)) / max(len(presets), 1)
    parts = legend(threads)
    for i, family in enumerate(families):
        parts.append(text(LEFT - 10, TOP + ROW * i + 19, family, "", "end"))
    for i, preset in enumerate(presets):
        panel = Panel(LEFT + i * (width + GAP), width, families)
        parts += panel.frame(preset)
        for run in chosen:
            if run.preset == preset:
                parts += panel.row(families.index(run.family), run)
    height = TOP + ROW * len(families) + 34
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        f'role="img" aria-label="Ratios of the benchmark families">\n<style>{STYLE}\n</style>\n{body}\n</svg>\n'
    )
