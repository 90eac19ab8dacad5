import { serveMetrics } from "@/lib/features/instance/metrics-endpoint";

export {
  serveMetrics as DELETE,
  serveMetrics as GET,
  serveMetrics as HEAD,
  serveMetrics as OPTIONS,
  serveMetrics as PATCH,
  serveMetrics as POST,
  serveMetrics as PUT,
};
