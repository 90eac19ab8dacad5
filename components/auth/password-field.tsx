"use client";

import { type ComponentProps, useState } from "react";
import { EyeSign } from "@/components/ui/signs";
import { TextField } from "@/components/ui/text-field";

/** A password that can be looked at. Paste and password managers work: it is a plain password field until then. */
export function PasswordField(props: Omit<ComponentProps<typeof TextField>, "type" | "end">) {
  const [isShown, setIsShown] = useState(false);
  return (
    <TextField
      {...props}
      type={isShown ? "text" : "password"}
      autoCapitalize="none"
      spellCheck={false}
      end={
        <button
          type="button"
          aria-label={isShown ? "Hide password" : "Show password"}
          aria-pressed={isShown}
          onClick={() => setIsShown(!isShown)}
        >
          <EyeSign isCrossed={isShown} />
        </button>
      }
    />
  );
}
