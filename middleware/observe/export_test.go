package observe

// FlushTime is what docs/observe.md says.
const FlushTime = flushTime
