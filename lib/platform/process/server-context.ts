import { setTimeout as sleep } from "node:timers/promises";

/**
 * Everything that one server process keeps in memory: pools, caches, queues, registered hooks.
 * `lib/features/instance/server-context.ts` declares the members, because it knows the types of every feature.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the declaration there is merged into this one.
export interface ServerContext {}
export type MemberName = keyof ServerContext;

/**
 * The order in which members close, with the time for each phase, in ms. Clients of databases and engines come first,
 * then the connections that they use, then the child processes. Children limit their own time.
 */
const CLOSING_PHASES = { clients: 500, network: 250, children: Number.POSITIVE_INFINITY } as const;
type ClosingPhase = keyof typeof CLOSING_PHASES;

type Closing<Value> = { phase: ClosingPhase; close: (value: Value) => void | Promise<void> };
type Member = { value: unknown; closing: Closing<never> | undefined };

/** The server's bundles (start-up, each route) may hold copies of one module, so the members are on globalThis. */
const KEY = Symbol.for("millrace.server-context");

/**
 * Defines a member. Only the module that owns it calls this.
 * @param create runs on first use
 * @param closing for a member that holds sockets, files or processes
 * @returns a function that returns the member
 */
export function serverMember<Name extends MemberName>(
  name: Name,
  create: () => ServerContext[Name],
  closing?: Closing<ServerContext[Name]>,
): () => ServerContext[Name] {
  return () => {
    const known = members().get(name);
    if (known) return known.value as ServerContext[Name];
    const value = create();
    members().set(name, { value, closing });
    return value;
  };
}

/** Returns the names of the members that this process has created. */
export function createdMembers(): MemberName[] {
  return [...members().keys()];
}

/** Forgets a member without closing it, unless it was replaced. The next use creates a new one. */
export function forgetServerMember<Name extends MemberName>(name: Name, value: ServerContext[Name]): void {
  if (members().get(name)?.value === value) members().delete(name);
}

/** Closes and forgets one member. The next use creates a new one. */
export async function closeServerMember(name: MemberName): Promise<void> {
  const member = members().get(name);
  members().delete(name);
  await member?.closing?.close(member.value as never);
}

/**
 * Closes the members that hold resources, phase by phase, and forgets them. A member that fails to close, or takes too
 * long, does not stop the others.
 * @param report receives the error of a member that failed to close
 */
export async function closeServerContext(report: (error: unknown) => void): Promise<void> {
  for (const [phase, timeoutMs] of Object.entries(CLOSING_PHASES)) {
    const names = createdMembers().filter((name) => members().get(name)?.closing?.phase === phase);
    const closed = Promise.all(names.map((name) => closeServerMember(name).catch(report)));
    const timeout = Number.isFinite(timeoutMs) ? [sleep(timeoutMs, undefined, { ref: false })] : [];
    await Promise.race([closed, ...timeout]);
  }
}

/**
 * Closes and forgets the members, so that a test starts like a new process.
 * @param kept members that loaded modules filled while they were loaded, which happens once
 */
export async function resetServerContext(kept: readonly MemberName[] = []): Promise<void> {
  const errors: unknown[] = [];
  await closeServerContext((error) => errors.push(error));
  for (const name of createdMembers()) if (!kept.includes(name)) members().delete(name);
  if (errors.length > 0) throw new AggregateError(errors, "Some members failed to close.");
}

function members(): Map<MemberName, Member> {
  const holder = globalThis as { [KEY]?: Map<MemberName, Member> };
  holder[KEY] ??= new Map();
  return holder[KEY];
}
