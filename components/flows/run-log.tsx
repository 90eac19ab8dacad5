"use client";

import { Download, Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { FlowRun, LogLine } from "@/lib/client/flows";
import { isGoing } from "@/lib/ui/flow-words";
import { formatClock } from "@/lib/ui/format";
import { formatStamp } from "@/lib/ui/format-time";
import { saveFile } from "@/lib/ui/save-file";

/** A reader this near to the end still follows it. */
const NEAR_PX = 24;

/** What the run says of itself, line by line as it comes. It follows its end until somebody scrolls up. */
export function RunLog({ run }: { run: FlowRun }) {
  const [search, setSearch] = useState("");
  const [isFollowing, setIsFollowing] = useState(true);
  const box = useRef<HTMLDivElement>(null);
  const names = new Set(run.entities.map(({ name }) => name));
  const wanted = search.trim().toLowerCase();
  const lines = run.logs.map((line) => ({ ...line, ...toStep(line, names) }));
  const shown =
    wanted === "" ? lines : lines.filter((line) => `${line.step} ${line.says}`.toLowerCase().includes(wanted));
  const last = run.logs.at(-1);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each new line moves the end
  useEffect(() => {
    const element = box.current;
    if (isFollowing && element) element.scrollTop = element.scrollHeight;
  }, [isFollowing, last, shown.length]);

  return (
    <section className="card run-log" aria-label="Log">
      <div className="row run-log-head">
        <h2 className="b6">Log</h2>
        <div className="input quiet xs run-log-find">
          <Search className="xs t3" />
          <input
            type="search"
            aria-label="Find in the log"
            placeholder="Find in the log"
            value={search}
            onChange={({ target }) => setSearch(target.value)}
          />
        </div>
        <span className="grow" />
        <label className="row xs t2 run-log-follow">
          <input type="checkbox" checked={isFollowing} onChange={({ target }) => setIsFollowing(target.checked)} />
          Follow
        </label>
        <button
          type="button"
          className="btn ghost sm"
          disabled={run.logs.length === 0}
          onClick={() => download(`run-${run.id}.log`, run.logs)}
        >
          <Download className="s" />
          Download
        </button>
      </div>
      <div
        ref={box}
        className="run-log-lines"
        role="log"
        aria-live="off"
        aria-label="Lines of the log"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls has to be reachable by the keyboard
        tabIndex={0}
        onScroll={({ currentTarget: element }) =>
          setIsFollowing(element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX)
        }
      >
        {shown.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines are equal where they say the same at the same time
          <div key={`${line.at}${index}`} className={`run-log-line ${line.level}`}>
            <time dateTime={line.at} title={formatStamp(new Date(line.at))}>
              {formatClock(new Date(line.at))}
            </time>
            <span className="t2 trunc">{line.step}</span>
            <span>{line.says}</span>
          </div>
        ))}
        {shown.length === 0 && (
          <p className="t3 run-log-none">
            {run.logs.length > 0
              ? `No line has "${search.trim()}".`
              : isGoing(run)
                ? "Waiting for the first line."
                : "This run has left no lines."}
          </p>
        )}
      </div>
    </section>
  );
}

/** A line that begins with the name of an entity is about that one. */
function toStep({ text }: LogLine, names: ReadonlySet<string>): { step: string; says: string } {
  const at = text.indexOf(": ");
  const name = at < 0 ? "" : text.slice(0, at);
  return names.has(name) ? { step: name, says: text.slice(at + 2) } : { step: "run", says: text };
}

function download(name: string, lines: LogLine[]): void {
  const text = lines.map(({ at, level, text: says }) => `${at} ${level} ${says}\n`).join("");
  saveFile(new Blob([text], { type: "text/plain" }), name);
}
