"use client";

import { useIsAwake } from "@/components/ui/use-browser";
import type { WebhookStats } from "@/lib/client/flows";
import { formatClock, formatCount } from "@/lib/ui/format";

/** Every so many hours one is named. */
const NAMED_EVERY = 6;

/** What came in each of the last 24 hours, as bars; a press shows the same as a table. */
export function WebhookHours({ hours }: { hours: WebhookStats["last24h"] }) {
  // The reader's own clock, which a server does not know.
  const isAwake = useIsAwake();
  const most = Math.max(1, ...hours.map(({ count }) => count));
  const sum = hours.reduce((total, { count }) => total + count, 0);
  const clock = (hour: string) => (isAwake ? formatClock(new Date(hour), false) : "");
  return (
    <>
      <div
        className="hours"
        role="img"
        aria-label={`${formatCount(sum)} in the last 24 hours, at most ${formatCount(most === 1 ? Math.min(1, sum) : most)} in one of them`}
      >
        {hours.map(({ hour, count }, index) => (
          <div key={hour} className="hour" title={`${clock(hour)}: ${formatCount(count)}`}>
            <i style={{ height: count === 0 ? 1 : `${Math.max(3, (100 * count) / most)}%` }} />
            <span>{index % NAMED_EVERY === 0 || index === hours.length - 1 ? clock(hour) : ""}</span>
          </div>
        ))}
      </div>
      <details className="xs t2 hours-table">
        <summary>Show as table</summary>
        <table className="mini" aria-label="Received, hour by hour">
          <tbody>
            {hours.map(({ hour, count }) => (
              <tr key={hour}>
                <th scope="row">{clock(hour)}</th>
                <td className="r">{formatCount(count)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}
