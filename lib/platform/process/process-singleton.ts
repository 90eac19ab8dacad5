/**
 * Returns a singleton of the process. The server's bundles (start-up, each route) may hold copies of one module, so
 * singletons are stored on globalThis.
 */
export function processSingleton<T>(name: string, create: () => T): T {
  const key = Symbol.for(`millrace.${name}`);
  const holder = globalThis as { [key: symbol]: unknown };
  holder[key] ??= create();
  return holder[key] as T;
}
