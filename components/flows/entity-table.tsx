"use client";

import { Search } from "lucide-react";
import { useId, useState } from "react";
import type { FlowFieldsProps } from "@/components/flows/form-fields";
import { useOpenSchemas, useSchemaRefresh } from "@/components/schema/use-schema";
import { ListSkeleton } from "@/components/ui/list-skeleton";
import { LoadFailure } from "@/components/ui/load-failure";
import { Notice } from "@/components/ui/notice";
import { Select } from "@/components/ui/select";
import type { Entity } from "@/lib/base/values/fields";
import { type EntityChoice, schemasOf, toEntityChoices } from "@/lib/features/flows/browser/entity-choice";
import { type ChosenEntity, isSameEntity, toChosen, toNames } from "@/lib/features/flows/browser/flow-form";
import { formatCount, formatCountShort } from "@/lib/platform/browser/format";

/** Maximum number of entities to list; search finds the rest. */
const SHOWN_MAX = 100;
/** The server's limit for one flow. */
const CHOSEN_MAX = 200;
const ALL = "";

/** Table of the source's entities, with the chosen ones, their cursors and their keys. */
export function EntityTable(props: FlowFieldsProps) {
  const { draft, isDisabled } = props;
  const [schema] = useOpenSchemas([draft.sourceId]);
  const { refresh } = useSchemaRefresh();
  const [search, setSearch] = useState("");
  const [only, setOnly] = useState(ALL);
  if (!schema || schema.isPending) return <ListSkeleton label="Loading tables" rowPx={36} />;
  if (!schema.data) {
    return <LoadFailure error={schema.error ?? new Error()} onRetry={() => void refresh([draft.sourceId])} />;
  }
  const all = schema.data;
  const schemas = schemasOf(all);
  const { chosen, rest, hasHits } = toEntityChoices(all, draft.entities, { search, schema: only });
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
              {[...chosen, ...rest.slice(0, SHOWN_MAX)].map((entity) => (
                <EntityRow
                  {...props}
                  key={`${entity.schema ?? ""}/${entity.name}`}
                  entity={entity}
                  label={entity.schema && schemas.length > 1 ? `${entity.schema}.${entity.name}` : entity.name}
                  isDisabled={isDisabled}
                  isFull={isFull}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {rest.length > SHOWN_MAX && (
        <p className="xs t3 entity-more">{formatCount(rest.length - SHOWN_MAX)} more. Search to find them.</p>
      )}
      {all.length > 0 && !hasHits && <p className="xs t3 entity-more">No tables match "{search.trim()}".</p>}
    </div>
  );
}

type EntityRowProps = Pick<FlowFieldsProps, "draft" | "change" | "problemOf" | "isDisabled"> & {
  entity: EntityChoice;
  /** Name of the entity, with its schema if there are several. */
  label: string;
  /** Whether no other entity can be chosen. */
  isFull: boolean;
};

function EntityRow({ draft, change, problemOf, isDisabled, entity, label, isFull }: EntityRowProps) {
  const id = useId();
  const index = draft.entities.findIndex((each) => isSameEntity(each, entity));
  const at = draft.entities[index];
  const [ofName, ofCursor, ofKey] = (["name", "cursorField", "primaryKey"] as const).map((field) =>
    problemOf(`entities.${index}.${field}`),
  );
  const problem = at && (ofName ?? ofCursor ?? ofKey);
  const others = draft.entities.filter((each) => each !== at);
  const set = (more: Partial<ChosenEntity>) =>
    change({ entities: draft.entities.map((each) => (each === at ? { ...each, ...more } : each)) });
  return (
    <tr>
      <td>
        <input
          id={id}
          type="checkbox"
          checked={at !== undefined}
          aria-invalid={(at && ofName !== undefined) || undefined}
          aria-describedby={problem && `${id}-problem`}
          disabled={isDisabled || (isFull && at === undefined)}
          onChange={() => change({ entities: at ? others : [...others, toChosen(entity)] })}
        />
      </td>
      <td className="wrap">
        <label htmlFor={id} className="mono entity-name">
          {label}
        </label>
        {entity.isGone && <div className="xs t3">No longer in the source</div>}
        {problem && (
          <div id={`${id}-problem`} className="xs bad-text" role="alert">
            {problem}
          </div>
        )}
      </td>
      <td className="r t2">
        {entity.rowEstimate !== undefined && entity.rowEstimate >= 0 && formatCountShort(entity.rowEstimate)}
      </td>
      {draft.mode === "incremental" && (
        <td>
          {at && (
            <FieldChoice
              label={`Cursor field of ${label}`}
              entity={entity}
              value={at.cursorField}
              onChange={(cursorField) => set({ cursorField })}
              isDisabled={isDisabled}
              isInvalid={ofCursor !== undefined}
              describedBy={`${id}-problem`}
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
            onChange={(names) => set({ primaryKey: toNames(names) })}
            isDisabled={isDisabled}
            isInvalid={ofKey !== undefined}
            describedBy={`${id}-problem`}
            isKey
          />
        )}
      </td>
    </tr>
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
  /** Element with the problem. */
  describedBy: string;
  /** True for a key, which may have several fields. */
  isKey?: boolean;
};

/** Field of an entity: a select if the source lists its columns, a text input otherwise. */
function FieldChoice(props: FieldChoiceProps) {
  const { label, entity, value, onChange, isDisabled, isInvalid, isKey = false } = props;
  const describedBy = isInvalid ? props.describedBy : undefined;
  const columns = entity.columns ?? [];
  if (columns.length === 0) {
    return (
      <div className={isInvalid ? "input xs mono-input err" : "input xs mono-input"}>
        <input
          aria-label={label}
          aria-invalid={isInvalid || undefined}
          aria-describedby={describedBy}
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
      describedBy={describedBy}
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
