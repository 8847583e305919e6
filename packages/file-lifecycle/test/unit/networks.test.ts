import { createMetrics } from '@tideport/service-kit/telemetry/metrics'
import type { Kysely } from 'kysely'
import { describe, expect, it } from 'vitest'
import type { NetworkSettings } from '../../src/copies/network-settings.ts'
import { openNetworks } from '../../src/copies/networks.ts'
import type { FilesDb } from '../../src/state/tables.ts'

const disk = (name: string, role: NetworkSettings['role'] = 'required'): NetworkSettings => ({
  ...{ name, role, driver: 'embedded', dir: '/nowhere', reserveBytes: 0 },
})
/** Opening networks sends no query to the database. */
const db = {} as Kysely<FilesDb>

function open(storageNetworks: NetworkSettings[], serviceEnv = 'production', embeddedNetworkAcceptSingleCopy = false) {
  return openNetworks({ storageNetworks, serviceEnv, embeddedNetworkAcceptSingleCopy }, db, createMetrics('test'))
}

describe('openNetworks', () => {
  it('rejects a single disk in production unless the configuration accepts it', async () => {
    for (const serviceEnv of ['production', 'Development']) {
      await expect(open([disk('embedded')], serviceEnv)).rejects.toThrow(/EMBEDDED_NETWORK_ACCEPT_SINGLE_COPY=true/)
    }
    await expect(open([disk('a'), disk('b', 'leaving')])).rejects.toThrow(/EMBEDDED_NETWORK_ACCEPT_SINGLE_COPY=true/)
    expect((await open([disk('embedded')], 'production', true)).order).toEqual(['embedded'])
    expect((await open([disk('embedded')], 'development')).order).toEqual(['embedded'])
    expect((await open([disk('a'), disk('b')])).order).toEqual(['a', 'b'])
  })

  it('finds each network by name, and reads required ones before leaving ones', async () => {
    const networks = await open([disk('old', 'leaving'), disk('b'), disk('a')])
    expect(networks).toMatchObject({ required: ['b', 'a'], leaving: ['old'], order: ['b', 'a', 'old'] })
    expect(networks.get('old')?.name).toBe('old')
    expect(networks.get('other')).toBeUndefined()
  })
})
