import type { Ink } from "@/lib/base/charts/shapes";

const FAINTEST = 0.15;

/** Strength of a colour, from 0 to 1, and its fill. */
type Shade = { strength: number; fill: Ink; opacity: number };

/**
 * Returns a function that shades numbers between two extremes. With both signs, each sign has a colour that starts at
 * zero.
 */
export function toShade({ low, high }: { low: number; high: number }): (value: number) => Shade {
  const isOneSided = low >= 0 || high <= 0;
  const far = Math.max(Math.abs(low), Math.abs(high));
  const near = isOneSided ? Math.min(Math.abs(low), Math.abs(high)) : 0;
  return (value) => {
    const strength = far === near ? 1 : (Math.abs(value) - near) / (far - near);
    return { strength, fill: value < 0 ? 3 : 0, opacity: FAINTEST + (1 - FAINTEST) * strength };
  };
}
