import type { Plan } from "./plan";

export function toPipeline(plan: Plan): string {
  return `db.${plan.from.name}.aggregate([])`;
}
