/**
 * Returns whether a client accepts an answer in a coding.
 * @param accepted the header Accept-Encoding; empty if absent
 */
export function acceptsCoding(accepted: string, coding: "gzip" | "br"): boolean {
  return accepted.split(",").some((each) => {
    const [name, ...settings] = each.split(";").map((part) => part.trim().toLowerCase());
    const isRefused = settings.some((setting) => /^q=0(?:\.0*)?$/.test(setting));
    return name === coding && !isRefused;
  });
}
