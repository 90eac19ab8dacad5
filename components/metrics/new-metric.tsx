"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useFindType } from "@/components/connections/use-connection-types";
import { useWorkspace } from "@/components/layout/workspace-context";
import { toMetricsKey } from "@/components/metrics/use-metrics";
import { useConnections, useDatabases, useEntities, useFindDatabase } from "@/components/schema/use-schema";
import { FormModal } from "@/components/ui/form-modal";
import { LabelledSelect } from "@/components/ui/labelled-select";
import { Select } from "@/components/ui/select";
import { TextField } from "@/components/ui/text-field";
import { useServerForm } from "@/components/ui/use-server-form";
import type { Entity } from "@/lib/base/values/fields";
import { metricApi } from "@/lib/features/metrics/browser/client";
import { starterText } from "@/lib/features/metrics/browser/starter";
import type { MetricSummary } from "@/lib/features/metrics/schema";

type Fields = { name: string; connectionId: string; table: string };

const keyOf = ({ schema = "", name }: Entity) => JSON.stringify([schema, name]);

/** Dialog that creates a metric file over one table. */
export function NewMetric({ files, onClose }: { files: readonly MetricSummary[]; onClose: () => void }) {
  const { workspace } = useWorkspace();
  const router = useRouter();
  const client = useQueryClient();
  const findType = useFindType();
  const databases = useDatabases().filter(({ type }) => findType(type)?.dialect !== undefined);
  const more = useConnections();
  const first = useFindDatabase()(null);
  const server = useServerForm<Fields>({
    initial: { name: "", connectionId: "", table: "" },
    fields: ["name", "connectionId", "table"],
    check: ({ name, table }) => ({
      ...(name.trim() === ""
        ? { name: "Name is required." }
        : files.some((file) => file.name.toLowerCase() === name.trim().toLowerCase())
          ? { name: `${name.trim()} already exists. Choose another name.` }
          : {}),
      ...(table === "" && { table: "Table is required." }),
    }),
    send: async ({ name, table }) => {
      const entity = entities.find((each) => keyOf(each) === table);
      if (!entity || !connection) return;
      const file = name.trim();
      await metricApi.put(workspace.id, file, { content: starterText(file, connection.name, entity), version: 0 });
      await client.invalidateQueries({ queryKey: toMetricsKey(workspace.id) });
      router.push(`/w/${workspace.slug}/metrics/${file}`);
      return "left";
    },
    whenClosed: "Couldn't create the metric.",
  });
  const { form } = server;
  const connectionId = form.watch("connectionId") || (first?.id ?? "");
  const connection = databases.find(({ id }) => id === connectionId);
  const entities = useEntities(connection ? connection.id : null);
  const problems = form.formState.errors;
  return (
    <FormModal title="New metric" server={server} action="Create metric" busy="Creating" onClose={onClose}>
      <TextField
        label="File name"
        autoFocus
        maxLength={100}
        placeholder="sales"
        help="Saved as metrics/<name>.yml. It can define several metrics."
        {...server.text("name")}
      />
      <LabelledSelect
        label="Connection"
        size="md"
        value={connectionId}
        options={databases.map(({ id, name }) => ({ value: id, label: name }))}
        more={more}
        onChange={(id) => {
          form.setValue("connectionId", id);
          form.setValue("table", "");
        }}
      />
      <div className="field">
        <span className="flabel" id="metric-table">
          Table
        </span>
        <Select
          labelId="metric-table"
          placeholder="Select a table"
          value={form.watch("table")}
          isInvalid={problems.table !== undefined}
          options={entities.map((each) => ({ value: keyOf(each), label: each.name, note: each.schema }))}
          onChange={(table) => {
            form.setValue("table", table);
            form.clearErrors("table");
          }}
        />
        {problems.table && <div className="help bad">{problems.table.message}</div>}
      </div>
    </FormModal>
  );
}
