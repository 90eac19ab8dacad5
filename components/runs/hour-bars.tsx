"use client";

import { useIsAwake } from "@/components/ui/use-browser";
import { formatClock, formatCount } from "@/lib/platform/browser/format";
import "./runs.css";

/** Interval of the labels, in hours. */
const NAMED_EVERY = 6;

type Hour = { hour: string; count: number; failed?: number };
type HourBarsProps = {
  hours: Hour[];
  /** Name of the counted things, for the table. */
  what: string;
};

/** Bars for the counts of the last 24 hours, with failures on top. A click shows the same as a table. */
export function HourBars({ hours, what }: HourBarsProps) {
  // The reader's time zone, which the server does not know.
  const isAwake = useIsAwake();
  const most = Math.max(1, ...hours.map(({ count }) => count));
  const total = (name: "count" | "failed") => hours.reduce((sum, hour) => sum + (hour[name] ?? 0), 0);
  const [sum, failed] = [total("count"), total("failed")];
  const hasFailed = hours.some((hour) => hour.failed !== undefined);
  const clock = (hour: string) => (isAwake ? formatClock(new Date(hour), false) : "");
  return (
    <>
      <div
        className="hours"
        role="img"
        aria-label={
          `${what}: ${formatCount(sum)} in the last 24 hours${failed > 0 ? `, ${formatCount(failed)} failed` : ""}, ` +
          `peak ${formatCount(most === 1 ? Math.min(1, sum) : most)} per hour`
        }
      >
        {hours.map(({ hour, count, failed: bad = 0 }, index) => (
          <div
            key={hour}
            className="hour"
            title={`${clock(hour)}: ${formatCount(count)}${bad > 0 ? `, ${formatCount(bad)} failed` : ""}`}
          >
            {bad > 0 && <i className="bad" style={{ height: toHeight(bad, most) }} />}
            {(bad < count || count === 0) && <i style={{ height: toHeight(count - bad, most) }} />}
            <span>{index % NAMED_EVERY === 0 || index === hours.length - 1 ? clock(hour) : ""}</span>
          </div>
        ))}
      </div>
      <details className="xs t2 hours-table">
        <summary>View as table</summary>
        <table className="mini" aria-label={`${what} by hour`}>
          <tbody>
            {hours.map(({ hour, count, failed: bad = 0 }) => (
              <tr key={hour}>
                <th scope="row">{clock(hour)}</th>
                <td className="r">{formatCount(count)}</td>
                {hasFailed && <td className="r">{formatCount(bad)} failed</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  );
}

/** Returns the height of a bar in relation to the highest. Any count above 0 is visible. */
function toHeight(count: number, most: number): string {
  return count === 0 ? "1px" : `max(2px, calc((100% - var(--hour-clock)) * ${(count / most).toFixed(4)}))`;
}
