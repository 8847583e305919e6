/** For files and getaddrinfo. A disk that is unresponsive takes libuv's four threads, and all names wait. */
export const POOL_THREADS = 32

/** To be called before anything uses the pool: its size is read once. Leaves a larger one alone. */
export function widenThreadPool(env: NodeJS.ProcessEnv): void {
  const asked = Number(env.UV_THREADPOOL_SIZE)
  env.UV_THREADPOOL_SIZE = String(Math.max(POOL_THREADS, Number.isFinite(asked) ? asked : 0))
}
