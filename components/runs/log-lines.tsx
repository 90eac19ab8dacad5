import type { ReactNode, Ref } from "react";
import type { LogLine } from "@/lib/features/runs/schema";
import { formatClock } from "@/lib/platform/browser/format";
import { formatStamp } from "@/lib/platform/browser/format-time";
import "./runs.css";

type LogLinesProps = {
  /** Lines, oldest first. `step` is the step of a line, in a separate column. */
  lines: readonly (LogLine & { step?: string })[];
  label: string;
  className?: string;
  ref?: Ref<HTMLDivElement>;
  onScroll?: (box: HTMLElement) => void;
  /** Content below the lines, or instead of them. */
  children?: ReactNode;
};

/** Scrollable box with the lines of a run's log. */
export function LogLines({ lines, label, className = "", ref, onScroll, children }: LogLinesProps) {
  return (
    <div
      ref={ref}
      className={`log-lines ${className}`}
      role="log"
      aria-live="off"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by the keyboard
      tabIndex={0}
      onScroll={({ currentTarget }) => onScroll?.(currentTarget)}
    >
      {lines.map(({ at, level, text, step }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines are equal where they say the same at the same time
        <div key={`${at}${index}`} className={`log-line ${step === undefined ? "" : "has-step"} ${level}`}>
          <time dateTime={at} title={formatStamp(new Date(at))}>
            {formatClock(new Date(at))}
          </time>
          {step !== undefined && <span className="t2 trunc">{step}</span>}
          <span>
            {level === "info" ? "" : `${level}: `}
            {text}
          </span>
        </div>
      ))}
      {children}
    </div>
  );
}
