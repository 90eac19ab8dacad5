import { FailureSign } from "@/components/ui/signs";

/** Why a form, or a way to sign in, did not work: above the fields, and read at once. */
export function FormFailure({ children }: { children: string }) {
  return (
    <div className="note danger" role="alert">
      <FailureSign />
      <span>{children}</span>
    </div>
  );
}
