"use client";

import { Eye, Table2 } from "lucide-react";
import { useConnectionTypes, useFindType } from "@/components/connections/use-connection-types";
import { useConsoleActions } from "@/components/consoles/use-console-actions";
import { useWorkspace } from "@/components/layout/workspace-context";
import { BESIDE, type Choice, type ChoiceList } from "@/components/palette/palette-choice";
import { useConnections, useDatabases, useOpenSchemas } from "@/components/schema/use-schema";
import { toSqlTable } from "@/lib/base/sql/names";
import type { Entity } from "@/lib/base/values/fields";
import type { Connection } from "@/lib/features/connections/schema";
import { formatCountShort } from "@/lib/platform/browser/format";

/** Maximum number of databases to load tables from; loading all of a large workspace would keep them busy. */
const DATABASES_MAX = 8;

/** Returns the tables of the first databases. */
export function useTableChoices(): ChoiceList {
  const { editors, workbench: store } = useWorkspace();
  const { start, create } = useConsoleActions();
  const { isLoading } = useConnections();
  const databases = useDatabases();
  const findType = useFindType();
  const types = useConnectionTypes();
  const schemas = useOpenSchemas(databases.slice(0, DATABASES_MAX).map(({ id }) => id));
  const toName = ({ type }: Connection, entity: Entity) => {
    const dialect = findType(type)?.dialect;
    return dialect ? toSqlTable(entity, dialect) : entity.name;
  };
  const toFirstLook = (database: Connection, entity: Entity) =>
    findType(database.type)?.dialect
      ? { name: `${entity.name}.sql`, content: firstLook(toName(database, entity)) }
      : { name: `${entity.name}.mongodb`, content: firstLookAtCollection(entity.name) };
  const choices = databases.slice(0, DATABASES_MAX).flatMap((database, i) =>
    // The kind of the connection decides how a table is queried.
    (types.data === undefined ? [] : (schemas[i]?.data ?? [])).map(
      (entity): Choice => ({
        id: `${database.id}/${entity.schema ?? ""}/${entity.name}`,
        kind: "table",
        name: entity.name,
        detail: toTableDetail(database.name, entity.kind, entity.rowEstimate),
        icon: entity.kind === "view" ? Eye : Table2,
        open: () => {
          const editor = editors.active;
          // The previous one may still be shown while the address changes.
          const isOpen = editor !== null && editor.consoleId === store.read()?.lastActiveId;
          // An editor with text gets the table's name; otherwise a query of the first rows opens.
          if (isOpen && editor.read().content.trim() !== "") editor.insertName(toName(database, entity));
          else create(database.id, toFirstLook(database, entity));
        },
        start: () => start(create(database.id, toFirstLook(database, entity))),
        openBeside: () => {
          create(database.id, { ...toFirstLook(database, entity), isBeside: true });
          return BESIDE;
        },
      }),
    ),
  );
  const isAwaited = isLoading || types.isLoading || schemas.some((each) => each.isLoading);
  return { choices, awaited: isAwaited ? ["table"] : [] };
}

function toTableDetail(database: string, kind: string, rows: number | undefined): string {
  if (kind !== "table") return `${database}, ${kind}`;
  return rows === undefined ? database : `${database}, ${formatCountShort(rows)} ${rows === 1 ? "row" : "rows"}`;
}

function firstLook(table: string): string {
  return `select *\nfrom ${table}\nlimit 100;`;
}

function firstLookAtCollection(name: string): string {
  return `db.getCollection(${JSON.stringify(name)}).find().limit(100)`;
}
