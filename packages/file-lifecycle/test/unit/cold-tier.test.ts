import type { Kysely } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openColdTier } from '../../src/copies/cold-tier.ts'
import type { FilesDb } from '../../src/state/tables.ts'

const embedded = { storageNetwork: 'embedded' as const, embeddedNetworkDir: '/nowhere', embeddedNetworkReserveBytes: 0 }
/** Nothing is asked of it before the network is used. */
const db = {} as Kysely<FilesDb>

describe('openColdTier', () => {
  it('keeps a production process from relying on one disk unless that was accepted on purpose', () => {
    const open = (serviceEnv: string, embeddedNetworkAcceptSingleCopy: boolean) =>
      openColdTier({ ...embedded, serviceEnv, embeddedNetworkAcceptSingleCopy }, db)
    expect(() => open('production', false)).toThrow(/EMBEDDED_NETWORK_ACCEPT_SINGLE_COPY=true/)
    expect(() => open('Development', false)).toThrow(/EMBEDDED_NETWORK_ACCEPT_SINGLE_COPY=true/)
    expect(open('production', true).id).toBe('embedded')
    expect(open('development', false).id).toBe('embedded')
  })
})
