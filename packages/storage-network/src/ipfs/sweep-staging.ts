import type { Kubo } from './kubo.ts'

const STALE_AFTER_MS = 24 * 60 * 60 * 1000
const EVERY_MS = 60 * 60 * 1000
const SWEEP_MS = 5 * 60 * 1000

const sweptAt = new WeakMap<Kubo, number>()

/**
 * Lets go, at first and once an hour, what a process which died has staged: names of staged bytes begin with the
 * milliseconds of their time. Fails in silence: it comes again.
 */
export function sweepStaging(kubo: Kubo): void {
  if (performance.now() - (sweptAt.get(kubo) ?? Number.NEGATIVE_INFINITY) < EVERY_MS) return
  sweptAt.set(kubo, performance.now())
  void sweep(kubo, Date.now() - STALE_AFTER_MS, AbortSignal.timeout(SWEEP_MS)).catch(() => undefined)
}

async function sweep({ mfs, paths }: Kubo, before: number, signal: AbortSignal): Promise<void> {
  for (const { name } of (await mfs.list(paths.staging, signal)) ?? []) {
    if (Number.parseInt(name, 10) < before) await mfs.remove(`${paths.staging}/${name}`, signal)
  }
}
