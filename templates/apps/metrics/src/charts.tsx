import { useLayoutEffect, useRef, useState } from "react";

type Point = { name: string; value: number };

const [HEIGHT, BOTTOM, LEFT] = [240, 24, 56];
const LINES = 4;
/** Space for a month's name, in pixels. */
const NAME_WIDTH = 96;

/** Area chart of one value over time. */
export function Trend({ points, toText }: { points: readonly Point[]; toText: (value: number) => string }) {
  const [svg, width] = useWidth();
  const top = niceTop(Math.max(0, ...points.map(({ value }) => value)));
  const x = (index: number) => LEFT + (index / Math.max(points.length - 1, 1)) * (width - LEFT - 28);
  const y = (value: number) => 8 + (1 - value / top) * (HEIGHT - BOTTOM - 8);
  const line = points.map(({ value }, index) => `${index === 0 ? "M" : "L"}${x(index)},${y(value)}`).join("");
  const names = Math.max(1, Math.floor((width - LEFT) / NAME_WIDTH));
  const named = points.filter((_, index) => index % Math.ceil(points.length / names) === 0);
  return (
    <svg ref={svg} height={HEIGHT} role="img" aria-label={summaryOf(points, toText)}>
      {Array.from({ length: LINES + 1 }, (_, step) => (top / LINES) * step).map((value) => (
        <g key={value}>
          <line className="grid" x1={LEFT} x2={width - 28} y1={y(value)} y2={y(value)} />
          <text className="axis" x={LEFT - 8} y={y(value) + 4} textAnchor="end">
            {toText(value)}
          </text>
        </g>
      ))}
      {points.length > 0 && (
        <>
          <path className="area" d={`${line}L${x(points.length - 1)},${y(0)}L${x(0)},${y(0)}Z`} />
          <path className="line" d={line} />
        </>
      )}
      {named.map((point) => (
        <text key={point.name} className="axis" x={x(points.indexOf(point))} y={HEIGHT - 6} textAnchor="middle">
          {point.name}
        </text>
      ))}
      {points.map(({ name, value }, index) => (
        <circle key={name} className="spot" cx={x(index)} cy={y(value)} r={8}>
          <title>{`${name}: ${toText(value)}`}</title>
        </circle>
      ))}
    </svg>
  );
}

/** Bar chart of values by name, largest first. */
export function Bars({ bars, toText }: { bars: readonly Point[]; toText: (value: number) => string }) {
  const top = Math.max(1, ...bars.map(({ value }) => value));
  return (
    <ul className="bars">
      {bars.map(({ name, value }) => (
        <li key={name}>
          <span>{name}</span>
          <span className="track">
            <span className="bar" style={{ width: `${(value / top) * 100}%` }} />
          </span>
          <span className="value">{toText(value)}</span>
        </li>
      ))}
    </ul>
  );
}

/** Measures the available width, so that text keeps its size on a phone. */
function useWidth() {
  const svg = useRef<SVGSVGElement>(null);
  const [width, setWidth] = useState(720);
  useLayoutEffect(() => {
    const { current } = svg;
    if (!current) return;
    const measure = () => setWidth(current.clientWidth);
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    measure();
    return () => observer.disconnect();
  }, []);
  return [svg, width] as const;
}

/** Returns the next round number above. */
function niceTop(value: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1)));
  return ([1, 2, 4, 5, 8, 10].find((step) => step * power >= value) ?? 10) * power;
}

function summaryOf(points: readonly Point[], toText: (value: number) => string): string {
  const [first, last] = [points[0], points.at(-1)];
  return first && last
    ? `From ${toText(first.value)} in ${first.name} to ${toText(last.value)} in ${last.name}`
    : "No data yet";
}
