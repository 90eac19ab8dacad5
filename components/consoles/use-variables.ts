"use client";

import { useCallback, useMemo, useRef, useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import { SqlScript } from "@/lib/base/sql/statements";
import {
  guessKind, parseInputs, type TypedValue, toInput, toTypedValue, type VariableInput,
} from "@/lib/base/sql/variables"; // biome-ignore format: one look at the whole list
import type { Console } from "@/lib/features/consoles/schema";

export type Variables = {
  /** In the order of their first use in the text. */
  names: string[];
  inputs: Record<string, VariableInput>;
  /** Values that are valid for their type. */
  values: Record<string, TypedValue>;
  change: (name: string, input: VariableInput) => void;
};

/**
 * Returns the variables of a text and the values that the user has entered. This browser remembers the value of a name
 * for all consoles, except those that have a default value for it.
 */
export function useVariables(content: string, dialect: SqlDialect, saved: Console | null): Variables {
  const { user, workspace } = useWorkspace();
  const key = `millrace:variables:${user.id}:${workspace.id}`;
  const [kept, setKept] = useState(() => readKept(key));
  const script = useRef<SqlScript>(null);
  const names = useMemo(() => {
    const before = script.current;
    script.current = before?.dialect === dialect ? before.with(content) : SqlScript.of(content, dialect);
    return script.current.variables();
  }, [content, dialect]);
  const { id = "", variables: defaults = NONE } = saved ?? {};
  const toKey = useCallback((name: string) => (Object.hasOwn(defaults, name) ? `${id}/${name}` : name), [id, defaults]);
  const inputs = useMemo(
    () =>
      Object.fromEntries(
        names.map((name) => {
          const value = defaults[name];
          const initial = value === undefined ? { kind: guessKind(name), text: "" } : toInput(value);
          return [name, kept[toKey(name)] ?? initial];
        }),
      ),
    [names, kept, defaults, toKey],
  );
  const values = useMemo(
    () =>
      Object.fromEntries(
        Object.entries(inputs).flatMap(([name, input]): [string, TypedValue][] => {
          const value = toTypedValue(input);
          return value === null ? [] : [[name, value]];
        }),
      ),
    [inputs],
  );
  const change = useCallback(
    (name: string, input: VariableInput) => {
      // Another console may have saved values since this one was opened.
      const next = { ...readKept(key), [toKey(name)]: input };
      setKept(next);
      try {
        localStorage.setItem(key, JSON.stringify(next));
      } catch {
        // If the browser storage is full or blocked, the value is only not remembered.
      }
    },
    [key, toKey],
  );
  return { names, inputs, values, change };
}

const NONE: Console["variables"] = {};

function readKept(key: string): Record<string, VariableInput> {
  try {
    return parseInputs(localStorage.getItem(key));
  } catch {
    return {};
  }
}
