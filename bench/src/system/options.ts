import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

export interface BenchOptions {
  /** Where CPU profiles of the services go; none when missing. */
  profileDir: string | undefined
  /** Checkouts with their modules installed, to compare this one with. */
  trees: string[]
  /** JSON file with the endpoints of a running peer (`openPeer`). */
  peerFile: string | undefined
  /** Numbers of concurrent callers, instead of those of the bench. */
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
