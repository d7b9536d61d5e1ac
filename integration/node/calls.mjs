// One call of each tool that works on the sample year, and one of each that does not. Clients check the structured content
// of both against the tool's output schema.
import { readdirSync } from "node:fs";

export const listed = readdirSync(new URL("../../tools/testdata/list", import.meta.url)).map((file) => file.replace(".json", "")).sort();

export const good = [
  ["schema", {}],
  ["schema", { stream: "orders", detail: "full" }],
  ["query_records", { stream: "orders", limit: 2, filter: { total: { gte: 20 } }, sort: "-total", expand: ["order_items"], expand_limit: { order_items: 1 } }],
  ["aggregate", { stream: "orders", metric: "sum", field: "total" }],
  ["aggregate", { stream: "orders", metric: "count", group_by: "merchant", limit: 3 }],
  ["search", { q: "Lisbon", limit: 3 }],
  ["search", { q: "no such words at all" }],
  ["fetch", { id: "cin_mail_work/messages:dup-1" }],
  ["fetch", { id: "cin_notes/notes:note-0002" }],
  ["read_record_field", { id: "cin_notes/notes:note-0002", field: "body", offset_chars: 70000, limit_chars: 100 }],
];

// Callable by those who know them, and never listed.
export const unlisted = [["list_streams", {}]];

export const bad = [
  ["schema", { detail: "full" }, "invalid_arguments"],
  ["query_records", { stream: "orders", filter: "total>20" }, "invalid_filter"],
  ["aggregate", { stream: "orders", metric: "sum" }, "invalid_arguments"],
  ["search", {}, "invalid_arguments"],
  ["fetch", { id: "messages:dup-1" }, "ambiguous_connection"],
  ["read_record_field", { id: "cin_notes/notes:none", field: "body" }, "not_found"],
];
