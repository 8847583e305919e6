const everyMs = 500

/**
 * Ends this process like SIGTERM when the process that started it exits. The shell of npx passes no signals on, so the
 * command would outlive npx. A signal that arrives directly comes once.
 */
export function endWithStarter(): void {
  const starter = process.ppid
  const timer = setInterval(() => {
    if (process.ppid === starter) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, everyMs)
  timer.unref()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => clearInterval(timer))
}
