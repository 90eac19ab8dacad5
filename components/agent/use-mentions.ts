"use client";

import { useActiveConsoleId } from "@/components/consoles/use-console-actions";
import { useOpenConsole, useRecentConsoles } from "@/components/consoles/use-consoles";
import { useDatabases, useEntities, useFindConnection } from "@/components/schema/use-schema";

export type Mentionable = { kind: "table" | "console" | "connection"; name: string; detail: string };

const OFFERED_MAX = 8;

/** Returns the names that a message may mention: tables of the open console's connection, consoles and connections. */
export function useMentionables(): (typed: string) => Mentionable[] {
  const active = useOpenConsole(useActiveConsoleId());
  const databases = useDatabases();
  const find = useFindConnection();
  const connection = find(active?.connectionId) ?? databases[0] ?? null;
  const entities = useEntities(connection?.id ?? null);
  const { data: consoles = [] } = useRecentConsoles();
  return (typed) => {
    const all: Mentionable[] = [
      ...entities.map(({ name }): Mentionable => ({ kind: "table", name, detail: connection?.name ?? "" })),
      ...consoles.map(({ name, path }): Mentionable => ({ kind: "console", name, detail: path })),
      ...databases.map(({ name }): Mentionable => ({ kind: "connection", name, detail: "Connection" })),
    ];
    const words = typed.toLowerCase();
    const starting = all.filter(({ name }) => name.toLowerCase().startsWith(words));
    const holding = all.filter((each) => !starting.includes(each) && each.name.toLowerCase().includes(words));
    return [...starting, ...holding].slice(0, OFFERED_MAX);
  };
}
