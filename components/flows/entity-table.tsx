"use client";

import { Search } from "lucide-react";
import { useId, useState } from "react";
import type { FlowFieldsProps } from "@/components/flows/form-fields";
import { useOpenSchemas, useSchemaRefresh } from "@/components/schema/use-schema";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { Notice } from "@/components/ui/notice";
import { Select } from "@/components/ui/select";
import { type ChosenEntity, isSameEntity, toChosen, toNames } from "@/lib/features/flows/browser/flow-form";
import type { Entity } from "@/lib/features/query/browser/api";
import { formatCount, formatCountShort } from "@/lib/platform/browser/format";

/** Maximum number of entities to list; search finds the rest. */
const SHOWN_MAX = 100;
/** The server's limit for one flow. */
const CHOSEN_MAX = 200;
const ALL = "";

/** Table of the source's entities, with the chosen ones, their cursors and their keys. */
export function EntityTable({ draft, change, problemOf, isDisabled }: FlowFieldsProps) {
  const id = useId();
  const [schema] = useOpenSchemas([draft.sourceId]);
  const { refresh } = useSchemaRefresh();
  const [search, setSearch] = useState("");
  const [only, setOnly] = useState(ALL);
  if (!schema || schema.isPending) return <ListSkeleton label="Loading tables" rowPx={36} />;
  if (!schema.data) {
    return <LoadFailure error={schema.error ?? new Error()} onRetry={() => void refresh([draft.sourceId])} />;
  }
  const all = schema.data;
  const schemas = [...new Set(all.map((entity) => entity.schema ?? ""))].sort();
  const wanted = search.trim().toLowerCase();
  const found = all.filter(
    (entity) => (only === ALL || entity.schema === only) && entity.name.toLowerCase().includes(wanted),
  );
  const isChosen = (entity: Entity) => draft.entities.some((each) => isSameEntity(each, entity));
  // Chosen entities come first, even if the search does not match. Those missing from the source can still be removed.
  const chosen = draft.entities.map(
    (each) =>
      all.find((entity) => isSameEntity(entity, each)) ?? { ...each, kind: "table" as const, isGone: true as const },
  );
  const rest = found.filter((entity) => !isChosen(entity));
  const shown: (Entity & { isGone?: true })[] = [...chosen, ...rest.slice(0, SHOWN_MAX)];
  const set = (entity: Entity, more: Partial<ChosenEntity>) =>
    change({ entities: draft.entities.map((each) => (isSameEntity(each, entity) ? { ...each, ...more } : each)) });
  const toggle = (entity: Entity) =>
    change({
      entities: isChosen(entity)
        ? draft.entities.filter((each) => !isSameEntity(each, entity))
        : [...draft.entities, toChosen(entity)],
    });
  const isFull = draft.entities.length >= CHOSEN_MAX;
  return (
    <div className="entity-box">
      <div className="row entity-head">
        <div className="input quiet xs entity-find">
          <Search className="xs t3" />
          <input
            type="search"
            aria-label="Search tables"
            placeholder="Search tables"
            value={search}
            onChange={({ target }) => setSearch(target.value)}
          />
        </div>
        {schemas.length > 1 && (
          <div className="entity-schema">
            <Select
              label="Schema"
              size="sm"
              value={only}
              options={[
                { value: ALL, label: "All schemas" },
                ...schemas.filter((name) => name !== "").map((name) => ({ value: name, label: name })),
              ]}
              onChange={setOnly}
            />
          </div>
        )}
        <span className="xs t3 num grow">
          {formatCount(draft.entities.length)} of {formatCount(all.length)} selected
        </span>
      </div>
      {all.length === 0 ? (
        <Notice kind="info">No tables that this connection can read.</Notice>
      ) : (
        <div className="entity-scroll">
          <table className="list entities" aria-label="Tables to sync">
            <thead>
              <tr>
                <th>
                  <span className="sr-only">Selected</span>
                </th>
                <th>Name</th>
                <th className="r">Rows</th>
                {draft.mode === "incremental" && <th>Cursor field</th>}
                <th>Primary key</th>
              </tr>
            </thead>
            <tbody>
              {shown.map((entity) => {
                const index = draft.entities.findIndex((each) => isSameEntity(each, entity));
                const at = draft.entities[index];
                const label = entity.schema && schemas.length > 1 ? `${entity.schema}.${entity.name}` : entity.name;
                const path = `source.entities.${index}`;
                const wrong =
                  at &&
                  (problemOf(`${path}.name`) ?? problemOf(`${path}.cursorField`) ?? problemOf(`${path}.primaryKey`));
                return (
                  <tr key={`${entity.schema ?? ""}/${entity.name}`}>
                    <td>
                      <input
                        id={`${id}-${label}`}
                        type="checkbox"
                        checked={at !== undefined}
                        disabled={isDisabled || (isFull && at === undefined)}
                        onChange={() => toggle(entity)}
                      />
                    </td>
                    <td className="wrap">
                      <label htmlFor={`${id}-${label}`} className="mono entity-name">
                        {label}
                      </label>
                      {entity.isGone && <div className="xs t3">No longer in the source</div>}
                      {wrong && (
                        <div className="xs bad-text" role="alert">
                          {wrong}
                        </div>
                      )}
                    </td>
                    <td className="r t2">
                      {entity.rowEstimate !== undefined &&
                        entity.rowEstimate >= 0 &&
                        formatCountShort(entity.rowEstimate)}
                    </td>
                    {draft.mode === "incremental" && (
                      <td>
                        {at && (
                          <FieldChoice
                            label={`Cursor field of ${label}`}
                            entity={entity}
                            value={at.cursorField}
                            onChange={(cursorField) => set(entity, { cursorField })}
                            isDisabled={isDisabled}
                            isInvalid={problemOf(`${path}.cursorField`) !== undefined}
                          />
                        )}
                      </td>
                    )}
                    <td>
                      {at && (
                        <FieldChoice
                          label={`Primary key of ${label}`}
                          entity={entity}
                          value={at.primaryKey.join(", ")}
                          onChange={(names) => set(entity, { primaryKey: toNames(names) })}
                          isDisabled={isDisabled}
                          isInvalid={problemOf(`${path}.primaryKey`) !== undefined}
                          isKey
                        />
                      )}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
      {rest.length > SHOWN_MAX && (
        <p className="xs t3 entity-more">{formatCount(rest.length - SHOWN_MAX)} more. Search to find them.</p>
      )}
      {all.length > 0 && found.length === 0 && <p className="xs t3 entity-more">No tables match "{search.trim()}".</p>}
    </div>
  );
}

type FieldChoiceProps = {
  label: string;
  entity: Entity;
  /** Names separated by commas; empty for none. */
  value: string;
  onChange: (value: string) => void;
  isDisabled: boolean;
  isInvalid: boolean;
  /** True for a key, which may have several fields. */
  isKey?: boolean;
};

/** Field of an entity: a select if the source lists its columns, a text input otherwise. */
function FieldChoice({ label, entity, value, onChange, isDisabled, isInvalid, isKey = false }: FieldChoiceProps) {
  const columns = entity.columns ?? [];
  if (columns.length === 0) {
    return (
      <div className={isInvalid ? "input xs mono-input err" : "input xs mono-input"}>
        <input
          aria-label={label}
          aria-invalid={isInvalid || undefined}
          defaultValue={value}
          disabled={isDisabled}
          placeholder={isKey ? "none" : "Field name"}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          onChange={({ target }) => onChange(target.value.trim())}
        />
      </div>
    );
  }
  const own = columns.filter(({ primaryKey }) => primaryKey).map(({ name }) => name);
  const names = [...(isKey && own.length > 1 ? [own.join(", ")] : []), ...columns.map(({ name }) => name)];
  if (value !== "" && !names.includes(value)) names.unshift(value);
  return (
    <Select
      label={label}
      size="sm"
      placeholder="none"
      value={value}
      options={[{ value: "", label: "none" }, ...names.map((name) => ({ value: name, label: name }))]}
      onChange={onChange}
      isDisabled={isDisabled}
      isInvalid={isInvalid}
    />
  );
}
