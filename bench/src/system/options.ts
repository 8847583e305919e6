import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

export interface BenchOptions {
  /** Directory for CPU profiles of the services. Undefined: no profiles. */
  profileDir: string | undefined
  /** Other checkouts to compare with this one, with installed modules. */
  trees: string[]
  /** JSON file with the endpoints of a running peer (`openPeer`). */
  peerFile: string | undefined
  /** Directory with the programs of peers. */
  peersDir: string | undefined
  /** Numbers of concurrent callers. Replaces the default of the bench. */
  inFlight: number[] | undefined
  /** Runs gateway, auth, and files in one process. */
  isTogether: boolean
}

export function parseBenchOptions(args: string[]): BenchOptions {
  const {
    profile,
    beside = [],
    peer,
    peers,
    'in-flight': inFlight,
    together = false,
  } = parseArgs({
    args,
    options: {
      profile: { type: 'string' },
      beside: { type: 'string', multiple: true },
      peer: { type: 'string' },
      peers: { type: 'string' },
      'in-flight': { type: 'string', multiple: true },
      together: { type: 'boolean' },
    },
  }).values
  return {
    profileDir: profile === undefined ? undefined : resolve(profile),
    trees: beside.map((tree) => resolve(tree)),
    peerFile: peer,
    peersDir: peers === undefined ? undefined : resolve(peers),
    inFlight: inFlight?.map(Number),
    isTogether: together,
  }
}
