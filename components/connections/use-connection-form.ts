"use client";

import { useMemo, useState } from "react";
import type { Connection, ConnectionType, Tag } from "@/lib/features/connections/browser/client";
import {
  type AddressWay, type FormValues, findFormProblems, findMovedSecrets, hasTunnel, hasTwoWays, isLimitField, isTunnelField, keepsNamedSecrets,
  STRING_FIELD, toConfig, toFieldOfPath,
  toInitialValues, toShownFields, toStoredSecrets,
} from "@/lib/features/connections/browser/connection-form"; // biome-ignore format: one look at the whole list
import { parseConnectionString } from "@/lib/features/connections/browser/connection-string";
import { isSameTag } from "@/lib/features/connections/browser/connection-tag";
import { ApiError } from "@/lib/platform/browser/request";

const NAME_LENGTH_MAX = 80;

/**
 * Holds the values of a connection's form.
 * @param connection the stored one, null for a new one
 */
export function useConnectionForm(type: ConnectionType, connection: Connection | null) {
  const { fields } = type;
  const config = connection?.config ?? null;
  const initial = useMemo(() => toInitialValues(fields, config), [fields, config]);
  const stored = useMemo(() => toStoredSecrets(fields, config), [fields, config]);
  const initialWay: AddressWay = hasTwoWays(fields) && stored.has(STRING_FIELD) ? "string" : "fields";
  const initialName = connection?.name ?? "";
  const initialReadOnly = connection?.readOnly ?? true;
  const initialTag = connection?.tag ?? null;

  const [name, setName] = useState(initialName);
  const [isReadOnly, setIsReadOnly] = useState(initialReadOnly);
  const [tag, setTag] = useState<Tag | null>(initialTag);
  const initialTunnel = hasTunnel(config);
  const [isTunnelOn, setIsTunnelOn] = useState(initialTunnel);
  const [values, setValues] = useState<FormValues>(initial);
  const [way, setWay] = useState<AddressWay>(initialWay);
  /** Stored secrets that are being replaced. */
  const [replaced, setReplaced] = useState<ReadonlySet<string>>(new Set());
  const [problems, setProblems] = useState<Record<string, string>>({});

  // The sample has no fields to fill in: the product decides where it is stored.
  const allShown = config?.sample === true ? [] : toShownFields(fields, way, values);
  const shown = allShown.filter((field) => isTunnelOn || !isTunnelField(field));
  // With a tunnel the same host name is a different host.
  const moved =
    isTunnelOn === initialTunnel
      ? findMovedSecrets(shown, values, initial, stored)
      : new Set(shown.filter((field) => stored.has(field.name)).map((field) => field.name));
  const kept = new Set(
    shown.map((field) => field.name).filter((each) => stored.has(each) && !replaced.has(each) && !moved.has(each)),
  );
  const isConfigDirty =
    way !== initialWay ||
    isTunnelOn !== initialTunnel ||
    replaced.size > 0 ||
    fields.some((field) => values[field.name] !== initial[field.name]);
  const isDirty =
    isConfigDirty || name !== initialName || isReadOnly !== initialReadOnly || !isSameTag(tag, initialTag);

  const set = (field: string, value: string | boolean) => {
    setValues((before) => ({ ...before, [field]: value }));
    setProblems(({ [field]: _, ...others }) => others);
  };

  return {
    fields,
    shown,
    name,
    isReadOnly,
    tag,
    hasTunnelFields: allShown.some(isTunnelField),
    isTunnelOn,
    setIsTunnelOn,
    values,
    way,
    hasTwoWays: hasTwoWays(fields),
    moved,
    stored,
    kept,
    problems,
    isDirty,
    isConfigDirty,
    /** Whether the current values can be tested without saving: no stored secret is needed. */
    canTry: kept.size === 0 && !keepsNamedSecrets(shown, values),
    set,
    setWay,
    setName: (next: string) => {
      setName(next);
      setProblems(({ name: _, ...others }) => others);
    },
    setIsReadOnly,
    setTag: (next: Tag | null) => {
      setTag(next);
      setProblems(({ tag: _, ...others }) => others);
    },
    replace: (secret: string) => setReplaced((before) => new Set([...before, secret])),
    keep: (secret: string) => {
      setReplaced((before) => new Set([...before].filter((each) => each !== secret)));
      set(secret, "");
    },
    /** Fills in the fields from a pasted connection string. @returns whether it was one */
    fillIn: (text: string): boolean => {
      const parts = parseConnectionString(text);
      if (parts === null) return false;
      const said = Object.entries(parts).filter(([, value]) => value !== null);
      for (const [field, value] of said) if (fields.some((each) => each.name === field)) set(field, String(value));
      return true;
    },
    /** Validates one field when it loses focus. */
    check: (field: string) => {
      const found = findFormProblems(shown, values, kept)[field];
      if (found !== undefined) setProblems((before) => ({ ...before, [field]: found }));
    },
    /** Validates all fields. @returns whether the form can be sent */
    checkAll: (withName: boolean): boolean => {
      const found = findFormProblems(shown, values, kept);
      if (withName && name.trim() === "") found.name = "Enter a connection name.";
      if (withName && name.trim().length > NAME_LENGTH_MAX) found.name = `Use at most ${NAME_LENGTH_MAX} characters.`;
      if (withName && tag !== null && tag.name.trim() === "") found.tag = "Enter a tag name or choose another tag.";
      setProblems(found);
      return Object.keys(found).length === 0;
    },
    /** Returns the address fields of the server as one text, without the limits on its schemas. */
    whereItLeads: () => JSON.stringify(shown.filter((field) => !isLimitField(field)).map(({ name }) => values[name])),
    toConfig: () => toConfig(fields, shown, values, { kept, isNew: connection === null }),
    /**
     * Shows the server's problems at their fields. @returns the message for the top of the form; null if there is none
     */
    place: (error: unknown): string | null => {
      if (!(error instanceof ApiError)) return "Something went wrong in the browser. Reload the page.";
      const found = error.problems.map(({ path, message }) => ({
        field:
          path === "name" ? path : /^tag\b/.test(path) ? "tag" : toFieldOfPath(path.replace(/^config\./, ""), shown),
        message,
      }));
      const placed = found.filter(({ field }) => field !== null);
      setProblems(Object.fromEntries(placed.map(({ field, message }) => [field, message])));
      return placed.length > 0 && placed.length === found.length ? null : error.message;
    },
  };
}

export type ConnectionForm = ReturnType<typeof useConnectionForm>;
