"use client";

import type { UseMutationResult } from "@tanstack/react-query";
import { useRef } from "react";

/**
 * A mutation that does nothing while it is under way: a second press comes before the button is drawn as disabled, and
 * would be refused by the server with words that nobody expects.
 */
export function useOnceAtATime<Data, Problem, Variables, Context>(
  mutation: UseMutationResult<Data, Problem, Variables, Context>,
): Omit<UseMutationResult<Data, Problem, Variables, Context>, "mutate" | "mutateAsync"> & {
  mutate: (variables: Variables) => void;
} {
  const isUnderWay = useRef(false);
  const mutate = (variables: Variables) => {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    mutation.mutate(variables, {
      onSettled: () => {
        isUnderWay.current = false;
      },
    });
  };
  return { ...mutation, mutate };
}
