/** The undo and redo history; `value` is the current state. */
export type Steps<T> = {
  readonly value: T;
  readonly past: readonly Step<T>[];
  readonly future: readonly Step<T>[];
};
/** `value` is the state on the other side of the step; consecutive steps with the same `part` are merged. */
export type Step<T> = { readonly value: T; readonly words: string; readonly part: string | null };

/** Maximum number of undo steps. */
export const STEPS_MAX = 200;

export function begin<T>(value: T): Steps<T> {
  return { value, past: [], future: [] };
}

/**
 * Applies a change that can be undone.
 * @param words description of the change: "Remove “Orders”"
 * @param part names the text field being edited, so that a word is one step, not one per letter; null for a separate
 * step
 */
export function take<T>(steps: Steps<T>, value: T, words: string, part: string | null = null): Steps<T> {
  if (value === steps.value) return steps;
  const last = steps.past.at(-1);
  if (part !== null && last?.part === part && steps.future.length === 0) return { ...steps, value };
  return { value, past: [...steps.past, { value: steps.value, words, part }].slice(-STEPS_MAX), future: [] };
}

/** Changes every state of the history, for a change that undo must not revert. */
export function mapSteps<T>({ value, past, future }: Steps<T>, change: (value: T) => T): Steps<T> {
  const mapStep = (step: Step<T>) => ({ ...step, value: change(step.value) });
  return { value: change(value), past: past.map(mapStep), future: future.map(mapStep) };
}

/** Ends a typing step: the next change is a separate step. */
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
