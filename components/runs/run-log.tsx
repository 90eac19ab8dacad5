import type { LogLine } from "@/lib/client/runs";
import { formatClock } from "@/lib/ui/format";
import { formatStamp } from "@/lib/ui/format-time";
import "./runs.css";

/** The end of a run's log, the oldest line first. */
export function RunLog({ lines }: { lines: LogLine[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by the keyboard
    <section className="run-log mono" role="log" aria-live="off" aria-label="Log" tabIndex={0}>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no names, and come at the end alone
        <div key={index} className={line.level}>
          <time dateTime={line.at} title={formatStamp(new Date(line.at))}>
            {formatClock(new Date(line.at))}
          </time>
          <span>
            {line.level === "info" ? "" : `${line.level}: `}
            {line.text}
          </span>
        </div>
      ))}
    </section>
  );
}
