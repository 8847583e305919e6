import { createMetrics } from '@tideport/service-kit/telemetry/metrics'
import type { Kysely } from 'kysely'
import type { NetworkSettings } from '../src/copies/network-settings.ts'
import { type Networks, openNetworks, setUpNetworks } from '../src/copies/networks.ts'
import type { FilesDb } from '../src/state/tables.ts'

/** The settings of an embedded network in a directory. */
export function embedded(name: string, dir: string, role: NetworkSettings['role'] = 'required'): NetworkSettings {
  return { name, driver: 'embedded', role, dir, reserveBytes: 0 }
}

/** Networks of this database's installation, set up and open. */
export async function openTestNetworks(db: Kysely<FilesDb>, storageNetworks: NetworkSettings[]): Promise<Networks> {
  await setUpNetworks(db, storageNetworks, { acceptLostCopies: false })
  const config = { serviceEnv: 'development', storageNetworks, embeddedNetworkAcceptSingleCopy: true }
  return await openNetworks(config, db, createMetrics('test'))
}
