import type { PasswordStrength } from "@/lib/features/accounts/browser/password-strength";

const WORDS = ["", "weak", "fair", "good", "strong"] as const;
const PARTS = [1, 2, 3, 4] as const;

/** Four segments, filled by the strength of the password. */
export function StrengthBar({ strength }: { strength: PasswordStrength }) {
  const { score } = strength;
  return (
    <div className="strength">
      {PARTS.map((part) => (
        <i key={part} className={part <= score ? `s${score}` : undefined} />
      ))}
      <span className="sr-only" aria-live="polite">
        {score === 0 ? "" : `Password strength: ${WORDS[score]}`}
      </span>
    </div>
  );
}
