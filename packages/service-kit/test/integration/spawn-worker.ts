import { spawnProgram } from '@tideport/testing/spawn-program'

const worker = new URL('./processes/worker.ts', import.meta.url)

/** Starts processes/worker.ts with only these settings. Disposal kills it. */
export const spawnWorker = (env: Record<string, string>, args: readonly string[] = []) =>
  spawnProgram(worker, { HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', ...env }, args)
