/** What was done, with the way back and forth; `value` is how it stands. */
export type Steps<T> = {
  readonly value: T;
  readonly past: readonly Step<T>[];
  readonly future: readonly Step<T>[];
};
/** `value` is what stands on the other side of it; steps with the same `part` that follow each other are one. */
export type Step<T> = { readonly value: T; readonly words: string; readonly part: string | null };

/** Further back nobody remembers what it was. */
export const STEPS_MAX = 200;

export function begin<T>(value: T): Steps<T> {
  return { value, past: [], future: [] };
}

/**
 * Does something that can be taken back.
 * @param words what it does: "Remove “Orders”"
 * @param part names what is typed in, so that a word is one step and not one a letter; null for what stands alone
 */
export function take<T>(steps: Steps<T>, value: T, words: string, part: string | null = null): Steps<T> {
  if (value === steps.value) return steps;
  const last = steps.past.at(-1);
  if (part !== null && last?.part === part && steps.future.length === 0) return { ...steps, value };
  return { value, past: [...steps.past, { value: steps.value, words, part }].slice(-STEPS_MAX), future: [] };
}

/** Ends a step that is typed in: what follows is another one. */
export function pause<T>(steps: Steps<T>): Steps<T> {
  const last = steps.past.at(-1);
  if (!last || last.part === null) return steps;
  return { ...steps, past: steps.past.with(-1, { ...last, part: null }) };
}

export function undo<T>({ value, past, future }: Steps<T>): Steps<T> {
  const last = past.at(-1);
  if (!last) return { value, past, future };
  return { value: last.value, past: past.slice(0, -1), future: [{ ...last, value, part: null }, ...future] };
}

export function redo<T>({ value, past, future }: Steps<T>): Steps<T> {
  const [next, ...rest] = future;
  if (!next) return { value, past, future };
  return { value: next.value, past: [...past, { ...next, value, part: null }], future: rest };
}
