import { FailureIcon } from "@/components/ui/icons";

/** Error of a form or a sign-in, shown above the fields and announced at once. */
export function FormFailure({ children }: { children: string }) {
  return (
    <div className="note danger" role="alert">
      <FailureIcon />
      <span>{children}</span>
    </div>
  );
}
