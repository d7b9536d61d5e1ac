package observe

// FlushTime is documented in docs/observe.md.
const FlushTime = flushTime
