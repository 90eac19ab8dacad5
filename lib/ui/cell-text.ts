export * from "@/lib/tabular/cell-text";
