"use client";

import { useEffect, useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import type { Entity } from "@/lib/base/values/fields";
import type { ResultRow } from "@/lib/base/values/json-rows";
import { findTable } from "@/lib/features/connections/browser/table-links";
import { api, type TableRowsAsk } from "@/lib/features/query/browser/api";
import { toFilterValue } from "@/lib/features/results/browser/column-filter";

/** The column that a foreign key of one column refers to, and the texts that describe its rows. */
export type Reference = {
  table: { name: string; schema?: string };
  column: string;
  /** Text columns, the best description first; may be empty. */
  texts: string[];
  rowEstimate: number | undefined;
};
/** A row that a cell can refer to. */
export type Choice = { key: string; label: string; detail: string | null };

/** Maximum number of rows in the list: a longer one is searched. */
const CHOICES_MAX = 20;
/** Delay after the last key before the rows are searched, in ms. */
const DELAY_MS = 150;
const TEXT_TYPE = /char|text|string|varchar/i;
const NAME = /name|title|label|email/i;

/** Returns the reference of a column; null for none, and for keys of several columns. */
export function toReference(entity: Entity, entities: readonly Entity[], column: string): Reference | null {
  const key = entity.foreignKeys?.find(({ columns }) => columns.length === 1 && columns[0] === column);
  const target = key?.references.columns[0];
  if (!key || target === undefined) return null;
  const { name, schema } = key.references;
  const table = { name, ...(schema !== undefined && { schema }) };
  const found = findTable(entities, table);
  const texts = (found?.columns ?? [])
    .filter((each) => each.name !== target && TEXT_TYPE.test(each.type))
    .map((each) => each.name)
    .sort((a, b) => Number(NAME.test(b)) - Number(NAME.test(a)));
  return { table, column: target, texts: texts.slice(0, 2), rowEstimate: found?.rowEstimate };
}

/** Searches the rows that a cell can refer to, by their key or their first text. */
export function useReferenced(connectionId: string, reference: Reference | null, wanted: string) {
  const { workspace } = useWorkspace();
  const [found, setFound] = useState<{ choices: Choice[]; isLoading: boolean }>({ choices: [], isLoading: true });
  const asked = reference && JSON.stringify(reference);
  useEffect(() => {
    if (asked === null) return;
    const { table, column, texts } = JSON.parse(asked) as Reference;
    const stop = new AbortController();
    const read = (ask: Partial<TableRowsAsk>) =>
      api
        .readTableRows(workspace.id, connectionId, { table, limit: CHOICES_MAX, ...ask }, stop.signal)
        .then(({ rows }) => rows)
        // A text cannot be compared with a numeric key.
        .catch((): ResultRow[] => []);
    const timer = setTimeout(async () => {
      const value = wanted.trim();
      const [text] = texts;
      const byText = text === undefined ? [] : [read({ filters: [{ column: text, op: "holds", value }] })];
      const searches = value === "" ? [read({})] : [read({ filters: [{ column, op: "is", value }] }), ...byText];
      const rows = (await Promise.all(searches)).flat();
      if (stop.signal.aborted) return;
      const choices = new Map<string, Choice>();
      for (const row of rows) {
        const key = toFilterValue(row[column]);
        if (key === null || choices.size >= CHOICES_MAX) continue;
        const [label = "", detail = null] = texts.map((each) => toFilterValue(row[each]) ?? "");
        choices.set(key, { key, label, detail });
      }
      setFound({ choices: [...choices.values()], isLoading: false });
    }, DELAY_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [workspace.id, connectionId, asked, wanted]);
  return found;
}
