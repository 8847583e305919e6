import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

export interface BenchOptions {
  /** Where CPU profiles of the services go; none when missing. */
  profileDir: string | undefined
  /** Checkouts with their modules installed, to compare this one with. */
  trees: string[]
  /** What tells of a peer that runs (`uploads/peer.ts`). */
  peerFile: string | undefined
  /** How many callers at once, instead of those that the bench has by itself. */
  inFlight: number[] | undefined
}

export function parseBenchOptions(args: string[]): BenchOptions {
  const {
    profile,
    beside = [],
    peer,
    'in-flight': inFlight,
  } = parseArgs({
    args,
    options: {
      profile: { type: 'string' },
      beside: { type: 'string', multiple: true },
      peer: { type: 'string' },
      'in-flight': { type: 'string', multiple: true },
    },
  }).values
  return {
    profileDir: profile === undefined ? undefined : resolve(profile),
    trees: beside.map((tree) => resolve(tree)),
    peerFile: peer,
    inFlight: inFlight?.map(Number),
  }
}
