import type { NetworkRole } from '../src/copies/network-settings.ts'

/** The environment of embedded networks, in order. Required unless a role is given. */
export function networksEnvironment(
  networks: Readonly<Record<string, { dir: string; role?: NetworkRole }>>,
): Record<string, string> {
  const env: Record<string, string> = { STORAGE_NETWORKS: Object.keys(networks).join() }
  for (const [name, { dir, role = 'required' }] of Object.entries(networks)) {
    const prefix = `NETWORK_${name.toUpperCase().replaceAll('-', '_')}`
    env[`${prefix}_DIR`] = dir
    env[`${prefix}_ROLE`] = role
    env[`${prefix}_RESERVE_BYTES`] = '0'
  }
  return env
}
