import { join } from 'node:path'
import type { DataLayout } from '../data-directory/data-layout.ts'

/** The name that a stack's only network has. */
const ONLY = 'embedded'

/** Where the storage networks are, and the settings by which services find them. */
export type ColdTier = {
  /** By name, in order of preference. */
  networkDirs: Record<string, string>
  settings: Record<string, string>
}

/**
 * Embedded networks of these names, each in a directory of its own; the only one when none is named. That one keeps its
 * directory under its name, so that a stack can be given more networks, and can leave it. Those of `leaving` are
 * emptied.
 */
export function coldTierOf(
  names: readonly string[],
  { network, networks }: DataLayout,
  leaving: readonly string[] = [],
): ColdTier {
  if (names.length === 0) {
    return { networkDirs: { [ONLY]: network }, settings: { STORAGE_NETWORK: ONLY, EMBEDDED_NETWORK_DIR: network } }
  }
  const networkDirs = Object.fromEntries(names.map((name) => [name, name === ONLY ? network : join(networks, name)]))
  const settings = Object.entries(networkDirs).flatMap(([name, dir]) => {
    const prefix = `NETWORK_${name.toUpperCase().replaceAll('-', '_')}`
    return [
      [`${prefix}_DRIVER`, 'embedded'],
      [`${prefix}_DIR`, dir],
      ...(leaving.includes(name) ? [[`${prefix}_ROLE`, 'leaving']] : []),
    ]
  })
  return { networkDirs, settings: { STORAGE_NETWORKS: names.join(), ...Object.fromEntries(settings) } }
}
