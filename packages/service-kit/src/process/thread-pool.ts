/** For files and getaddrinfo. An unresponsive disk would block libuv's default of four threads, and name lookups. */
export const POOL_THREADS = 32

/** Call this before anything uses the pool: its size is read once. Keeps a larger size. */
export function widenThreadPool(env: NodeJS.ProcessEnv): void {
  const asked = Number(env.UV_THREADPOOL_SIZE)
  env.UV_THREADPOOL_SIZE = String(Math.max(POOL_THREADS, Number.isFinite(asked) ? asked : 0))
}
