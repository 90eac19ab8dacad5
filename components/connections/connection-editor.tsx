"use client";

import { PlugZap } from "lucide-react";
import { useRouter } from "next/navigation";
import { type ReactNode, useEffect, useId, useRef } from "react";
import { AddressWayPicker, ConfigInput } from "@/components/connections/config-inputs";
import { SchemaTicks } from "@/components/connections/schema-ticks";
import { TagField } from "@/components/connections/tag-field";
import { TestNotice } from "@/components/connections/test-notice";
import type { ConnectionForm } from "@/components/connections/use-connection-form";
import { useConnectionSave } from "@/components/connections/use-connection-save";
import { useWorkspace } from "@/components/layout/workspace-context";
import { FieldMessage, FieldProblem, FormFailure, messageIdOf } from "@/components/ui/form-parts";
import { announce } from "@/components/ui/live-region";
import { Notice } from "@/components/ui/notice";
import { Select } from "@/components/ui/select";
import { SwitchRow } from "@/components/ui/switch-row";
import { useOutage } from "@/components/ui/use-browser";
import type { TestOutcome } from "@/lib/features/connections/browser/client";
import { CONNECTION_NAME_MAX } from "@/lib/features/connections/browser/connection-draft";
import { isLimitField, isTunnelField, SCHEMAS_FIELD } from "@/lib/features/connections/browser/connection-form";
import type { ConfigField, ConfirmWrites, Connection, ConnectionType } from "@/lib/features/connections/schema";

type ConnectionEditorProps = {
  type: ConnectionType;
  /** Null for a new connection. */
  connection: Connection | null;
  /** False for members who did not add it: everything is shown and read-only. */
  mayChange: boolean;
  /** Whether this page just saved the shown values. */
  isSaved?: boolean;
  onSaved?: (updatedAt: string) => void;
  /** Reports unsaved changes: the form must not be replaced while there are any. */
  onDirty?: (isDirty: boolean) => void;
  /** Result of the last test; null before the first one. */
  outcome: TestOutcome | null;
  onOutcome: (outcome: TestOutcome | null) => void;
};

const CONFIRM_HELP = "For the API and the agent. Consoles ask about risky writes.";
const CONFIRM_CHOICES: { value: ConfirmWrites; label: string }[] = [
  { value: "never", label: "Never" },
  { value: "risky", label: "Risky writes" },
  { value: "always", label: "All writes" },
];

/** The form of a connection, with its test. The tested values are those that are saved. */
export function ConnectionEditor(props: ConnectionEditorProps) {
  const { type, connection, mayChange, isSaved = false, onSaved, onDirty, outcome, onOutcome } = props;
  const saving = useConnectionSave({ type, connection, outcome, onOutcome, onSaved });
  const { form } = saving;
  const id = useId();
  const { isDirty, isSample } = form;
  useEffect(() => onDirty?.(isDirty), [onDirty, isDirty]);
  const isDisabled = !mayChange || form.isBusy;
  const onTrust = (hostKey: string) => {
    form.set("ssh.hostKeySha256", hostKey);
    onOutcome(null);
    announce("Host key trusted. Test again.");
  };
  const onTurnTlsOff = () => {
    form.turnTlsOff();
    form.submit("test");
  };
  return (
    <form {...form.formProps} className="conn-form" aria-label={connection ? connection.name : "New connection"}>
      {form.failure !== null && (
        <div className="span-6">
          <FormFailure text={form.failure} />
        </div>
      )}
      {!mayChange && (
        <div className="span-6">
          <Notice kind="locked">Only its creator, admins and owners can edit this connection.</Notice>
        </div>
      )}
      {isSample && (
        <div className="span-6">
          <Notice kind="info">Sample data, read-only. You can rename, tag or delete it.</Notice>
        </div>
      )}
      {mayChange && form.hasTwoWays && (
        <>
          <AddressWayPicker form={form} />
          <hr className="hr span-6" />
        </>
      )}
      <NameField form={form} isDisabled={isDisabled} />
      <TagField tag={form.tag} problem={form.tagProblem} isDisabled={isDisabled} onChange={form.setTag} />
      <ConfigFields form={form} schemas={saving.schemas} isDisabled={isDisabled} />
      {type.category === "database" && !isSample && (
        <div className="span-6">
          <SwitchRow
            label="Read-only"
            help="The database rejects all writes. Turn off to allow them."
            isOn={form.isReadOnly}
            onChange={form.setIsReadOnly}
            isDisabled={isDisabled}
          />
        </div>
      )}
      {type.category === "database" && !isSample && !form.isReadOnly && (
        <div className="field span-6">
          <span className="flabel" id={`${id}-confirm`}>
            Confirm writes
          </span>
          <Select
            labelId={`${id}-confirm`}
            describedBy={messageIdOf(`${id}-confirm`, undefined, CONFIRM_HELP)}
            value={form.confirmWrites}
            options={CONFIRM_CHOICES}
            onChange={form.setConfirmWrites}
            isDisabled={isDisabled}
          />
          <FieldMessage id={`${id}-confirm`} problem={undefined} help={CONFIRM_HELP} />
        </div>
      )}
      <Messages
        outcome={outcome}
        onTrust={mayChange ? onTrust : null}
        onTurnTlsOff={mayChange && form.hasTls ? onTurnTlsOff : null}
      >
        {isSaved && !isDirty && <Notice kind="good">Connection saved</Notice>}
      </Messages>
      <Actions saving={saving} mayChange={mayChange} isTested={outcome !== null} />
    </form>
  );
}

function NameField({ form, isDisabled }: { form: ConnectionForm; isDisabled: boolean }) {
  const id = useId();
  const problem = form.nameProblem;
  return (
    <div className="field span-6">
      <label htmlFor={id}>Name</label>
      <div className={problem ? "input err" : "input"}>
        <input
          id={id}
          value={form.name}
          autoComplete="off"
          maxLength={CONNECTION_NAME_MAX}
          disabled={isDisabled}
          aria-invalid={problem ? true : undefined}
          aria-describedby={`${id}-problem`}
          onChange={(event) => form.setName(event.target.value)}
        />
      </div>
      <FieldProblem id={`${id}-problem`} text={problem} />
    </div>
  );
}

type ConfigFieldsProps = {
  form: ConnectionForm;
  schemas: ReturnType<typeof useConnectionSave>["schemas"];
  isDisabled: boolean;
};

/** The settings of the type: its address, the tunnel, and limits. */
function ConfigFields({ form, schemas, isDisabled }: ConfigFieldsProps) {
  const id = useId();
  const limits = form.shown.filter(isLimitField);
  const ticks = schemas === null ? null : (limits.find(({ name }) => name === SCHEMAS_FIELD) ?? null);
  const inputsOf = (fields: ConfigField[]) =>
    fields.map((field) => <ConfigInput key={field.name} field={field} form={form} isDisabled={isDisabled} />);
  return (
    <>
      {inputsOf(form.shown.filter((field) => !isLimitField(field) && !isTunnelField(field)))}
      {form.hasTunnelFields && (
        <section className="conn-part span-6" aria-label="SSH tunnel">
          <SwitchRow
            label="SSH tunnel"
            help="Connect through an SSH server, which resolves the database's host."
            isOn={form.isTunnelOn}
            onChange={form.setIsTunnelOn}
            isDisabled={isDisabled}
          />
          {form.isTunnelOn && <div className="conn-fields">{inputsOf(form.shown.filter(isTunnelField))}</div>}
        </section>
      )}
      {limits.length > 0 && (
        <section className="conn-part span-6" aria-labelledby={id}>
          <h2 id={id}>Schemas and limits</h2>
          <div className="conn-fields">
            {ticks && schemas && <SchemaTicks field={ticks} form={form} choices={schemas} isDisabled={isDisabled} />}
            {inputsOf(limits.filter((field) => field !== ticks))}
          </div>
        </section>
      )}
    </>
  );
}

type MessagesProps = {
  outcome: TestOutcome | null;
  /** Null for members who may not change the connection. */
  onTrust: ((hostKey: string) => void) | null;
  onTurnTlsOff: (() => void) | null;
  children: ReactNode;
};

function Messages({ outcome, onTrust, onTurnTlsOff, children }: MessagesProps) {
  const ref = useRef<HTMLDivElement>(null);
  // The button stays visible at any scroll position; its result must be scrolled into view.
  useEffect(() => {
    if (outcome !== null) ref.current?.scrollIntoView({ block: "nearest" });
  }, [outcome]);
  return (
    <div className="span-6 conn-says" ref={ref}>
      {outcome && <TestNotice outcome={outcome} onTrust={onTrust} onTurnTlsOff={onTurnTlsOff} />}
      {children}
    </div>
  );
}

type ActionsProps = { saving: ReturnType<typeof useConnectionSave>; mayChange: boolean; isTested: boolean };

function Actions({ saving, mayChange, isTested }: ActionsProps) {
  const router = useRouter();
  const { workspace } = useWorkspace();
  const outage = useOutage();
  const { isSaving, isTesting } = saving;
  const { isBusy, isSettled, mustSave } = saving.form;
  return (
    <div className="row span-6 conn-acts">
      <button
        type="button"
        className="btn lg"
        disabled={isBusy || outage !== null || (mustSave && !mayChange)}
        title={outage ?? undefined}
        onClick={saving.test}
      >
        <PlugZap />
        {isTesting ? "Testing" : mustSave ? "Save and test" : isTested ? "Test again" : "Test connection"}
      </button>
      <span className="grow" />
      {mayChange && (
        <>
          <button
            type="button"
            className="btn ghost lg"
            onClick={() => router.push(`/w/${workspace.slug}/connections`)}
          >
            Cancel
          </button>
          <button type="submit" className="btn primary lg" disabled={isBusy || isSettled || outage !== null}>
            {isSaving ? "Saving" : "Save connection"}
          </button>
        </>
      )}
    </div>
  );
}
