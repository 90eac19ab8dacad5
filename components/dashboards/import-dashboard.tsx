"use client";

import { useRouter } from "next/navigation";
import { useId } from "react";
import { useDashboardActions } from "@/components/dashboards/use-dashboard-actions";
import { useWorkspace } from "@/components/layout/workspace-context";
import { useConnections, useDatabases } from "@/components/schema/use-schema";
import { FormModal } from "@/components/ui/form-modal";
import { FieldProblem } from "@/components/ui/form-parts";
import { Notice } from "@/components/ui/notice";
import { Select } from "@/components/ui/select";
import { useServerForm } from "@/components/ui/use-server-form";
import { parseDashboardJson } from "@/lib/base/values/exact-sources";
import { dashboardApi } from "@/lib/features/dashboards/browser/client";
import type { ExportedDashboard } from "@/lib/features/dashboards/schema";
import { ApiError } from "@/lib/platform/browser/request";

/** Maximum size of an import file. A dashboard of sixty widgets is far smaller. */
const FILE_BYTES_MAX = 8 * 1024 * 1024;
/** Format of the server's error path for a connection that it could not find. */
const UNKNOWN = /^connections\.(.*)$/s;

type Fields = {
  file: ExportedDashboard | null;
  /** Names of connections in the file that the workspace does not have, each with its replacement; empty until chosen. */
  connections: { name: string; id: string }[];
};

/** Creates a dashboard from a file, and asks for a connection in place of an unknown name. */
export function ImportDashboard({ onClose }: { onClose: () => void }) {
  const { workspace } = useWorkspace();
  const { note } = useDashboardActions();
  const router = useRouter();
  const server = useServerForm<Fields>({
    initial: { file: null, connections: [] },
    fields: ["file", "connections"],
    fieldOf: () => null,
    check: ({ file }) => ({
      file: file === null ? "Not a dashboard file. Choose a Millrace dashboard export." : undefined,
    }),
    send: async ({ file, connections }) => {
      if (file === null) return;
      const chosen = Object.fromEntries(connections.map(({ name, id }) => [name, id]));
      const made = note(await dashboardApi.import(workspace.id, { dashboard: file, connections: chosen }));
      onClose();
      router.push(`/w/${workspace.slug}/dashboards/${made.id}`);
      return "left";
    },
    whenClosed: "Couldn't import the dashboard.",
    onFailure: (error, form) => {
      const known = form.getValues("connections");
      const names =
        error instanceof ApiError ? error.problems.flatMap(({ path }) => UNKNOWN.exec(path)?.[1] ?? []) : [];
      const added = [...new Set(names)].filter((name) => known.every((each) => each.name !== name));
      form.setValue("connections", [...known, ...added.map((name) => ({ name, id: "" }))]);
      return names.length > 0;
    },
  });
  const { form, submit } = server;
  const take = async (file: File | undefined) => {
    form.reset();
    if (file === undefined) return;
    form.setValue("file", file.size > FILE_BYTES_MAX ? null : toExported(await file.text()));
    await submit();
  };
  const { file, connections } = form.watch();
  const isReady = file !== null && connections.every(({ id }) => id !== "");
  return (
    <FormModal
      title="Import dashboard"
      server={server}
      action="Import dashboard"
      busy="Importing"
      isDisabled={!isReady}
      className="import-form"
      onClose={onClose}
    >
      <FileField server={server} onFile={(file) => void take(file)} />
      {connections.length > 0 && <ConnectionFields server={server} />}
    </FormModal>
  );
}

type PartProps = { server: ReturnType<typeof useServerForm<Fields>> };

function FileField({ server: { problemOf }, onFile }: PartProps & { onFile: (file: File | undefined) => void }) {
  const id = useId();
  const problem = problemOf("file");
  return (
    <div className="field">
      <label htmlFor={id}>File</label>
      <input
        id={id}
        type="file"
        accept=".json,application/json"
        aria-invalid={problem === undefined ? undefined : true}
        aria-describedby={`${id}-problem ${id}-help`}
        onChange={({ target }) => onFile(target.files?.[0])}
      />
      <FieldProblem id={`${id}-problem`} text={problem} />
      <p id={`${id}-help`} className="help">
        A JSON file exported from a dashboard
      </p>
    </div>
  );
}

/** Replacements of connections that the workspace does not have. */
function ConnectionFields({ server: { control } }: PartProps) {
  const databases = useDatabases();
  const more = useConnections();
  const { value: connections, onChange } = control("connections");
  return (
    <>
      <Notice kind="info" role="status">
        {connections.length === 1 ? "1 connection wasn't" : `${connections.length} connections weren't`} found. Choose a
        replacement.
      </Notice>
      {connections.map(({ name, id }) => (
        <div key={name} className="field">
          <span className="flabel">{name}</span>
          <Select
            label={`Connection for ${name}`}
            placeholder="Select a connection"
            value={id}
            onChange={(chosen) =>
              onChange(connections.map((each) => (each.name === name ? { name, id: chosen } : each)))
            }
            options={databases.map((each) => ({ value: each.id, label: each.name }))}
            more={more}
          />
        </div>
      ))}
    </>
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
