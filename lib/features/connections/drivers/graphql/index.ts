import "server-only";
import type { Driver } from "../../data-source";
import { checkWebConfig, WEB_REFUSALS, webFields } from "../shared/web-config";
import { CURSOR_MARK, parseGraphqlConfig } from "./config";
import { GraphqlSource } from "./source";

const RESOURCES_EXAMPLE = JSON.stringify(
  [
    {
      name: "orders",
      query:
        "query ($after: String, $since: DateTime) { orders(first: 100, after: $after, updatedSince: $since) { nodes { id updatedAt } pageInfo { hasNextPage endCursor } } }",
      path: "orders",
      primaryKey: "id",
      cursorField: "updatedAt",
      variables: { since: CURSOR_MARK },
    },
  ],
  null,
  2,
);

/** Services that speak GraphQL over HTTP. */
export const graphql: Driver = {
  type: "graphql",
  label: "GraphQL",
  category: "source",
  icon: {
    tile: "#B8327E",
    ink: "#FFFFFF",
    paths: ["M12 5 18 8.5v7L12 19l-6-3.5v-7z", "M12 5 6 15.5h12z"],
  },
  language: null,
  fields: [
    webFields.address("endpoint", "Endpoint", "https://api.example.com/graphql"),
    ...webFields.auth,
    webFields.headers,
    {
      name: "resources",
      label: "Resources",
      kind: "json",
      required: false,
      secret: false,
      help: `JSON list of resources with name, query and path. Request pageInfo { hasNextPage endCursor } and use $after. ${CURSOR_MARK} is the last cursor value.`,
      example: RESOURCES_EXAMPLE,
    },
    webFields.rateLimit,
  ],
  refusals: {
    ...WEB_REFUSALS,
    endpoint: "Invalid or blocked URL",
    resources: "Invalid format, or a mutation",
  },
  async check({ config }) {
    await checkWebConfig(parseGraphqlConfig(config).web);
  },
  async open({ config, connectionId }) {
    return new GraphqlSource(parseGraphqlConfig(config), connectionId);
  },
};
