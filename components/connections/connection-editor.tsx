"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { PlugZap } from "lucide-react";
import { useRouter } from "next/navigation";
import { type FormEvent, useEffect, useId, useRef, useState } from "react";
import { AddressWayPicker, ConfigInput } from "@/components/connections/config-inputs";
import { SchemaTicks } from "@/components/connections/schema-ticks";
import { TagField } from "@/components/connections/tag-field";
import { TestNotice } from "@/components/connections/test-notice";
import { useConnectionForm } from "@/components/connections/use-connection-form";
import { useTest } from "@/components/connections/use-test";
import { useWorkspace } from "@/components/layout/workspace-context";
import { announce } from "@/components/ui/live-region";
import { Notice } from "@/components/ui/notice";
import { SwitchRow } from "@/components/ui/switch-row";
import { useOutage } from "@/components/ui/use-browser";
import {
  type ConfigField,
  type Connection,
  type ConnectionType,
  connectionsApi,
  type TestOutcome,
} from "@/lib/features/connections/browser/client";
import { isLimitField, isTunnelField, SCHEMAS_FIELD } from "@/lib/features/connections/browser/connection-form";
import { completeStep } from "@/lib/features/consoles/browser/workbench";

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

/** The form of a connection, with its test. The tested values are those that are saved. */
export function ConnectionEditor(props: ConnectionEditorProps) {
  const { type, connection, mayChange, isSaved = false, onSaved, onDirty, outcome, onOutcome: setOutcome } = props;
  const id = useId();
  const router = useRouter();
  const { workspace, workbench } = useWorkspace();
  const queryClient = useQueryClient();
  const outage = useOutage();
  const form = useConnectionForm(type, connection);
  const { isDirty } = form;
  useEffect(() => onDirty?.(isDirty), [onDirty, isDirty]);
  const [failure, setFailure] = useState<string | null>(null);
  /** The address that was tested. Schemas from another server are not offered as choices. */
  const [testedAs, setTestedAs] = useState(form.whereItLeads);
  const savedTest = useTest(connection?.id ?? "", connection?.name ?? "");
  const isSample = connection?.config.sample === true;
  const isSettled = connection !== null && !form.isDirty;
  /**
   * Stored secrets are used only with the stored config, so a change that keeps them must be saved before it can be
   * tested.
   */
  const mustSave = connection !== null && form.isConfigDirty && !form.canTry;

  const saysRef = useRef<HTMLDivElement>(null);
  // The button stays visible at any scroll position; its result must be scrolled into view.
  useEffect(() => {
    if (outcome !== null) saysRef.current?.scrollIntoView({ block: "nearest" });
  }, [outcome]);

  const tryConfig = useMutation({
    mutationFn: () => connectionsApi.tryConfig(workspace.id, { type: type.type, config: form.toConfig() }),
  });
  const save = useMutation({
    mutationFn: () => {
      const common = { name: form.name.trim(), readOnly: form.isReadOnly, tag: form.tag };
      if (connection === null) {
        return connectionsApi.create(workspace.id, { ...common, type: type.type, config: form.toConfig() });
      }
      const config = form.isConfigDirty ? { config: form.toConfig() } : {};
      return connectionsApi.update(
        workspace.id,
        connection.id,
        isSample ? { name: common.name, tag: common.tag } : { ...common, ...config },
      );
    },
  });
  const isBusy = save.isPending || tryConfig.isPending || savedTest.isPending;

  const refresh = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: ["connections", workspace.id] }),
      queryClient.invalidateQueries({ queryKey: ["entities", workspace.id] }),
    ]);
  const showOutcome = (next: TestOutcome) => {
    setOutcome(next);
    announce(
      next.ok ? `Connected in ${Math.round(next.latencyMs)} milliseconds` : `Not connected. ${next.error}`,
      !next.ok,
    );
  };
  const fail = (error: unknown) => setFailure(form.place(error));

  const saveNow = async (): Promise<Connection | null> => {
    setFailure(null);
    if (!form.checkAll(true)) return null;
    try {
      const saved = await save.mutateAsync();
      announce(`${saved.name} is saved`);
      onSaved?.(saved.updatedAt);
      return saved;
    } catch (error) {
      fail(error);
      return null;
    }
  };

  /** Two presses of Enter can arrive before the button is rendered as busy. */
  const isUnderWay = useRef(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    // Loading the new state afterwards does not delay a second save.
    const saved = await saveNow().finally(() => {
      isUnderWay.current = false;
    });
    if (saved === null) return;
    if (connection === null) {
      isUnderWay.current = true;
      workbench.change((each) => completeStep(each, "connect"));
      // A passed test applies to these settings; the list must not call the connection untested.
      if (outcome?.ok) await connectionsApi.test(workspace.id, saved.id).catch(() => undefined);
      await refresh();
      router.push(`/w/${workspace.slug}/connections`);
      return;
    }
    await refresh();
  };

  const test = async () => {
    setFailure(null);
    setOutcome(null);
    setTestedAs(form.whereItLeads());
    if (isSettled) return savedTest.mutateAsync().then(showOutcome, fail);
    if (mustSave) {
      if ((await saveNow()) === null) return;
      await savedTest.mutateAsync().then(showOutcome, fail);
      await refresh();
      return;
    }
    if (form.checkAll(false)) await tryConfig.mutateAsync().then(showOutcome, fail);
  };

  const nameProblem = form.problems.name;
  const limits = form.shown.filter(isLimitField);
  const choices = (testedAs === form.whereItLeads() && outcome?.ok && outcome.schemas) || null;
  const ticks = choices === null ? null : (limits.find(({ name }) => name === SCHEMAS_FIELD) ?? null);
  const own = form.shown.filter((field) => !isLimitField(field) && !isTunnelField(field));
  const inputsOf = (fields: ConfigField[]) =>
    fields.map((field) => <ConfigInput key={field.name} field={field} form={form} isDisabled={!mayChange || isBusy} />);
  return (
    <form
      className="conn-form"
      onSubmit={submit}
      noValidate
      aria-label={connection ? connection.name : "New connection"}
    >
      {!mayChange && (
        <div className="span-6">
          <Notice kind="locked">Only owners, admins and whoever added this connection may change it.</Notice>
        </div>
      )}
      {isSample && (
        <div className="span-6">
          <Notice kind="info">
            The sample comes with every workspace and is read-only. You may rename, tag or delete it.
          </Notice>
        </div>
      )}
      {mayChange && form.hasTwoWays && (
        <>
          <AddressWayPicker form={form} />
          <hr className="hr span-6" />
        </>
      )}
      <div className="field span-6">
        <label htmlFor={`${id}-name`}>Name</label>
        <div className={nameProblem ? "input err" : "input"}>
          <input
            id={`${id}-name`}
            value={form.name}
            autoComplete="off"
            maxLength={80}
            disabled={!mayChange || isBusy}
            aria-invalid={nameProblem ? true : undefined}
            aria-describedby={`${id}-name-help`}
            onChange={(event) => form.setName(event.target.value)}
          />
        </div>
        <div className="help bad" aria-live="polite" hidden={!nameProblem}>
          {nameProblem}
        </div>
        <div id={`${id}-name-help`} className="help">
          What your team sees in the tree and in completions.
        </div>
      </div>
      <TagField tag={form.tag} problem={form.problems.tag} isDisabled={!mayChange || isBusy} onChange={form.setTag} />
      {inputsOf(own)}
      {form.hasTunnelFields && (
        <section className="conn-part span-6" aria-label="SSH tunnel">
          <SwitchRow
            label="SSH tunnel"
            help="The host above is then seen from the tunnel's far end."
            isOn={form.isTunnelOn}
            onChange={form.setIsTunnelOn}
            isDisabled={!mayChange || isBusy}
          />
          {form.isTunnelOn && <div className="conn-fields">{inputsOf(form.shown.filter(isTunnelField))}</div>}
        </section>
      )}
      {limits.length > 0 && (
        <section className="conn-part span-6" aria-labelledby={`${id}-limits`}>
          <h2 id={`${id}-limits`}>View and limits</h2>
          <div className="conn-fields">
            {ticks && choices && (
              <SchemaTicks field={ticks} form={form} choices={choices} isDisabled={!mayChange || isBusy} />
            )}
            {inputsOf(limits.filter((field) => field !== ticks))}
          </div>
        </section>
      )}
      {type.category === "database" && !isSample && (
        <div className="span-6">
          <SwitchRow
            label="Read-only"
            help="The database itself refuses every change. Turn this off to let consoles change rows."
            isOn={form.isReadOnly}
            onChange={form.setIsReadOnly}
            isDisabled={!mayChange || isBusy}
          />
        </div>
      )}
      <div className="span-6 conn-says" ref={saysRef}>
        {outcome && (
          <TestNotice
            outcome={outcome}
            onTrust={
              mayChange
                ? (hostKey) => {
                    form.set("ssh.hostKeySha256", hostKey);
                    setOutcome(null);
                    announce("The key is put in. Test again.");
                  }
                : null
            }
          />
        )}
        {failure && (
          <Notice kind="bad" role="alert">
            {failure}
          </Notice>
        )}
        {isSaved && !form.isDirty && <Notice kind="good">Saved.</Notice>}
      </div>
      <div className="row span-6 conn-acts">
        <button
          type="button"
          className="btn lg"
          disabled={isBusy || outage !== null || (mustSave && !mayChange)}
          title={outage ?? undefined}
          onClick={test}
        >
          <PlugZap />
          {tryConfig.isPending || savedTest.isPending
            ? "Testing"
            : mustSave
              ? "Save and test"
              : outcome
                ? "Test again"
                : "Test connection"}
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
              {save.isPending ? "Saving" : "Save connection"}
            </button>
          </>
        )}
      </div>
    </form>
  );
}
