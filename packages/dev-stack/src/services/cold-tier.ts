import { join } from 'node:path'
import type { DataLayout } from '../data-directory/data-layout.ts'
import type { Environment } from '../processes/host-environment.ts'

const ONLY = 'embedded'

export type ColdTier = {
  /** By name, in order of preference. */
  networkDirs: Record<string, string>
  settings: Record<string, string>
}

type Node = IpfsNode | WalrusNode
type IpfsNode = { kind: 'ipfs'; url: string; token: string }
type WalrusNode = { kind: 'walrus'; url: string; token: string; maxBlobBytes: number }

export const isOnIpfs = (name: string): boolean => /^ipfs(-|$)/.test(name)
/** Networks with these names run on Walrus devnets. */
const isOnWalrus = (name: string): boolean => /^walrus-devnet(-|$)/.test(name)
export const isOnNode = (name: string): boolean => isOnIpfs(name) || isOnWalrus(name)

/** `embedded`, the default network, always has the same directory. */
export const networkDir = (name: string, { network, networks }: DataLayout): string =>
  name === ONLY ? network : join(networks, name)

/**
 * Directories and settings of the named networks on their nodes; without names, of one embedded network. The directory
 * of that network never changes, so a stack can add networks and then leave it. Networks in `leaving` are emptied.
 */
export function coldTierOf(
  names: readonly string[],
  layout: DataLayout,
  leaving: readonly string[] = [],
  nodes: Record<string, Node> = {},
): ColdTier {
  const networkDirs = Object.fromEntries(
    (names.length > 0 ? names : [ONLY]).map((name) => [name, networkDir(name, layout)]),
  )
  if (names.length === 0) {
    return { networkDirs, settings: { STORAGE_NETWORK: ONLY, EMBEDDED_NETWORK_DIR: layout.network } }
  }
  const settings = Object.entries(networkDirs).flatMap(([name, dir]) => {
    const prefix = `NETWORK_${name.toUpperCase().replaceAll('-', '_')}`
    return [
      ...(nodes[name] ? onNode(prefix, nodes[name]) : embedded(prefix, dir)),
      ...(leaving.includes(name) ? [[`${prefix}_ROLE`, 'leaving']] : []),
    ]
  })
  return { networkDirs, settings: { STORAGE_NETWORKS: names.join(), ...Object.fromEntries(settings) } }
}

/** The networks that the operator of an installation has set; undefined if none. `embedded` has a directory anyway. */
export function givenColdTier(
  host: Environment,
  layout: DataLayout,
  production: object | undefined,
): ColdTier | undefined {
  if (production === undefined || !host.STORAGE_NETWORKS) return undefined
  const given = Object.entries(host).flatMap(([name, value]) => (ofNetworks.test(name) && value ? [[name, value]] : []))
  const own = Object.fromEntries(embedded('NETWORK_EMBEDDED', layout.network))
  const settings: Record<string, string> = { ...own, ...Object.fromEntries(given) }
  return { networkDirs: { [ONLY]: settings.NETWORK_EMBEDDED_DIR as string }, settings }
}

const ofNetworks = /^(STORAGE_NETWORKS|NETWORK_[A-Z0-9_]+)$/

const embedded = (prefix: string, dir: string) => [
  [`${prefix}_DRIVER`, 'embedded'],
  [`${prefix}_DIR`, dir],
]

const onNode = (prefix: string, node: Node) => (node.kind === 'ipfs' ? onIpfs(prefix, node) : onWalrus(prefix, node))

const onIpfs = (prefix: string, { url, token }: IpfsNode) => [
  [`${prefix}_DRIVER`, 'ipfs'],
  [`${prefix}_RPC_URLS`, url],
  [`${prefix}_RPC_TOKEN`, token],
]

const onWalrus = (prefix: string, { url, token, maxBlobBytes }: WalrusNode) => [
  [`${prefix}_DRIVER`, 'walrus'],
  [`${prefix}_PUBLISHERS`, url],
  [`${prefix}_AGGREGATORS`, url],
  [`${prefix}_JWT_SECRET`, token],
  [`${prefix}_EPOCHS`, '53'],
  [`${prefix}_EPOCH_SECONDS`, '86400'],
  [`${prefix}_MAX_BLOB_BYTES`, `${maxBlobBytes}`],
]
