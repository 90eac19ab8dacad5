"use client";

import { Download, Search } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { LogLines } from "@/components/runs/log-lines";
import { Select } from "@/components/ui/select";
import { isGoing } from "@/lib/features/flows/browser/flow-words";
import type { FlowRun } from "@/lib/features/flows/schema";
import type { LogLine } from "@/lib/features/runs/schema";
import { saveFile } from "@/lib/platform/browser/save-file";

/** A value that is not the name of an entity. */
const ALL_STEPS = "\u0000all";
const RUN_STEP = "run";
/** Distance from the end, in px, within which the log still follows it. */
const NEAR_PX = 24;

/** Live log of a run. It follows the end until the user scrolls up. */
export function RunLog({ run }: { run: FlowRun }) {
  const [search, setSearch] = useState("");
  const [step, setStep] = useState(ALL_STEPS);
  const [isFollowing, setIsFollowing] = useState(true);
  const box = useRef<HTMLDivElement>(null);
  const names = new Set(run.entities.map(({ name }) => name));
  const wanted = search.trim().toLowerCase();
  const lines = run.logs.map((line) => ({ ...line, ...toStep(line, names) }));
  // A reloaded run may have other entities.
  const isOne = step === RUN_STEP || names.has(step);
  const shown = lines.filter(
    (line) =>
      (!isOne || line.step === step) && (wanted === "" || `${line.step} ${line.text}`.toLowerCase().includes(wanted)),
  );
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
            aria-label="Search log"
            placeholder="Search log"
            value={search}
            onChange={({ target }) => setSearch(target.value)}
          />
        </div>
        {names.size > 0 && (
          <Select
            label="Step"
            size="sm"
            value={isOne ? step : ALL_STEPS}
            onChange={setStep}
            options={[
              { value: ALL_STEPS, label: "All steps" },
              { value: RUN_STEP, label: "Run" },
              ...[...names].filter((name) => name !== RUN_STEP).map((name) => ({ value: name, label: name })),
            ]}
          />
        )}
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
      <LogLines
        ref={box}
        lines={shown}
        label="Log lines"
        className="run-log-lines"
        onScroll={(element) =>
          setIsFollowing(element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX)
        }
      >
        {shown.length === 0 && (
          <p className="t3 run-log-none">
            {run.logs.length > 0
              ? wanted === ""
                ? "No log lines for this step."
                : `No log lines match "${search.trim()}".`
              : isGoing(run)
                ? "Waiting for log output."
                : "This run has no log."}
          </p>
        )}
      </LogLines>
    </section>
  );
}

/** Assigns a line to the entity whose name it begins with. */
function toStep({ text }: LogLine, names: ReadonlySet<string>): { step: string; text: string } {
  const at = text.indexOf(": ");
  const name = at < 0 ? "" : text.slice(0, at);
  return names.has(name) ? { step: name, text: text.slice(at + 2) } : { step: RUN_STEP, text };
}

function download(name: string, lines: LogLine[]): void {
  const text = lines.map(({ at, level, text: says }) => `${at} ${level} ${says}\n`).join("");
  saveFile(new Blob([text], { type: "text/plain" }), name);
}
