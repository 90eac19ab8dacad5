"use client";

import { type FormEvent, useEffect, useRef, useState } from "react";
import {
  type DefaultValues,
  type FieldError,
  type FieldPath,
  type FieldPathValue,
  type FieldValues,
  get,
  type Mode,
  type Resolver,
  set,
  type UseFormReturn,
  useForm,
} from "react-hook-form";
import { placeFailure } from "@/components/ui/form-failure";
import { useSingleFlight } from "@/components/ui/use-single-flight";

/** Problems by field. */
export type FieldProblems<Fields extends FieldValues> = Partial<Record<FieldPath<Fields>, string>>;

type ServerFormProps<Fields extends FieldValues> = {
  initial: DefaultValues<Fields>;
  /** Fields that show a problem. Problems at other paths are shown above the form. */
  fields: readonly FieldPath<Fields>[];
  /** Returns the field of a path in the request; default: the field of that name, or the one that contains the path. */
  fieldOf?: (path: string, values: Fields) => FieldPath<Fields> | null;
  /** Finds problems that need no request, such as a missing value. The server's schema validates the rest. */
  check?: (fields: Fields) => FieldProblems<Fields>;
  /** When fields are validated before the first submission; default: never. */
  mode?: Mode;
  /** Sends the form. @returns "left" if it leads to another page, until which the form stays busy */
  send: (fields: Fields, form: UseFormReturn<Fields>) => Promise<unknown>;
  /** Handles a failure in another way. @returns whether it was handled */
  onFailure?: (error: unknown, form: UseFormReturn<Fields>) => boolean;
};

/**
 * The form of a request (docs/develop/decisions/forms.md): sends once, shows the server's problems at their fields, and
 * focuses the first invalid field.
 */
export function useServerForm<Fields extends FieldValues>(props: ServerFormProps<Fields>) {
  const { initial, fields, fieldOf, check, mode = "onSubmit", send, onFailure } = props;
  const [failure, setFailure] = useState<string | null>(null);
  const [hasLeft, setHasLeft] = useState(false);
  const { formRef, focusInvalid } = useInvalidFocus();
  const form = useForm<Fields>({
    defaultValues: initial,
    mode,
    shouldFocusError: false,
    resolver: toResolver((values) => check?.(values) ?? {}),
  });
  const { errors, isSubmitting, isSubmitted, isDirty } = form.formState;
  const [submit] = useSingleFlight(async () => {
    let outcome: unknown;
    setFailure(null);
    await form.handleSubmit(async (values) => {
      try {
        outcome = await send(values, form);
        if (outcome === "left") setHasLeft(true);
      } catch (error) {
        if (onFailure?.(error, form)) return;
        setFailure(placeFailure(error, fields, form.setError, fieldOf && ((path) => fieldOf(path, values))));
        focusInvalid();
      }
    }, focusInvalid)();
    return outcome;
  });
  const problemOf = (name: FieldPath<Fields>): string | undefined =>
    (get(errors, name) as FieldError | undefined)?.message;
  return {
    form,
    /** Message for the top of the form; null without one. */
    failure,
    /** Whether the form differs from what it started with. */
    isDirty,
    isBusy: isSubmitting || hasLeft,
    submit,
    problemOf,
    /** Properties of the form element. */
    formProps: {
      ref: formRef,
      noValidate: true,
      onSubmit: (event: FormEvent) => {
        event.preventDefault();
        void submit();
      },
    },
    /** Properties of a text field. */
    text: (name: FieldPath<Fields>) => ({ ...form.register(name), error: problemOf(name) }),
    /** Properties of a control without an input element. */
    control: <Name extends FieldPath<Fields>>(name: Name) => ({
      value: form.watch(name),
      onChange: (value: FieldPathValue<Fields, Name>) =>
        form.setValue(name, value, { shouldDirty: true, shouldValidate: isSubmitted }),
    }),
  };
}

/** Returns a function that focuses the first invalid field of a form once it is shown as invalid. */
export function useInvalidFocus() {
  const formRef = useRef<HTMLFormElement>(null);
  const [refusals, setRefusals] = useState(0);
  useEffect(() => {
    if (refusals > 0) formRef.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [refusals]);
  return { formRef, focusInvalid: () => setRefusals((before) => before + 1) };
}

/** Returns a resolver of react-hook-form for a function that finds problems. */
export function toResolver<Fields extends FieldValues>(
  check: (fields: Fields) => FieldProblems<Fields>,
): Resolver<Fields> {
  return (values) => {
    const errors = {};
    for (const [name, message] of Object.entries(check(values))) {
      if (message !== undefined) set(errors, name, { type: "check", message });
    }
    return Object.keys(errors).length === 0 ? { values, errors: {} } : { values: {}, errors };
  };
}
