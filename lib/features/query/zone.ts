import { toZoneName } from "@/lib/base/values/names";
import { invalidInput } from "@/lib/platform/http/errors";

/** Returns a zone's name. @throws AppError invalid_request for the field `timezone` */
export function requireZone(text: string): string {
  const zone = toZoneName(text);
  if (zone === null) throw invalidInput("timezone", "Use a time zone such as Europe/Vienna.");
  return zone;
}
