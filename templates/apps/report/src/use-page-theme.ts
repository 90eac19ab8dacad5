import { useTheme } from "@millrace/app";
import { useLayoutEffect } from "react";

/** Follows the theme of the surrounding page: light or dark. */
export function usePageTheme(): void {
  const theme = useTheme();
  useLayoutEffect(() => {
    document.documentElement.dataset.theme = theme;
  }, [theme]);
}
