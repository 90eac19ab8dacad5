"use client";

import type { UseMutationResult } from "@tanstack/react-query";
import { useRef } from "react";

/**
 * Returns the work so that calls during a call do nothing. A second click can come before the button is rendered as
 * disabled; it would create a second item, or be rejected with a confusing message.
 * @param work returns "left" if it leads to another page: calls before that page is shown do nothing either
 * @returns the guarded work, and a function that returns whether it is running or has left
 */
export function useSingleFlight<Args extends unknown[]>(
  work: (...args: Args) => Promise<unknown>,
): [(...args: Args) => Promise<void>, () => boolean] {
  const isRunning = useRef(false);
  const run = async (...args: Args) => {
    if (isRunning.current) return;
    isRunning.current = true;
    let hasLeft = false;
    try {
      hasLeft = (await work(...args)) === "left";
    } finally {
      isRunning.current = hasLeft;
    }
  };
  return [run, () => isRunning.current];
}

/** Returns a mutation that ignores calls while it is running. */
export function useSingleMutation<Data, Problem, Variables, Context>(
  mutation: UseMutationResult<Data, Problem, Variables, Context>,
): Omit<UseMutationResult<Data, Problem, Variables, Context>, "mutate" | "mutateAsync"> & {
  mutate: (variables: Variables) => void;
} {
  const [mutate] = useSingleFlight(async (variables: Variables) => {
    // Its state says that it has failed.
    await mutation.mutateAsync(variables).catch(() => {});
  });
  return { ...mutation, mutate: (variables) => void mutate(variables) };
}
