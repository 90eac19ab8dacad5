import {
  type AddressWay, type FormValues, findFormProblems, findMovedSecrets, hasTunnel, hasTwoWays, isLimitField, isTunnelField, keepsNamedSecrets,
  STRING_FIELD, toConfig, toFieldOfPath,
  toInitialValues, toShownFields, toStoredSecrets,
} from "@/lib/features/connections/browser/connection-form"; // biome-ignore format: one look at the whole list
import { isSameTag } from "@/lib/features/connections/browser/connection-tag";
import type { ConfirmWrites, Connection, ConnectionType, Tag } from "@/lib/features/connections/schema";

export const CONNECTION_NAME_MAX = 80;

/** Fields of a connection's form. */
export type ConnectionFields = {
  name: string;
  isReadOnly: boolean;
  tag: Tag | null;
  confirmWrites: ConfirmWrites;
  isTunnelOn: boolean;
  /** Config values by field name, as the inputs hold them. */
  values: FormValues;
  way: AddressWay;
  /** Stored secrets that are being replaced. */
  replaced: string[];
};

/** State of a connection's form before anything is changed. */
type ConnectionStart = ReturnType<typeof toStart>;

/** @param connection the stored one, null for a new one */
export function toStart({ fields }: ConnectionType, connection: Connection | null) {
  const config = connection?.config ?? null;
  const stored = toStoredSecrets(fields, config);
  const initial: ConnectionFields = {
    name: connection?.name ?? "",
    isReadOnly: connection?.readOnly ?? true,
    tag: connection?.tag ?? null,
    confirmWrites: connection?.confirmWrites ?? "never",
    isTunnelOn: hasTunnel(config),
    values: toInitialValues(fields, config),
    way: hasTwoWays(fields) && stored.has(STRING_FIELD) ? "string" : "fields",
    replaced: [],
  };
  return { fields, initial, stored, isNew: connection === null, isSample: config?.sample === true };
}

/** Returns what follows from the fields of a connection's form: the shown inputs, the kept secrets and the config. */
export function toDraft(start: ConnectionStart, current: ConnectionFields) {
  const { fields, initial, stored, isNew, isSample } = start;
  const { values, way, isTunnelOn } = current;
  // The sample has no fields to fill in: the product decides where it is stored.
  const allShown = isSample ? [] : toShownFields(fields, way, values);
  const shown = allShown.filter((field) => isTunnelOn || !isTunnelField(field));
  // With a tunnel the same host name is a different host.
  const moved =
    isTunnelOn === initial.isTunnelOn
      ? findMovedSecrets(shown, values, initial.values, stored)
      : new Set(shown.filter((field) => stored.has(field.name)).map((field) => field.name));
  const isKept = (name: string) => stored.has(name) && !current.replaced.includes(name) && !moved.has(name);
  const kept = new Set(shown.map((field) => field.name).filter(isKept));
  const isConfigDirty =
    way !== initial.way ||
    isTunnelOn !== initial.isTunnelOn ||
    current.replaced.length > 0 ||
    fields.some((field) => values[field.name] !== initial.values[field.name]);
  const isDirty =
    isConfigDirty ||
    current.name !== initial.name ||
    current.isReadOnly !== initial.isReadOnly ||
    current.confirmWrites !== initial.confirmWrites ||
    !isSameTag(current.tag, initial.tag);
  // The current values can be tested without saving if no stored secret is needed.
  const canTry = kept.size === 0 && !keepsNamedSecrets(shown, values);
  return {
    shown,
    moved,
    kept,
    hasTunnelFields: allShown.some(isTunnelField),
    isDirty,
    isConfigDirty,
    /**
     * Stored secrets are used only with the stored config, so a change that keeps them must be saved before it can be
     * tested.
     */
    mustSave: !isNew && isConfigDirty && !canTry,
    isSettled: !isNew && !isDirty,
    /** The address fields of the server as one text, without the limits on its schemas. */
    address: JSON.stringify(shown.filter((field) => !isLimitField(field)).map(({ name }) => values[name])),
    toConfig: () => toConfig(fields, shown, values, { kept, isNew }),
  };
}

type ConnectionProblems = Partial<Record<"name" | "tag" | `values.${string}`, string>>;

/** Returns the problems that keep the form from being saved, or from being tested, which needs only its config. */
export function findDraftProblems(
  start: ConnectionStart,
  current: ConnectionFields,
  isTest: boolean,
): ConnectionProblems {
  const { shown, kept, mustSave, isSettled } = toDraft(start, current);
  if (isTest && isSettled) return {};
  const found = Object.entries(findFormProblems(shown, current.values, kept));
  const problems: ConnectionProblems = Object.fromEntries(found.map(([name, text]) => [`values.${name}`, text]));
  if (isTest && !mustSave) return problems;
  const name = current.name.trim();
  if (name === "") problems.name = "Enter a connection name.";
  if (name.length > CONNECTION_NAME_MAX) problems.name = `Use at most ${CONNECTION_NAME_MAX} characters.`;
  if (current.tag?.name.trim() === "") problems.tag = "Enter a tag name or choose another tag.";
  return problems;
}

/** Returns the field of a path in the request; null if it is not shown. */
export function toConnectionField(path: string, { shown }: ReturnType<typeof toDraft>) {
  if (path === "name") return path;
  if (/^tag\b/.test(path)) return "tag";
  const name = toFieldOfPath(path.replace(/^config\./, ""), shown);
  return name === null ? null : (`values.${name}` as const);
}
