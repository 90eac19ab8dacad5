"use client";

import { type ComponentType, useEffect, useState, useSyncExternalStore } from "react";

/**
 * A component whose code comes when it is first shown; on the server, and until it has come, a placeholder stands for it.
 * Not by Suspense: React holds back what was suspended until 300 ms after the page's last placeholder, and each part of
 * a page that is still to come is one.
 * @param load as `later` gives it
 * @param pick the component in what was loaded
 * @throws to the nearest error boundary what `load` throws; what is shown anew tries again
 */
export function part<Module, Props extends object>(
  load: () => Promise<Module>,
  pick: (module: Module) => ComponentType<Props>,
  Placeholder: ComponentType = Nothing,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | null = null;
  const listeners = new Set<() => void>();
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  let loading: Promise<void> | null = null;
  const begin = async () => {
    const module = await load();
    loaded = pick(module);
    for (const listener of listeners) listener();
  };
  const beginOnce = () => {
    loading ??= begin().finally(() => {
      loading = null;
    });
    return loading;
  };
  return function Part(props: Props) {
    const Loaded = useSyncExternalStore(
      subscribe,
      () => loaded,
      () => null,
    );
    const [failure, setFailure] = useState<{ cause: unknown } | null>(null);
    const isMissing = Loaded === null && loaded === null;
    // It is asked for while the page is made and not after; what goes wrong is told below.
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
