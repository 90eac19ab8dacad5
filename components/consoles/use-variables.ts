"use client";

import { useCallback, useMemo, useRef, useState } from "react";
import { useWorkspace } from "@/components/layout/workspace-context";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import { SqlScript } from "@/lib/base/sql/statements";
import {
  guessKind, parseInputs, type TypedValue, toTypedValue, type VariableInput,
} from "@/lib/base/sql/variables"; // biome-ignore format: one look at the whole list

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
 * for all consoles.
 */
export function useVariables(content: string, dialect: SqlDialect): Variables {
  const { user, workspace } = useWorkspace();
  const key = `millrace:variables:${user.id}:${workspace.id}`;
  const [kept, setKept] = useState(() => readKept(key));
  const script = useRef<SqlScript>(null);
  const names = useMemo(() => {
    const before = script.current;
    script.current = before?.dialect === dialect ? before.with(content) : SqlScript.of(content, dialect);
    return script.current.variables();
  }, [content, dialect]);
  const inputs = useMemo(
    () => Object.fromEntries(names.map((name) => [name, kept[name] ?? { kind: guessKind(name), text: "" }])),
    [names, kept],
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
      const next = { ...readKept(key), [name]: input };
      setKept(next);
      try {
        localStorage.setItem(key, JSON.stringify(next));
      } catch {
        // If the browser storage is full or blocked, the value is only not remembered.
      }
    },
    [key],
  );
  return { names, inputs, values, change };
}

function readKept(key: string): Record<string, VariableInput> {
  try {
    return parseInputs(localStorage.getItem(key));
  } catch {
    return {};
  }
}
