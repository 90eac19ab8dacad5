import { toLatencyPath, toMiddle } from "@/lib/features/connections/browser/latency";
import type { Connection } from "@/lib/features/connections/schema";
import { formatDuration } from "@/lib/platform/browser/format";

const WIDTH = 108;
const HEIGHT = 26;

/** Shows the latency of the last tests. A single test has no curve. */
export function LatencyCard({ latencies }: Pick<Connection, "latencies">) {
  const all = latencies.map(({ ms }) => ms);
  if (all.length < 2) return null;
  return (
    <section className="used latency" aria-labelledby="latency">
      <div>
        <h2 id="latency">Latency (last {all.length} tests)</h2>
        <p className="t2 num">
          <b className="b6">{formatDuration(toMiddle(all))}</b> median, {formatDuration(Math.max(...all))} max
        </p>
      </div>
      <svg width={WIDTH} height={HEIGHT} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
        <path d={toLatencyPath(all, WIDTH, HEIGHT)} />
      </svg>
    </section>
  );
}
