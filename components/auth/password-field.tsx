"use client";

import { type ComponentProps, useState } from "react";
import { EyeIcon } from "@/components/ui/icons";
import { TextField } from "@/components/ui/text-field";

/**
 * A password field with a button that shows the text. Paste and password managers work: until then it is a plain
 * password field.
 */
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
          <EyeIcon isCrossed={isShown} />
        </button>
      }
    />
  );
}
