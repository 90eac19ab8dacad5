"use client";

import { CircleCheck, CircleX, Download, Waves } from "lucide-react";
import { useEffect, useId, useRef, useState } from "react";
import { announce } from "@/components/ui/live-region";
import { Modal } from "@/components/ui/modal";
import { Segments } from "@/components/ui/segments";
import { SwitchRow } from "@/components/ui/switch-row";
import { useOutage } from "@/components/ui/use-browser";
import type { ResultField } from "@/lib/base/values/json-rows";
import type { ExecuteTarget } from "@/lib/features/query/browser/execute";
import { openExportFile } from "@/lib/features/results/browser/export-file";
import {
  CONTENT_TYPES,
  type ExportFormat,
  type ExportProgress,
  exportRows,
} from "@/lib/features/results/browser/export-rows";
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

type Work =
  | { status: "idle" }
  | { status: "running"; progress: ExportProgress }
  | { status: "done"; progress: ExportProgress; name: string }
  | { status: "failed"; message: string }
  | { status: "cancelled" };

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
  const [work, setWork] = useState<Work>({ status: "idle" });
  const abort = useRef<AbortController | null>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const isRunning = work.status === "running";
  const name = `${stem.trim() || "result"}.${format}`;

  const start = async () => {
    const file = await openExportFile(name, CONTENT_TYPES[format]);
    if (file === null) return;
    const controller = new AbortController();
    abort.current = controller;
    setWork({ status: "running", progress: { rows: null, bytes: 0 } });
    const request = { target, query, result, fields, format, isGuarded: isGuarded && format === "csv" };
    try {
      const progress = await exportRows(request, file, controller.signal, (now) =>
        setWork({ status: "running", progress: now }),
      );
      setWork({ status: "done", progress, name });
      announce(progress.rows === null ? "Export finished" : `${formatCountOf(progress.rows, "row")} exported`);
    } catch (error) {
      await file.abort().catch(() => {});
      if (controller.signal.aborted) {
        setWork({ status: "cancelled" });
        return;
      }
      const message = error instanceof Error ? error.message : "Couldn't write the file.";
      setWork({ status: "failed", message });
      announce(`The export failed. ${message}`, true);
    }
  };

  return (
    <Modal
      title="Export result"
      isOpen
      onClose={onClose}
      foot={
        isRunning ? (
          <button type="button" className="btn danger" onClick={() => abort.current?.abort()}>
            Cancel export
          </button>
        ) : (
          <>
            <button type="button" className="btn" onClick={onClose}>
              Close
            </button>
            <button
              type="button"
              className={work.status === "done" ? "btn" : "btn primary"}
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
      <ExportStatus work={work} outage={outage} />
    </Modal>
  );
}

/** Returns the file name without its extension. It has the number of a later result of a statement. */
function toStem(consoleName: string, result: number): string {
  const stem = consoleName.replace(/\.[a-z]+$/i, "") || "result";
  return result === 0 ? stem : `${stem}-${result + 1}`;
}

function ExportStatus({ work, outage }: { work: Work; outage: string | null }) {
  if (outage !== null && work.status !== "running") {
    return <p className="export-status t2">{outage}. Export is unavailable until the server is back.</p>;
  }
  switch (work.status) {
    case "idle":
      return null;
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
          {work.status === "done" && `, to ${work.name}`}
        </div>
      );
    }
  }
}
