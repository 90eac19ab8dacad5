"use client";

import type { UseMutationResult } from "@tanstack/react-query";
import { useRef } from "react";

/**
 * Returns a mutation that ignores calls while it is running. A second click can come before the button is rendered as
 * disabled, and the server would reject it with a confusing message.
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
