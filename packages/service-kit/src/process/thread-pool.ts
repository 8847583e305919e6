/**
 * Threads for what Node asks the system for outside its event loop: files, and names by getaddrinfo. Libuv's four are
 * taken by four calls to a disk that hangs, and every name then waits behind them.
 */
export const POOL_THREADS = 32

/** To be called before anything uses the pool: its size is read once. Leaves a larger one alone. */
export function widenThreadPool(env: NodeJS.ProcessEnv): void {
  const asked = Number(env.UV_THREADPOOL_SIZE)
  env.UV_THREADPOOL_SIZE = String(Math.max(POOL_THREADS, Number.isFinite(asked) ? asked : 0))
}
