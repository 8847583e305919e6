const JITTER = 0.2

/**
 * Seconds until a file that failed `failures` times before is tried again: the base, doubled each time, give or take a
 * fifth so that files that failed together do not come back together.
 */
export function retryDelaySeconds(baseSeconds: number, failures: number, random: () => number = Math.random): number {
  return baseSeconds * 2 ** failures * (1 - JITTER + 2 * JITTER * random())
}
