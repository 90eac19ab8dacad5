import { useTheme } from "@millrace/app";
import { useLayoutEffect } from "react";

/** Light or dark, as the page around the app is. */
export function usePageTheme(): void {
  const theme = useTheme();
  useLayoutEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
}
