"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { type ConnectionDraft, type Submission, useConnectionForm } from "@/components/connections/use-connection-form";
import { useTest } from "@/components/connections/use-test";
import { useWorkspace } from "@/components/layout/workspace-context";
import { announce } from "@/components/ui/live-region";
import { showToast } from "@/components/ui/toast";
import { connectionsApi, type TestOutcome } from "@/lib/features/connections/browser/client";
import type { Connection, ConnectionType } from "@/lib/features/connections/schema";
import { completeStep } from "@/lib/features/consoles/browser/workbench";

type ConnectionSaveProps = {
  type: ConnectionType;
  /** Null for a new connection. */
  connection: Connection | null;
  outcome: TestOutcome | null;
  onOutcome: (outcome: TestOutcome | null) => void;
  onSaved?: (updatedAt: string) => void;
};

const NO_TLS = "Connected without TLS. The server doesn't support it.";

/** The form of a connection, which it saves and tests. The tested values are those that are saved. */
export function useConnectionSave({ type, connection, outcome, onOutcome, onSaved }: ConnectionSaveProps) {
  const router = useRouter();
  const { workspace, workbench } = useWorkspace();
  const queryClient = useQueryClient();
  const [phase, setPhase] = useState<"saving" | "testing" | null>(null);
  /** The address that was tested. Schemas from another server are not offered as choices. */
  const [testedAs, setTestedAs] = useState<string | null>(null);
  const savedTest = useTest(connection?.id ?? "", connection?.name ?? "");

  const refresh = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: ["connections", workspace.id] }),
      queryClient.invalidateQueries({ queryKey: ["entities", workspace.id] }),
    ]);
  const save = async (draft: ConnectionDraft): Promise<Connection> => {
    setPhase("saving");
    const saved = await sendConnection(workspace.id, type, connection, draft);
    announce(`${saved.name} saved`);
    onSaved?.(saved.updatedAt);
    return saved;
  };
  const tryDraft = (draft: ConnectionDraft) =>
    connectionsApi.tryConfig(workspace.id, { type: type.type, config: draft.toConfig() });
  /** Tests a form that is not saved. Continues without TLS if nothing says that the server must have it. */
  const tryOpenly = async (draft: ConnectionDraft): Promise<{ draft: ConnectionDraft; outcome: TestOutcome }> => {
    const first = await tryDraft(draft);
    if (first.ok || first.supportsTls !== false || !form.isTlsOpen) return { draft, outcome: first };
    const plain = form.turnTlsOff();
    setTestedAs(plain.address);
    const second = await tryDraft(plain);
    return {
      draft: plain,
      outcome: second.ok ? { ...second, warning: [NO_TLS, second.warning ?? ""].join(" ").trim() } : second,
    };
  };
  /** Decides about TLS before a form is saved that was not tested. Saves it unchanged if the test is impossible. */
  const withTls = async (shown: ConnectionDraft): Promise<ConnectionDraft> => {
    if (!form.isTlsOpen || connection !== null || outcome !== null) return shown;
    setPhase("testing");
    return tryOpenly(shown).then(
      ({ draft }) => draft,
      () => shown,
    );
  };
  const test = async (draft: ConnectionDraft) => {
    setPhase("testing");
    const isSaved = draft.isSettled || draft.mustSave;
    const next = isSaved ? await savedTest.mutateAsync() : (await tryOpenly(draft)).outcome;
    onOutcome(next);
    announce(next.ok ? `Connected in ${Math.round(next.latencyMs)} ms` : `Connection failed. ${next.error}`, !next.ok);
  };
  const saveAndLeave = async (shown: ConnectionDraft) => {
    const draft = await withTls(shown);
    const saved = await save(draft);
    if (draft !== shown) showToast("Saved without TLS. The server doesn't support it.");
    // Loading the new state does not delay a second save.
    if (connection !== null) return void refresh();
    workbench.change((each) => completeStep(each, "connect"));
    // A passed test applies to these settings; the list must not call the connection untested.
    if (outcome?.ok) await connectionsApi.test(workspace.id, saved.id).catch(() => undefined);
    await refresh();
    router.push(`/w/${workspace.slug}/connections`);
    return "left";
  };
  const saveAndTest = async (draft: ConnectionDraft) => {
    setTestedAs(draft.address);
    if (!draft.mustSave) return test(draft);
    await save(draft);
    await test(draft).finally(refresh);
  };
  const form = useConnectionForm({
    type,
    connection,
    send: async (draft: ConnectionDraft, how: Submission) => {
      try {
        return await (how === "test" ? saveAndTest(draft) : saveAndLeave(draft));
      } finally {
        setPhase(null);
      }
    },
  });
  return {
    form,
    test: () => {
      onOutcome(null);
      form.submit("test");
    },
    isSaving: phase === "saving",
    isTesting: phase === "testing",
    /** Schemas to choose from, if the shown address is the tested one; null without any. */
    schemas: ((testedAs ?? form.initialAddress) === form.address && outcome?.ok && outcome.schemas) || null,
  };
}

/** Creates or updates a connection. Of the sample only its name and tag can be changed. */
function sendConnection(
  workspaceId: string,
  { type }: ConnectionType,
  connection: Connection | null,
  draft: ConnectionDraft,
): Promise<Connection> {
  const common = {
    name: draft.name.trim(),
    readOnly: draft.isReadOnly,
    tag: draft.tag,
    confirmWrites: draft.confirmWrites,
  };
  if (connection === null) return connectionsApi.create(workspaceId, { ...common, type, config: draft.toConfig() });
  const { name, tag } = common;
  const isSample = connection.config.sample === true;
  const config = draft.isConfigDirty ? { config: draft.toConfig() } : {};
  return connectionsApi.update(workspaceId, connection.id, isSample ? { name, tag } : { ...common, ...config });
}
