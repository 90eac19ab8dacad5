import type { Amount } from "./format";

/** A row of the binding `customers`. */
export type Customer = {
  id: number;
  name: string;
  email: string;
  country: string;
  segment: string;
  joined: string;
  orders: number;
  revenue: Amount;
  last_order: string | null;
};
