import type { ReactNode } from "react";

type ToolButtonProps = { label: string; word: string; icon: ReactNode; isDisabled?: boolean; onClick: () => void };

/** Button of a toolbar. Its word is hidden where the toolbar is narrow. */
export function ToolButton({ label, word, icon, isDisabled = false, onClick }: ToolButtonProps) {
  return (
    <button
      type="button"
      className="btn ghost sm"
      aria-label={label}
      aria-disabled={isDisabled || undefined}
      onClick={() => !isDisabled && onClick()}
    >
      {icon}
      <span className="word">{word}</span>
    </button>
  );
}
