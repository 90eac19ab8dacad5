import { type DraftConsole, SAMPLE_CONSOLE_ID } from "@/lib/features/consoles/browser/workbench";

/** Name of the connection that every new workspace has (docs/develop/api.md, Accounts). */
export const SAMPLE_CONNECTION_NAME = "Sample shop";

export const SAMPLE_QUERY = `-- Sample shop. Run this query, or edit it.
select p.name, sum(i.quantity) as sold,
       sum(i.quantity * i.price_cents) / 100.0 as revenue
from order_items i
join products p on p.id = i.product_id
group by p.name
order by revenue desc
limit 10;`;

/** Returns the console that a new workspace opens first. */
export function makeSampleConsole(connectionId: string): DraftConsole {
  return { id: SAMPLE_CONSOLE_ID, name: "best-sellers.sql", content: SAMPLE_QUERY, connectionId };
}
