"use client";

import { type FormEvent, useEffect, useEffectEvent, useRef, useState } from "react";
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
import { toMessage } from "@/components/ui/to-message";
import { showFailure } from "@/components/ui/toast";
import { useSingleFlight } from "@/components/ui/use-single-flight";

/** Problems by field. */
export type FieldProblems<Fields extends FieldValues> = Partial<Record<FieldPath<Fields>, string>>;

type ServerFormProps<Fields extends FieldValues, How> = {
  initial: DefaultValues<Fields>;
  /** Fields that show a problem. Problems at other paths are shown above the form. */
  fields: readonly FieldPath<Fields>[];
  /** Returns the field of a path in the request; default: the field of that name, or the one that contains the path. */
  fieldOf?: (path: string, values: Fields) => FieldPath<Fields> | null;
  /** Finds problems that need no request, such as a missing value. The server's schema validates the rest. */
  check?: (fields: Fields, how?: How) => FieldProblems<Fields>;
  /** When fields are validated before the first submission; default: never. */
  mode?: Mode;
  /**
   * Sends the form.
   * @param how the argument of `submit`; undefined if the form was submitted by its button or by Enter
   * @returns "left" if it leads to another page, until which the form stays busy
   */
  send: (fields: Fields, form: UseFormReturn<Fields>, how?: How) => Promise<unknown>;
  /** Handles a failure in another way. @returns whether it was handled */
  onFailure?: (error: unknown, form: UseFormReturn<Fields>) => boolean;
  /** Start of the message when the form was closed before its request failed, such as "Couldn't save the rule." */
  whenClosed?: string;
};

/**
 * The form of a request (docs/develop/decisions/forms.md): sends once, shows the server's problems at their fields, and
 * focuses the first invalid field. A form with several buttons tells them apart by the argument of `submit` (`How`).
 */
export function useServerForm<Fields extends FieldValues, How = never>(props: ServerFormProps<Fields, How>) {
  const { initial, fields, fieldOf, check, mode = "onSubmit", send, onFailure, whenClosed } = props;
  const [failure, setFailure] = useState<string | null>(null);
  const [hasLeft, setHasLeft] = useState(false);
  const { formRef, focusInvalid } = useInvalidFocus(setFailure);
  const isShown = useIsShown();
  const howRef = useRef<How>(undefined);
  const form = useForm<Fields>({
    defaultValues: initial,
    mode,
    shouldFocusError: false,
    resolver: toResolver((values) => check?.(values, howRef.current) ?? {}),
  });
  const { errors, isSubmitting, isSubmitted, isDirty } = form.formState;
  const [submit, isSending] = useSingleFlight(async (how?: How) => {
    let outcome: unknown;
    /** Message of the first problem, for a form that shows none at a field. */
    const refusals: (string | null)[] = [];
    howRef.current = how;
    setFailure(null);
    await form.handleSubmit(
      async (values) => {
        try {
          outcome = await send(values, form, how);
          if (outcome === "left") setHasLeft(true);
        } catch (error) {
          if (!isShown.current) return showFailure([whenClosed, toMessage(error)].filter(Boolean).join(" "));
          const isHandled = onFailure?.(error, form) ?? false;
          refusals.push(isHandled ? null : toMessage(error));
          if (isHandled) return;
          setFailure(placeFailure(error, fields, form.setError, fieldOf && ((path) => fieldOf(path, values))));
        }
      },
      () => {
        const problems = Object.values<string | undefined>(check?.(form.getValues(), how) ?? {});
        refusals.push(problems.find(Boolean) ?? null);
      },
    )();
    // The form shows its problems only after the submission has ended.
    for (const message of refusals) focusInvalid(message);
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
    /** Returns whether it is being sent now. `isBusy` says so only after the next rendering. */
    isSending,
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

/** Invalid controls, and controls of an invalid group. */
const INVALID = '[aria-invalid="true"], [data-invalid] :is(button, input)';

/**
 * Returns a function that focuses the first invalid field of a form once it is shown as invalid.
 * @param onNone receives the message if no field is shown as invalid
 */
function useInvalidFocus(onNone: (message: string) => void) {
  const formRef = useRef<HTMLFormElement>(null);
  const [refusal, setRefusal] = useState<{ message: string | null } | null>(null);
  const focus = useEffectEvent(({ message }: { message: string | null }) => {
    const field = formRef.current?.querySelector<HTMLElement>(INVALID);
    if (field) field.focus();
    else if (formRef.current && message !== null) onNone(message);
  });
  useEffect(() => {
    if (refusal !== null) focus(refusal);
  }, [refusal]);
  return { formRef, focusInvalid: (message: string | null) => setRefusal({ message }) };
}

/** Returns a reference that tells whether the component is still shown. */
function useIsShown() {
  const isShown = useRef(false);
  useEffect(() => {
    isShown.current = true;
    return () => {
      isShown.current = false;
    };
  }, []);
  return isShown;
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
