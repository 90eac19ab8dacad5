// Made by scripts/app-types.mjs from lib/features/apps/runtime and package.json.

export const APP_DECLARATIONS = `// The types of @millrace/app, and of the files that an app can import.

declare module "@millrace/app" {
  /** Values of the app's address that it may read and set; they stand in our page's address, too. */
  export type AppParams = Readonly<Record<string, string>>;
  export type Theme = "light" | "dark";
  export type TimeUnit = "hour" | "day" | "week" | "month" | "quarter" | "year";
  /** The name of a file in \`bindings/\`, without its ending. */
  type BindingName = string;
  /** The name of a column of the binding's rows. */
  type Column = string;
  export type Measure = {
    /** Left out, \`count\` counts rows. */
    field?: Column;
    op: "count" | "countDistinct" | "sum" | "avg" | "median" | "min" | "max";
    /** What the column is called in the answer. */
    as?: string;
  };
  type Scalar = string | number | boolean | null;
  /** One value, one of several, from and to (days as YYYY-MM-DD, or numbers), or a part of a text. */
  export type Condition = Scalar | readonly Scalar[] | {
    from?: string | null;
    to?: string | null;
  } | {
    from?: number | null;
    to?: number | null;
  } | {
    contains: string;
  };
  /** What is to be made of a binding's rows before they are sent. */
  export type BindingQuery = {
    /** A row of the answer for each of their values; days and times by their \`timeUnit\`. */
    groupBy?: readonly (Column | {
      field: Column;
      timeUnit?: TimeUnit;
      as?: string;
    })[];
    /** What is computed of each group, or of all rows without one. */
    measures?: readonly Measure[];
    /** The rows that count, by column. */
    where?: Readonly<Record<Column, Condition>>;
    /** By columns of the answer, the first one first. */
    sort?: readonly {
      by: Column;
      order?: "asc" | "desc";
    }[];
    /** Rows of the answer, 50,000 at the most. */
    limit?: number;
    /** Of every grouped day and time that names none of its own. */
    timeUnit?: TimeUnit;
    /** By whose clock days, weeks and hours go, such as \`Europe/Vienna\`; UTC without one. */
    timezone?: string;
  };
  export type BindingField = {
    name: string;
    type: string;
  };
  export type BindingData<Row> = {
    fields: readonly BindingField[];
    rows: readonly Row[];
    /** The rows are no older; as ISO 8601. */
    builtAt: string;
    ageMs: number;
    /** There is more than these rows. */
    truncated: boolean;
    /** What to do about what is left out; null when nothing is. */
    notice: string | null;
  };
  /**
   * Reads a binding once.
   * @throws Error in words for a person
   */
  export function readBinding<Row extends object = Record<string, unknown>>(name: BindingName, query?: BindingQuery, signal?: AbortSignal): Promise<BindingData<Row>>;
  /** The theme of the page around the app, now. In a component, \`useTheme\` follows it. */
  export let theme: Theme;
  /** The values of the app's address, now. In a component, \`useParams\` follows them. */
  export let params: AppParams;
  export type Binding<Row> = {
    /** Empty until they are there. Those of the last answer stay while the next one is under way. */
    rows: readonly Row[];
    /** The columns of the rows. */
    fields: BindingData<Row>["fields"];
    isLoading: boolean;
    /** In words for a person; null while all is well. */
    error: string | null;
    /** How old the rows are; null until they are there. */
    ageMs: number | null;
    /** There is more than these rows. */
    truncated: boolean;
    /** Asks again. */
    refresh(): void;
  };
  /**
   * The rows of a binding, \`bindings/<name>.sql\` of this app. With \`query\`, sums and groups that the server makes of them: of
   * more than some thousand rows a page needs no other.
   */
  export function useBinding<Row extends object = Record<string, unknown>>(name: BindingName, query?: BindingQuery): Binding<Row>;
  /** The theme of the page around the app. */
  export function useTheme(): Theme;
  /** The values of the app's address, and how to set them: they stand in the address that people share, too. */
  export function useParams(): [AppParams, (next: AppParams) => void];
  /** Sets the values of the app's address. */
  export function setParams(next: AppParams): void;
  /** Opens an address outside of the app, after the page has asked the person. */
  export function openOutside(href: string): void;
  // Nothing else is exported.
  export {};
}

declare module "*.css" {}
declare module "*.avif" {
  const address: string;
  export default address;
}
declare module "*.gif" {
  const address: string;
  export default address;
}
declare module "*.ico" {
  const address: string;
  export default address;
}
declare module "*.jpeg" {
  const address: string;
  export default address;
}
declare module "*.jpg" {
  const address: string;
  export default address;
}
declare module "*.png" {
  const address: string;
  export default address;
}
declare module "*.svg" {
  const address: string;
  export default address;
}
declare module "*.webp" {
  const address: string;
  export default address;
}
`;

export const IMPORTABLE = ["react","react-dom","react-dom/client","vega-embed","@millrace/app"];

export const CARRIED_VERSIONS = {
  "react": "19.3.1",
  "react-dom": "19.3.1",
  "vega": "6.4.0",
  "vega-embed": "7.3.0",
  "vega-lite": "6.5.0"
};

export const CHECKER_VERSIONS = {
  "@types/react": "19.3.0",
  "@types/react-dom": "19.3.0",
  "typescript": "7.0.2"
};
