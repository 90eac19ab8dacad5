"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useId } from "react";
import { toDashboardKey, toDashboardsKey, useRecentDashboards } from "@/components/dashboards/use-dashboards";
import { useWorkspace } from "@/components/layout/workspace-context";
import { FormModal } from "@/components/ui/form-modal";
import { Segments } from "@/components/ui/segments";
import { Select } from "@/components/ui/select";
import { TextField } from "@/components/ui/text-field";
import { showToast } from "@/components/ui/toast";
import { useServerForm } from "@/components/ui/use-server-form";
import { readSettings, toKeptSpec } from "@/lib/base/charts/kept-spec";
import { fitSettings, guessSettings } from "@/lib/base/charts/settings";
import type { KeptChart } from "@/lib/features/consoles/browser/client";
import { dashboardApi } from "@/lib/features/dashboards/browser/client";
import { addWidget, type Draft, type NewWidget, toDraft } from "@/lib/features/dashboards/browser/edit/draft";
import { fromChart, fromRows } from "@/lib/features/dashboards/browser/edit/looks";
import { TITLE_CHARS_MAX, WIDGETS_MAX } from "@/lib/features/dashboards/limits";
import type { Dashboard, Widget } from "@/lib/features/dashboards/schema";
import type { RowsSource } from "@/lib/features/results/browser/rows-source";
import { ApiError } from "@/lib/platform/browser/request";

type AddToDashboardProps = {
  /** Result, with its columns and its first rows. */
  rows: RowsSource;
  chart: KeptChart | null;
  /** True if the chart is shown rather than the table: it is then offered first. */
  isChart: boolean;
  connectionId: string;
  statement: string;
  /** Saved console of the text; null if it was never saved, or has changed since. */
  consoleId: string | null;
  consoleName: string;
  onClose: () => void;
};

const NEW = "";
/** Maximum number of attempts when others save at the same time; each starts from their version. */
const TRIES_MAX = 3;

type Fields = {
  /** Dashboard; empty for a new one. */
  to: string;
  newTitle: string;
  access: "private" | "workspace";
  title: string;
  as: "chart" | "table";
  reads: "console" | "query";
};

/** Dialog that adds a result to a new or existing dashboard, as its chart or as a table. */
export function AddToDashboard(props: AddToDashboardProps) {
  const { rows, chart, connectionId, statement, consoleId, consoleName, onClose } = props;
  const { workspace } = useWorkspace();
  const client = useQueryClient();
  const router = useRouter();
  const settings = fitSettings(readSettings(chart), rows.fields) ?? guessSettings(rows.sample);
  const name = consoleName.replace(/\.[a-z]+$/i, "");
  const form = useServerForm<Fields>({
    initial: {
      to: NEW,
      newTitle: name,
      access: "private",
      title: name,
      as: props.isChart && settings ? "chart" : "table",
      reads: consoleId === null ? "query" : "console",
    },
    fields: [],
    send: async ({ to, newTitle, access, title, as, reads }) => {
      const source: Widget["source"] =
        reads === "console" && consoleId !== null ? { consoleId } : { connectionId, query: statement };
      const picture = as === "chart" && settings ? fromChart(settings, toKeptSpec(settings, rows.fields)) : fromRows();
      const widget: NewWidget = { ...picture, title: title.trim(), source };
      const { widgets } = addWidget(BLANK, widget)[0];
      const saved =
        to === NEW
          ? await dashboardApi.create(workspace.id, { title: newTitle.trim(), access, widgets })
          : await addTo(workspace.id, to, widget);
      client.setQueryData(toDashboardKey(workspace.id, saved.id), saved);
      void client.invalidateQueries({ queryKey: toDashboardsKey(workspace.id) });
      const open = () => router.push(`/w/${workspace.slug}/dashboards/${saved.id}`);
      showToast(`Added to ${saved.title}`, { action: { label: "Open dashboard", onClick: open } });
      onClose();
    },
  });
  const { control } = form;
  const isNamed = control("to").value !== NEW || control("newTitle").value.trim() !== "";
  return (
    <FormModal
      title="Add to dashboard"
      server={form}
      action="Add"
      busy="Adding"
      isDisabled={!isNamed}
      onClose={onClose}
    >
      <TargetFields form={form} />
      <WidgetFields form={form} hasChart={settings !== null} isSaved={consoleId !== null} />
    </FormModal>
  );
}

type PartProps = { form: ReturnType<typeof useServerForm<Fields>> };

/** The dashboard: an existing one, or title and visibility of a new one. */
function TargetFields({ form: { text, control } }: PartProps) {
  const id = useId();
  const list = useRecentDashboards();
  const dashboards = [...(list.data ?? [])].sort((a, b) => a.title.localeCompare(b.title));
  const to = control("to");
  return (
    <>
      <div className="field">
        <span id={id} className="flabel">
          Dashboard
        </span>
        <Select
          labelId={id}
          {...to}
          options={[
            { value: NEW, label: "New dashboard" },
            ...dashboards.map((each) => ({ value: each.id, label: each.title })),
          ]}
        />
      </div>
      {to.value === NEW && (
        <>
          <TextField label="Title" maxLength={TITLE_CHARS_MAX} isDense {...text("newTitle")} />
          <Segments
            label="Visibility"
            {...control("access")}
            options={[
              { value: "private", label: "Only you" },
              { value: "workspace", label: "Everyone in the workspace" },
            ]}
          />
        </>
      )}
    </>
  );
}

type WidgetFieldsProps = PartProps & {
  hasChart: boolean;
  /** Whether the query is that of a saved console. */
  isSaved: boolean;
};

function WidgetFields({ form: { text, control }, hasChart, isSaved }: WidgetFieldsProps) {
  const reads = control("reads");
  return (
    <>
      <TextField label="Widget title" maxLength={TITLE_CHARS_MAX} isDense {...text("title")} />
      {hasChart && (
        <Segments
          label="View"
          {...control("as")}
          options={[
            { value: "chart", label: "Chart" },
            { value: "table", label: "Table" },
          ]}
        />
      )}
      {isSaved && (
        <div className="field">
          <Segments
            label="Query"
            {...reads}
            options={[
              { value: "console", label: "Linked console" },
              { value: "query", label: "Copy of this query" },
            ]}
          />
          <div className="help">
            {reads.value === "console"
              ? "Saving the console also updates this widget."
              : "Later changes to the console do not affect this widget."}
          </div>
        </div>
      )}
    </>
  );
}

const BLANK: Draft = { title: "", description: "", access: "private", datasets: [], widgets: [], filters: [] };

/** @throws ApiError of the last attempt, and when the page is full */
async function addTo(workspaceId: string, id: string, widget: NewWidget): Promise<Dashboard> {
  for (let tries = 1; ; tries++) {
    const dashboard = await dashboardApi.read(workspaceId, id);
    if (dashboard.widgets.length >= WIDGETS_MAX) {
      throw new ApiError(400, "invalid_request", `This dashboard has reached the limit of ${WIDGETS_MAX} widgets.`);
    }
    const { widgets } = addWidget(toDraft(dashboard), widget)[0];
    try {
      return await dashboardApi.update(workspaceId, id, { version: dashboard.version, widgets });
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== "conflict" || tries === TRIES_MAX) throw error;
    }
  }
}
