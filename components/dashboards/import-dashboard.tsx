"use client";

import { useRouter } from "next/navigation";
import { useId, useState } from "react";
import { useDashboardActions } from "@/components/dashboards/use-dashboard-actions";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useDatabases } from "@/components/schema/use-schema";
import { Modal } from "@/components/ui/modal";
import { Notice } from "@/components/ui/notice";
import { Select } from "@/components/ui/select";
import { toMessage } from "@/components/ui/to-message";
import { parseDashboardJson } from "@/lib/base/values/exact-sources";
import { dashboardApi, type ExportedDashboard } from "@/lib/features/dashboards/browser/client";
import { ApiError } from "@/lib/platform/browser/request";

/** Maximum size of an import file. A dashboard of sixty widgets is far smaller. */
const FILE_BYTES_MAX = 8 * 1024 * 1024;
/** Format of the server's error path for a connection that it could not find. */
const UNKNOWN = /^connections\.(.*)$/s;

/** Creates a dashboard from a file, and asks for a connection in place of an unknown name. */
export function ImportDashboard({ onClose }: { onClose: () => void }) {
  const { workspace } = useWorkspace();
  const { note } = useDashboardActions();
  const databases = useDatabases();
  const router = useRouter();
  const inputId = useId();
  const [dashboard, setDashboard] = useState<ExportedDashboard | null>(null);
  const [unknown, setUnknown] = useState<string[]>([]);
  const [chosen, setChosen] = useState<Record<string, string>>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);

  const take = async (file: File | undefined) => {
    setDashboard(null);
    setUnknown([]);
    setChosen({});
    setFailure(null);
    if (file === undefined) return;
    const read = file.size > FILE_BYTES_MAX ? null : toExported(await file.text());
    if (read === null) {
      setFailure("Not a dashboard file. Choose a Millrace dashboard export.");
      return;
    }
    setDashboard(read);
    await send(read, {});
  };
  const send = async (read: ExportedDashboard, connections: Record<string, string>) => {
    setIsBusy(true);
    setFailure(null);
    try {
      const made = note(await dashboardApi.import(workspace.id, { dashboard: read, connections }));
      onClose();
      router.push(`/w/${workspace.slug}/dashboards/${made.id}`);
    } catch (error) {
      const names =
        error instanceof ApiError ? error.problems.flatMap(({ path }) => UNKNOWN.exec(path)?.[1] ?? []) : [];
      setUnknown((before) => [...new Set([...before, ...names])]);
      if (names.length === 0) setFailure(toMessage(error));
    } finally {
      setIsBusy(false);
    }
  };
  const isReady = dashboard !== null && !isBusy && unknown.every((name) => chosen[name] !== undefined);
  return (
    <Modal
      title="Import dashboard"
      isOpen
      onClose={onClose}
      foot={
        <>
          <button type="button" className="btn" onClick={onClose}>
            Cancel
          </button>
          <button
            type="button"
            className="btn primary"
            disabled={!isReady}
            onClick={() => dashboard && void send(dashboard, chosen)}
          >
            Import dashboard
          </button>
        </>
      }
    >
      <div className="import-form">
        <div className="field">
          <label htmlFor={inputId}>File</label>
          <input
            id={inputId}
            type="file"
            accept=".json,application/json"
            onChange={({ target }) => void take(target.files?.[0])}
          />
          <p className="help">A JSON file exported from a dashboard</p>
        </div>
        {failure !== null && (
          <Notice kind="bad" role="alert">
            {failure}
          </Notice>
        )}
        {unknown.length > 0 && (
          <>
            <Notice kind="info" role="status">
              {unknown.length === 1 ? "1 connection wasn't" : `${unknown.length} connections weren't`} found. Choose a
              replacement.
            </Notice>
            {unknown.map((name) => (
              <div key={name} className="field">
                <span className="flabel">{name}</span>
                <Select
                  label={`Connection for ${name}`}
                  placeholder="Select a connection"
                  value={chosen[name] ?? ""}
                  onChange={(id) => setChosen({ ...chosen, [name]: id })}
                  options={databases.map((each) => ({ value: each.id, label: each.name }))}
                />
              </div>
            ))}
          </>
        )}
      </div>
    </Modal>
  );
}

/** Parses a file that may be an exported dashboard; the server validates the rest. */
function toExported(text: string): ExportedDashboard | null {
  try {
    const value = parseDashboardJson(text);
    return typeof value === "object" && value !== null && "title" in value ? (value as ExportedDashboard) : null;
  } catch {
    return null;
  }
}
