"use client";

import { Toaster as Sonner } from "sonner";
import { TOAST_MS } from "@/components/ui/toast";

const ABOVE_STATUS_BAR = { bottom: 36, right: 16 };
const ABOVE_RACE_STRIP = { bottom: 140 };

/** Renders the toasts. */
export function Toaster() {
  return (
    <Sonner
      position="bottom-right"
      duration={TOAST_MS}
      toastOptions={{ classNames: { toast: "toast" } }}
      offset={ABOVE_STATUS_BAR}
      mobileOffset={ABOVE_RACE_STRIP}
    />
  );
}
