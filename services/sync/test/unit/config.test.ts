import { ConfigError, loadConfig } from '@tideport/service-kit/config/config'
import { describe, expect, it } from 'vitest'
import { settings } from '../../src/config.ts'

const given = {
  ...{ DATABASE_URL: 'postgres://127.0.0.1:9/x', NATS_URL: 'nats://127.0.0.1:9', S3_BUCKET: 'hot' },
  ...{ STORAGE_NETWORKS: 'disk,attic', NETWORK_DISK_DIR: '/disk', NETWORK_ATTIC_DIR: '/attic' },
}

function faultsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig(settings, { ...given, ...env })
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
}

// `--check` opens nothing, so invalid settings must be detected earlier.
describe('the settings of sync', () => {
  it('reject unknown network names', () => {
    expect(faultsOf({ SYNC_NETWORKS: 'attic' })).toEqual([])
    expect(faultsOf({ SYNC_NETWORKS: 'attic,cellar' })).toEqual(['SYNC_NETWORKS: cellar: not in STORAGE_NETWORKS'])
  })

  it('require more than one disk unless a single copy is accepted', () => {
    const one = { STORAGE_NETWORKS: 'disk' }
    expect(faultsOf(one)).toEqual([expect.stringContaining('EMBEDDED_NETWORK_ACCEPT_SINGLE_COPY=true')])
    expect(faultsOf({ ...one, EMBEDDED_NETWORK_ACCEPT_SINGLE_COPY: 'true' })).toEqual([])
  })
})
