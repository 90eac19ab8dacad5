"use client";

import { useMemo, useState } from "react";
import { useServerForm } from "@/components/ui/use-server-form";
import {
  type ConnectionFields,
  findDraftProblems,
  toConnectionField,
  toDraft,
  toStart,
} from "@/lib/features/connections/browser/connection-draft";
import { type AddressWay, hasTwoWays } from "@/lib/features/connections/browser/connection-form";
import { parseConnectionString } from "@/lib/features/connections/browser/connection-string";
import { isPrivateHost } from "@/lib/features/connections/browser/private-host";
import type { ConfirmWrites, Connection, ConnectionType, Tag } from "@/lib/features/connections/schema";

/** The action of a button. */
export type Submission = "save" | "test";
export type ConnectionDraft = ConnectionFields & ReturnType<typeof toDraft>;

type ConnectionFormProps = {
  type: ConnectionType;
  /** The stored one, null for a new one. */
  connection: Connection | null;
  /** Saves or tests the form. @throws ApiError */
  send: (draft: ConnectionDraft, how: Submission) => Promise<unknown>;
};

const TLS_FIELD = "ssl";

/** The form of a connection. */
export function useConnectionForm({ type, connection, send }: ConnectionFormProps) {
  const start = useMemo(() => toStart(type, connection), [type, connection]);
  const [tls, setTls] = useState<"suggested" | "chosen" | "open">(connection ? "chosen" : "suggested");
  const { form, formProps, failure, isBusy, submit, problemOf } = useServerForm<ConnectionFields, Submission>({
    initial: start.initial,
    fields: [],
    fieldOf: (path, fields) => toConnectionField(path, toDraft(start, fields)),
    check: (fields, how) => findDraftProblems(start, fields, how === "test"),
    send: (fields, _, how = "save") => send({ ...fields, ...toDraft(start, fields) }, how),
    whenClosed: "Couldn't save or test the connection.",
  });
  const suggestedTls = String(start.initial.values[TLS_FIELD] ?? "");
  const fields = form.watch();
  const change = <Name extends keyof ConnectionFields>(name: Name, value: ConnectionFields[Name]) =>
    // The type of a field's value is that of its path.
    form.setValue(name, value as never, { shouldDirty: true });
  const put = (field: string, value: string | boolean) => {
    change("values", { ...form.getValues("values"), [field]: value });
    form.clearErrors(`values.${field}`);
  };
  const set = (field: string, value: string | boolean) => {
    if (field === TLS_FIELD) setTls("chosen");
    if (field === "host" && tls === "open") {
      // Another server may be a public one.
      setTls("suggested");
      put(TLS_FIELD, suggestedTls);
    }
    put(field, value);
  };
  const draft: ConnectionDraft = { ...fields, ...toDraft(start, fields) };
  return {
    ...draft,
    formProps,
    failure,
    isBusy,
    submit: (how: Submission) => void submit(how),
    fields: type.fields,
    stored: start.stored,
    initialAddress: toDraft(start, start.initial).address,
    isSample: start.isSample,
    hasTwoWays: hasTwoWays(type.fields),
    nameProblem: problemOf("name"),
    tagProblem: problemOf("tag"),
    problemOf: (field: string) => problemOf(`values.${field}`),
    set,
    /** Whether a pasted address in a private network leaves it to the server whether TLS is used. */
    isTlsOpen: tls === "open",
    hasTls: draft.shown.some(({ name }) => name === TLS_FIELD),
    /** @returns the form without TLS */
    turnTlsOff: (): ConnectionDraft => {
      setTls("suggested");
      put(TLS_FIELD, "disable");
      const changed = form.getValues();
      return { ...changed, ...toDraft(start, changed) };
    },
    setWay: (way: AddressWay) => change("way", way),
    setIsTunnelOn: (isOn: boolean) => change("isTunnelOn", isOn),
    setName: (name: string) => {
      change("name", name);
      form.clearErrors("name");
    },
    setConfirmWrites: (setting: ConfirmWrites) => change("confirmWrites", setting),
    setIsReadOnly: (isOn: boolean) => change("isReadOnly", isOn),
    setTag: (tag: Tag | null) => {
      change("tag", tag);
      form.clearErrors("tag");
    },
    replace: (secret: string) => change("replaced", [...new Set([...fields.replaced, secret])]),
    keep: (secret: string) => {
      change(
        "replaced",
        fields.replaced.filter((each) => each !== secret),
      );
      set(secret, "");
    },
    /** Fills in the fields from a pasted connection string. @returns whether it was one */
    fillIn: (text: string): boolean => {
      const parts = parseConnectionString(text);
      if (parts === null) return false;
      const said = Object.entries(parts).filter(([, value]) => value !== null);
      for (const [field, value] of said) {
        if (type.fields.some((each) => each.name === field)) put(field, String(value));
      }
      if (tls === "chosen" || !type.fields.some(({ name }) => name === TLS_FIELD)) return true;
      // The drivers know more options than the form.
      const isOpen = isPrivateHost(parts.host) && !/[?&][^=&]*(?:ssl|tls)/i.test(text);
      if (isOpen) put(TLS_FIELD, "require");
      else if (parts.ssl === null) put(TLS_FIELD, suggestedTls);
      setTls(isOpen ? "open" : "suggested");
      return true;
    },
    /** Validates one field when it loses focus. */
    check: (field: string) => {
      const message = findDraftProblems(start, form.getValues(), false)[`values.${field}`];
      if (message !== undefined) form.setError(`values.${field}`, { message });
    },
  };
}

export type ConnectionForm = ReturnType<typeof useConnectionForm>;
