"use client";

import { CircleCheck, CircleX, Download, Waves } from "lucide-react";
import { useEffect, useId, useState, useSyncExternalStore } from "react";
import { toEndWords } from "@/components/results/export-words";
import { announce } from "@/components/ui/live-region";
import { Modal } from "@/components/ui/modal";
import { Segments } from "@/components/ui/segments";
import { SwitchRow } from "@/components/ui/switch-row";
import { useOutage } from "@/components/ui/use-browser";
import type { ResultField } from "@/lib/base/values/json-rows";
import type { ExecuteTarget } from "@/lib/features/query/browser/execute";
import { openExportFile } from "@/lib/features/results/browser/export-file";
import { type ExportJob, exportJobs } from "@/lib/features/results/browser/export-jobs";
import { CONTENT_TYPES, type ExportFormat } from "@/lib/features/results/browser/export-rows";
import { formatCountOf, toSize } from "@/lib/platform/browser/format";
import "./results.css";

type ExportDialogProps = {
  target: ExecuteTarget;
  connectionName: string | null;
  query: string;
  /** Number of the result, for a statement with several, from 0. */
  result: number;
  fields: ResultField[];
  consoleName: string;
  onClose: () => void;
};

const FORMATS = [
  { value: "csv", label: "CSV" },
  { value: "xlsx", label: "Excel" },
  { value: "ndjson", label: "NDJSON" },
  { value: "parquet", label: "Parquet" },
  { value: "arrow", label: "Arrow" },
] as const;

/**
 * Dialog that writes the whole result to a file: the query runs again, without a limit, and each row is written as it
 * arrives.
 */
export function ExportDialog(props: ExportDialogProps) {
  const { target, connectionName, query, result, fields, consoleName, onClose } = props;
  const nameId = useId();
  const outage = useOutage();
  const [format, setFormat] = useState<ExportFormat>("csv");
  const [isGuarded, setIsGuarded] = useState(true);
  const [stem, setStem] = useState(() => toStem(consoleName, result));
  const [jobId, setJobId] = useState<string | null>(null);
  const jobs = useSyncExternalStore(exportJobs.subscribe, exportJobs.list, exportJobs.list);
  const job = jobs.find(({ id }) => id === jobId) ?? null;
  useEffect(() => () => void (jobId !== null && exportJobs.leave(jobId)), [jobId]);
  const status = job?.work.status ?? "idle";
  const isRunning = status === "running";
  useEffect(() => {
    const words = job && toEndWords(job);
    if (job && words !== null) announce(words, job.work.status === "failed");
  }, [job]);
  const name = `${stem.trim() || "result"}.${format}`;

  const start = async () => {
    const file = await openExportFile(name, CONTENT_TYPES[format]);
    if (file === null) return;
    const request = { target, query, result, fields, format, isGuarded: isGuarded && format === "csv" };
    setJobId(exportJobs.start(name, request, file));
  };

  return (
    <Modal
      title="Export result"
      isOpen
      onClose={onClose}
      foot={
        isRunning ? (
          <>
            <button type="button" className="btn danger" onClick={() => job && exportJobs.cancel(job.id)}>
              Cancel export
            </button>
            <button type="button" className="btn" onClick={onClose}>
              Continue in background
            </button>
          </>
        ) : (
          <>
            <button type="button" className="btn" onClick={onClose}>
              Close
            </button>
            <button
              type="button"
              className={status === "done" ? "btn" : "btn primary"}
              aria-disabled={outage !== null}
              onClick={() => outage === null && void start()}
            >
              <Download className="s" />
              Export {name}
            </button>
          </>
        )
      }
    >
      <p className="export-lead">
        Runs the query again{connectionName === null ? "" : ` on ${connectionName}`} and exports all rows
        {result === 0 ? "" : ` of result ${result + 1}`}.
      </p>
      <div className="export-form" inert={isRunning}>
        <div className="field">
          <span className="flabel">Format</span>
          <Segments label="Format" value={format} options={FORMATS} onChange={setFormat} />
        </div>
        <div className="field grow">
          <label htmlFor={nameId}>File name</label>
          <div className="input">
            <input id={nameId} value={stem} maxLength={120} onChange={(event) => setStem(event.target.value)} />
            <span className="t3">.{format}</span>
          </div>
        </div>
      </div>
      {format === "csv" && (
        <SwitchRow
          label="Escape formulas"
          help="Prefixes =, +, - and @ with an apostrophe, so spreadsheets don't run them."
          isOn={isGuarded}
          onChange={setIsGuarded}
          isDisabled={isRunning}
        />
      )}
      <ExportStatus job={job} outage={outage} />
    </Modal>
  );
}

/** Returns the file name without its extension. It has the number of a later result of a statement. */
function toStem(consoleName: string, result: number): string {
  const stem = consoleName.replace(/\.[a-z]+$/i, "") || "result";
  return result === 0 ? stem : `${stem}-${result + 1}`;
}

function ExportStatus({ job, outage }: { job: ExportJob | null; outage: string | null }) {
  const work = job?.work ?? null;
  if (outage !== null && work?.status !== "running") {
    return <p className="export-status t2">{outage}. Export is unavailable until the server is back.</p>;
  }
  if (job === null || work === null) return null;
  switch (work.status) {
    case "cancelled":
      return <p className="export-status t2">Export cancelled. No file was saved.</p>;
    case "failed":
      return (
        <p className="export-status">
          <span className="st bad">
            <CircleX className="s" />
            Failed
          </span>{" "}
          {work.message}
        </p>
      );
    case "running":
    case "done": {
      const { value, unit } = toSize(work.progress.bytes);
      return (
        <div className="export-status num">
          {work.status === "running" && (
            <span className="line" aria-hidden="true">
              <i className="m" />
            </span>
          )}
          {work.status === "running" ? (
            <span className="st run">
              <Waves className="s" />
              Writing
            </span>
          ) : (
            <span className="st ok">
              <CircleCheck className="s" />
              Exported
            </span>
          )}{" "}
          {work.progress.rows !== null && `${formatCountOf(work.progress.rows, "row")}, `}
          {value} {unit}
          {work.status === "done" && `, to ${job.name}`}
        </div>
      );
    }
  }
}
