// Package observe counts what the adapter does, for Prometheus, and traces it, for OpenTelemetry. It is the only package
// that knows either in depth; the stages of middleware see small interfaces. No label and no attribute holds a token, an
// argument, a query or anything of a record.
package observe
