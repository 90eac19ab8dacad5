"use client";

import { type ComponentType, useEffect, useState } from "react";
import { useStore } from "zustand";
import { createStore } from "zustand/vanilla";

/**
 * Returns a component whose code loads when it is first shown, with a placeholder on the server and while it loads.
 * Suspense does not fit: React holds back suspended content until 300 ms after the page's last placeholder, and each
 * part of a page that is still loading is one.
 * @param load as `later` returns it
 * @param pick the component in the loaded module
 * @throws to the nearest error boundary what `load` throws; mounting it again retries
 */
export function lazyComponent<Module, Props extends object>(
  load: () => Promise<Module>,
  pick: (module: Module) => ComponentType<Props>,
  Placeholder: ComponentType = Nothing,
): ComponentType<Props> {
  const state = createStore<{ Loaded: ComponentType<Props> | null }>(() => ({ Loaded: null }));
  let loading: Promise<void> | null = null;
  const begin = async () => {
    const module = await load();
    state.setState({ Loaded: pick(module) });
  };
  const beginOnce = () => {
    loading ??= begin().finally(() => {
      loading = null;
    });
    return loading;
  };
  return function LazyComponent(props: Props) {
    const { Loaded } = useStore(state);
    const [failure, setFailure] = useState<{ cause: unknown } | null>(null);
    const isMissing = Loaded === null && state.getState().Loaded === null;
    // Loading starts during rendering, not after it; the effect below reports failures.
    if (isMissing && typeof window !== "undefined") beginOnce().catch(() => {});
    useEffect(() => {
      if (isMissing) beginOnce().catch((cause) => setFailure({ cause }));
    }, [isMissing]);
    if (failure !== null) throw failure.cause;
    return Loaded === null ? <Placeholder /> : <Loaded {...props} />;
  };
}

function Nothing() {
  return null;
}
