/** A second Ctrl-C counts only after this time, because terminals and npm send several signals for one key press. */
const impatientAfterMs = 1_000

/** Aborts on the first signal that asks the process to stop. A later one ends the process at once. */
export function stopSignal(): AbortSignal {
  const controller = new AbortController()
  let firstAt: number | undefined
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(name, () => {
      firstAt ??= Date.now()
      if (Date.now() - firstAt > impatientAfterMs) process.exit(130)
      controller.abort()
    })
  }
  return controller.signal
}
