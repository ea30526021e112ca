/** Does something until Ctrl+C, SIGTERM, or the end of the reader of a pipe, such as "head", aborts its signal. */
export async function untilEnded(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const ending = new AbortController()
  const end = () => ending.abort()
  process.once('SIGINT', end).once('SIGTERM', end)
  process.stdout.on('error', end)
  try {
    await work(ending.signal)
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end)
    process.stdout.off('error', end)
  }
}
