"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { FileUp, Upload } from "lucide-react";
import { useRouter, useSearchParams } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { ImportPreviewPane } from "@/components/connections/import/import-preview";
import { ImportSettingsPane, type TableChoice } from "@/components/connections/import/import-settings";
import { setPendingFile, usePendingFile } from "@/components/connections/import/pending-file";
import { Trail } from "@/components/connections/new-connection";
import { Page } from "@/components/layout/page";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useConnections, useConnectionsByName, useEntities } from "@/components/schema/use-schema";
import { Confirm } from "@/components/ui/confirm";
import { announce } from "@/components/ui/live-region";
import { LoadFailure } from "@/components/ui/load-failure";
import { Notice } from "@/components/ui/notice";
import { toMessage } from "@/components/ui/to-message";
import { showToast } from "@/components/ui/toast";
import { toFreeName } from "@/lib/base/values/names";
import { type ImportProgress, importsApi, toTableName } from "@/lib/features/connections/browser/imports";
import { toTableAddress } from "@/lib/features/connections/browser/table-links";
import type { ImportPreview, ImportSettings } from "@/lib/features/connections/imports/schema";
import { formatCountOf, toSize } from "@/lib/platform/browser/format";
import "./import.css";

const ACCEPTED = ".csv,.tsv,.txt,.xlsx,.json,.ndjson,.jsonl,.parquet,.arrow,.feather";
const BYTES_IN_MB = 1_000_000;

/** Work that a person can cancel. */
type Work = { label: string; done: number; total: number; rows: number; startedAt: number; stop: AbortController };

/** Imports a file: uploads it, shows what was detected, and writes a table. The address names the upload. */
export function ImportPage() {
  const { workspace } = useWorkspace();
  const router = useRouter();
  const id = useSearchParams().get("upload");
  const pending = usePendingFile((state) => state.file);
  const root = `/w/${workspace.slug}/connections`;
  const [work, setWork] = useState<Work | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  /** Starts work and stops what ran before. */
  const begin = (label: string, total: number): Work => {
    running.current?.abort();
    const started = { label, done: 0, total, rows: 0, startedAt: performance.now(), stop: new AbortController() };
    running.current = started.stop;
    setFailure(null);
    setWork(started);
    return started;
  };
  const end = ({ stop }: Work, error?: unknown) => {
    if (running.current !== stop) return;
    running.current = null;
    setWork(null);
    if (error !== undefined && !stop.signal.aborted) setFailure(toMessage(error));
  };
  const progressOf =
    ({ stop }: Work) =>
    ({ stage, bytes, rows }: ImportProgress) => {
      const label = { queued: "Waiting", read: "Reading", check: "Checking types", write: "Writing table" }[stage];
      setWork((before) => (before?.stop === stop ? { ...before, label, done: bytes || before.done, rows } : before));
    };

  const send = async (file: File) => {
    const started = begin("Uploading", file.size);
    try {
      const { id: uploaded } = await importsApi.upload(workspace.id, file, {
        signal: started.stop.signal,
        onProgress: (done) => setWork((before) => (before?.stop === started.stop ? { ...before, done } : before)),
      });
      end(started);
      router.replace(`${root}/import?upload=${uploaded}`);
    } catch (error) {
      end(started, error);
    }
  };
  const sendRef = useRef(send);
  sendRef.current = send;
  useEffect(() => {
    if (!pending) return;
    setPendingFile(null);
    void sendRef.current(pending);
  }, [pending]);

  const bar = work && <WorkBar work={work} onCancel={() => work.stop.abort()} />;
  if (id === null) {
    return (
      <Page title="Import file" trail={<Trail root={root} name="Import" />} isWide>
        {failure !== null && <Notice kind="bad">{failure}</Notice>}
        {bar ?? <DropZone onFile={(file) => void send(file)} />}
      </Page>
    );
  }
  return <UploadedFile key={id} id={id} root={root} bar={bar} failure={failure} tools={{ begin, end, progressOf }} />;
}

type Tools = {
  begin: (label: string, total: number) => Work;
  end: (work: Work, error?: unknown) => void;
  progressOf: (work: Work) => (progress: ImportProgress) => void;
};
type UploadedProps = { id: string; root: string; bar: React.ReactNode; failure: string | null; tools: Tools };

/** Settings, preview and problems of an upload. */
function UploadedFile({ id, root, bar, failure, tools }: UploadedProps) {
  const { workspace } = useWorkspace();
  const router = useRouter();
  const queryClient = useQueryClient();
  const upload = useQuery({
    queryKey: ["import", workspace.id, id],
    queryFn: ({ signal }) => importsApi.read(workspace.id, id, signal),
    retry: false,
  });
  const [settings, setSettings] = useState<ImportSettings>({});
  const [preview, setPreview] = useState<ImportPreview | null>(null);
  const [seconds, setSeconds] = useState(0);
  const [choice, setChoice] = useState<TableChoice | null>(null);
  const [isAsking, setIsAsking] = useState(false);
  const loaded = useConnections().data ?? [];
  const named = useConnectionsByName("Files").data ?? [];
  const files = [...loaded, ...named].find(({ config }) => config.file === "Files.duckdb");
  const tables = useEntities(files?.id ?? null).map(({ name }) => name);
  const file = upload.data;
  const table: TableChoice = choice ?? { name: toTableName(file?.file ?? ""), mode: "create", rejected: "quarantine" };
  const isTaken = tables.some((each) => each.toLowerCase() === table.name.toLowerCase());
  const freeName = toFreeName(table.name, tables);
  const target = table.mode === "create" ? freeName : table.name;

  const read = async (next: ImportSettings) => {
    setSettings(next);
    const started = tools.begin("Reading", file?.bytes ?? 0);
    try {
      const watch = { signal: started.stop.signal, onProgress: tools.progressOf(started) };
      const found = await importsApi.preview(workspace.id, id, next, watch);
      setPreview(found);
      setSeconds((performance.now() - started.startedAt) / 1000);
      tools.end(started);
      announce(`Preview, ${formatCountOf(found.rows, "row")}`);
    } catch (error) {
      tools.end(started, error);
    }
  };
  const readRef = useRef(read);
  readRef.current = read;
  const isKnown = file !== undefined;
  useEffect(() => {
    if (isKnown) void readRef.current({});
  }, [isKnown]);

  const store = async () => {
    setIsAsking(false);
    const started = tools.begin("Writing table", 0);
    try {
      const done = await importsApi.store(
        workspace.id,
        id,
        { table: target, mode: isTaken ? table.mode : "create", rejected: table.rejected },
        { signal: started.stop.signal, onProgress: tools.progressOf(started) },
      );
      tools.end(started);
      await queryClient.invalidateQueries({ queryKey: ["connections", workspace.id] });
      await queryClient.invalidateQueries({ queryKey: ["entities", workspace.id] });
      showToast(`${formatCountOf(done.rows, "row")} imported`);
      router.replace(toTableAddress(workspace.slug, done.connectionId, { name: done.table }));
    } catch (error) {
      tools.end(started, error);
    }
  };
  const cancel = () => {
    void importsApi.remove(workspace.id, id).catch(() => {});
    router.push(root);
  };
  const isBusy = bar !== null;
  const canStore =
    preview !== null && !isBusy && failure === null && table.name.trim() !== "" && preview.columns.length > 0;
  const actions = (
    <>
      <button type="button" className="btn ghost" onClick={cancel}>
        Cancel
      </button>
      <button
        type="button"
        className="btn primary"
        disabled={!canStore}
        onClick={() => (isTaken && table.mode === "replace" ? setIsAsking(true) : void store())}
      >
        <Upload className="s" />
        {preview === null ? "Import" : `Import ${formatCountOf(preview.rows, "row")}`}
      </button>
    </>
  );
  return (
    <Page
      title={file ? `Import ${file.file}` : "Import file"}
      trail={<Trail root={root} name="Files" />}
      actions={actions}
      isWide
    >
      {upload.isError && <LoadFailure error={upload.error} onRetry={() => upload.refetch()} />}
      {failure !== null && <Notice kind="bad">{failure}</Notice>}
      {bar}
      {file && (preview || failure !== null) && (
        <div className="import" aria-busy={isBusy}>
          <ImportSettingsPane
            file={file}
            settings={settings}
            preview={preview}
            table={table}
            target={target}
            freeName={freeName}
            isTaken={isTaken}
            onSettings={(next) => void read(next)}
            onTable={setChoice}
          />
          {preview && (
            <ImportPreviewPane
              id={id}
              preview={preview}
              seconds={seconds}
              settings={settings}
              onSettings={(next) => void read(next)}
            />
          )}
        </div>
      )}
      <Confirm
        title={`Replace ${table.name}?`}
        action="Replace table"
        isOpen={isAsking}
        isBusy={false}
        failure={null}
        onConfirm={() => void store()}
        onClose={() => setIsAsking(false)}
      >
        <p>This deletes all rows of {table.name}. This can't be undone.</p>
      </Confirm>
    </Page>
  );
}

function DropZone({ onFile }: { onFile: (file: File) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <div className="empty blank drop-zone">
      <span className="empty-mark">
        <FileUp />
      </span>
      <h2>Drop a file here</h2>
      <p>CSV, TSV, XLSX, JSON, NDJSON, Parquet or Arrow. At most 1 GiB.</p>
      <div className="row">
        <button type="button" className="btn primary" onClick={() => input.current?.click()}>
          <FileUp className="s" />
          Choose file
        </button>
      </div>
      <input
        ref={input}
        type="file"
        hidden
        accept={ACCEPTED}
        aria-label="Choose file"
        onChange={(event) => {
          const [file] = event.target.files ?? [];
          event.target.value = "";
          if (file) onFile(file);
        }}
      />
    </div>
  );
}

/** Progress of an upload or of reading a file. */
function WorkBar({ work, onCancel }: { work: Work; onCancel: () => void }) {
  const { label, done, total, rows, startedAt } = work;
  const percent = total === 0 ? 0 : Math.min(100, Math.floor((100 * done) / total));
  const size = toSize(total);
  const perSecond = done / BYTES_IN_MB / Math.max(0.1, (performance.now() - startedAt) / 1000);
  const facts = [
    total > 0 && `${percent}% of ${size.value} ${size.unit}`,
    rows > 0 && formatCountOf(rows, "row"),
    done > 0 && `${perSecond.toFixed(1)} MB/s`,
  ].filter(Boolean);
  return (
    <div className="row import-work">
      <span>{label}</span>
      <div
        className="upload-track"
        role="progressbar"
        aria-label={label}
        aria-valuenow={percent}
        aria-valuemin={0}
        aria-valuemax={100}
      >
        <i style={{ width: `${percent}%` }} />
      </div>
      <span className="xs num t2">{facts.join(", ")}</span>
      <button type="button" className="btn ghost sm" onClick={onCancel}>
        Cancel
      </button>
    </div>
  );
}
