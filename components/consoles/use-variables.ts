"use client";

import { useCallback, useMemo, useRef, useState } from "react";
import { useAddress } from "@/components/layout/use-address";
import { useWorkspace } from "@/components/layout/workspace-context";
import type { SqlDialect } from "@/lib/base/sql/dialects/registry";
import { SqlScript } from "@/lib/base/sql/statements";
import {
  fromAddress, guessKind, parseInputs, type TypedValue, toInput, toParam, toTypedValue, type VariableInput,
} from "@/lib/base/sql/variables"; // biome-ignore format: one look at the whole list
import type { Console } from "@/lib/features/consoles/schema";

export type Variables = {
  /** In the order of their first use in the text. An optional one is only in optional clauses. */
  list: { name: string; isOptional: boolean }[];
  inputs: Record<string, VariableInput>;
  /** Values that are valid for their type. Null leaves optional clauses out. */
  values: Record<string, TypedValue | null>;
  change: (name: string, input: VariableInput) => void;
};

/** Longer values are not put into the address. */
const ADDRESS_CHARS_MAX = 500;

/**
 * Returns the variables of a text and the values that the user has entered. This browser remembers the value of a name
 * for all consoles, except those that have a default value for it. A value in the address comes first.
 */
export function useVariables(content: string, dialect: SqlDialect, saved: Console | null): Variables {
  const { user, workspace } = useWorkspace();
  const { query, put } = useAddress();
  const key = `millrace:variables:${user.id}:${workspace.id}`;
  const [kept, setKept] = useState(() => readKept(key));
  const script = useRef<SqlScript>(null);
  const list = useMemo(() => {
    const before = script.current;
    script.current = before?.dialect === dialect ? before.with(content) : SqlScript.of(content, dialect);
    return script.current.variables();
  }, [content, dialect]);
  const { id = "", variables: defaults = NONE } = saved ?? {};
  const toKey = useCallback((name: string) => (Object.hasOwn(defaults, name) ? `${id}/${name}` : name), [id, defaults]);
  const inputs = useMemo(
    () =>
      Object.fromEntries(
        list.map(({ name }): [string, VariableInput] => {
          const value = defaults[name];
          const initial = value === undefined ? { kind: guessKind(name), text: "" } : toInput(value);
          const input = kept[toKey(name)] ?? initial;
          const asked = query.get(toParam(name));
          return [name, asked === null ? input : fromAddress(asked, input.kind)];
        }),
      ),
    [list, kept, defaults, toKey, query],
  );
  const values = useMemo(
    () =>
      Object.fromEntries(
        list.flatMap(({ name, isOptional }): [string, TypedValue | null][] => {
          const input = inputs[name];
          if (!input) return [];
          if (isOptional && input.text === "") return [[name, null]];
          const value = toTypedValue(input);
          return value === null ? [] : [[name, value]];
        }),
      ),
    [list, inputs],
  );
  const change = useCallback(
    (name: string, input: VariableInput) => {
      // Another console may have saved values since this one was opened.
      const next = { ...readKept(key), [toKey(name)]: input };
      setKept(next);
      put({ [toParam(name)]: input.text.length > ADDRESS_CHARS_MAX ? null : input.text });
      try {
        localStorage.setItem(key, JSON.stringify(next));
      } catch {
        // If the browser storage is full or blocked, the value is only not remembered.
      }
    },
    [key, toKey, put],
  );
  return { list, inputs, values, change };
}

const NONE: Console["variables"] = {};

function readKept(key: string): Record<string, VariableInput> {
  try {
    return parseInputs(localStorage.getItem(key));
  } catch {
    return {};
  }
}
