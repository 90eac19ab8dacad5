/** Streams from many sources meet at the gate and leave it as bars. All sizes are in the picture's units, 640 x 900. */
const STREAM_COUNT = 22;
const GATE_X = 330;
const BARS = [
  57, 79.8, 68.4, 95, 87.4, 110.2, 98.8, 125.4, 114, 104.5, 133, 148.2, 136.8, 121.6, 152, 140.6, 163.4, 155.8, 133,
  171, 159.6, 180.5,
];
const BAR_FOOT = 536;
const BRASS_STREAMS = new Set([3, 10, 17]);
const BRASS_BARS = new Set([3, 10, 17]);
const LIT_STREAMS = new Set([0, 6, 9, 12, 15, 18, 21]);
const LIT_BARS = new Set([0, 7, 10, 13, 16, 18, 21]);

export function RaceArt() {
  return (
    <svg className="race-art" viewBox="0 0 640 900" preserveAspectRatio="xMinYMid slice" aria-hidden="true">
      <g fill="none" strokeLinecap="round" strokeWidth="2">
        {Array.from({ length: STREAM_COUNT }, (_, i) => {
          const from = 250 + 21 * i;
          const to = 434.3 + 3.4 * i;
          return (
            <path
              key={from}
              d={`M-10 ${from}C150 ${from} 210 ${to} ${GATE_X} ${to}`}
              stroke={toColour(BRASS_STREAMS.has(i), LIT_STREAMS.has(i))}
            />
          );
        })}
      </g>
      <rect x={GATE_X} y="404" width="7" height="132" rx="2" fill="var(--brass)" />
      {BARS.map((height, i) => (
        <rect
          // biome-ignore lint/suspicious/noArrayIndexKey: the bars never move
          key={i}
          x={352 + 12.2 * i}
          y={BAR_FOOT - height}
          width="7"
          height={height}
          rx="2"
          fill={toColour(BRASS_BARS.has(i), LIT_BARS.has(i))}
        />
      ))}
    </svg>
  );
}

function toColour(isBrass: boolean, isLit: boolean): string {
  if (isBrass) return "var(--brass)";
  return isLit ? "var(--auth-water)" : "var(--auth-deep)";
}
