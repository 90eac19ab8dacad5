import { FailureSign } from "@/components/ui/signs";

/** Error of a form or a sign-in, shown above the fields and announced at once. */
export function FormFailure({ children }: { children: string }) {
  return (
    <div className="note danger" role="alert">
      <FailureSign />
      <span>{children}</span>
    </div>
  );
}
