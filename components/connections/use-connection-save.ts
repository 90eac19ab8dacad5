"use client";

import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import type { useConnectionForm } from "@/components/connections/use-connection-form";
import { useTest } from "@/components/connections/use-test";
import { useWorkspace } from "@/components/layout/workspace-context";
import { announce } from "@/components/ui/live-region";
import { useSingleFlight } from "@/components/ui/use-single-flight";
import {
  type Connection,
  type ConnectionType,
  connectionsApi,
  type TestOutcome,
} from "@/lib/features/connections/browser/client";
import { completeStep } from "@/lib/features/consoles/browser/workbench";

type ConnectionSaveProps = {
  type: ConnectionType;
  /** Null for a new connection. */
  connection: Connection | null;
  form: ReturnType<typeof useConnectionForm>;
  outcome: TestOutcome | null;
  onOutcome: (outcome: TestOutcome | null) => void;
  onSaved?: (updatedAt: string) => void;
};

/** Saves and tests the connection of a form. The tested values are those that are saved. */
export function useConnectionSave({ type, connection, form, outcome, onOutcome, onSaved }: ConnectionSaveProps) {
  const router = useRouter();
  const { workspace, workbench } = useWorkspace();
  const queryClient = useQueryClient();
  const [failure, setFailure] = useState<string | null>(null);
  const [hasLeft, setHasLeft] = useState(false);
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

  const refresh = () =>
    Promise.all([
      queryClient.invalidateQueries({ queryKey: ["connections", workspace.id] }),
      queryClient.invalidateQueries({ queryKey: ["entities", workspace.id] }),
    ]);
  const showOutcome = (next: TestOutcome) => {
    onOutcome(next);
    announce(next.ok ? `Connected in ${Math.round(next.latencyMs)} ms` : `Connection failed. ${next.error}`, !next.ok);
  };
  const fail = (error: unknown) => setFailure(form.place(error));
  const saveNow = async (): Promise<Connection | null> => {
    setFailure(null);
    if (!form.checkAll(true)) return null;
    try {
      const saved = await save.mutateAsync();
      announce(`${saved.name} saved`);
      onSaved?.(saved.updatedAt);
      return saved;
    } catch (error) {
      fail(error);
      return null;
    }
  };
  const [submit] = useSingleFlight(async () => {
    const saved = await saveNow();
    if (saved === null) return;
    // Loading the new state does not delay a second save.
    if (connection !== null) return void refresh();
    setHasLeft(true);
    workbench.change((each) => completeStep(each, "connect"));
    // A passed test applies to these settings; the list must not call the connection untested.
    if (outcome?.ok) await connectionsApi.test(workspace.id, saved.id).catch(() => undefined);
    await refresh();
    router.push(`/w/${workspace.slug}/connections`);
    return "left";
  });
  const test = async () => {
    setFailure(null);
    onOutcome(null);
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
  return {
    failure,
    isSample,
    isSettled,
    mustSave,
    isSaving: save.isPending,
    isTesting: tryConfig.isPending || savedTest.isPending,
    isBusy: save.isPending || tryConfig.isPending || savedTest.isPending || hasLeft,
    /** Schemas to choose from, if the shown address is the tested one; null without any. */
    schemas: (testedAs === form.whereItLeads() && outcome?.ok && outcome.schemas) || null,
    submit,
    test,
  };
}
