import type { OperatorOverview } from '@tideport/sdk'
import { expect, it } from 'vitest'
import { findAttention } from '../../src/pages/operator/overview/find-attention.ts'
import type { NetworksAnswer } from '../../src/pages/operator/overview/overview-queries.ts'

const well: OperatorOverview = {
  takenAt: '2026-01-01T00:00:00Z',
  files: { uploading: 0, hot: 3, synced: 0, cold: 9, error: 0 },
  oldestSeconds: { uploading: 0, hot: 60, synced: 0, error: 0 },
  hotBytes: 0,
  due: [],
  unfinishedClaimsMax: 3,
  copies: [{ network: 'a', left: 4, lost: 0 }],
  deadLetters: { files: 0, copies: 0, events: 0 },
  events: { unpublished: 5, oldestSeconds: 300, resendLeftSeconds: 0 },
  jobs: { open: 1, oldestSeconds: 9 },
  violations: { no_checksum: 0 },
}
const network: NetworksAnswer['networks'][number] = {
  ...{ name: 'a', driver: 's3', role: 'required', works: true, fault: null, copiesLeft: null, copiesLost: 0 },
  ...{ freeBytes: 11, totalBytes: 100, reserveBytes: 10 },
}
const working: NetworksAnswer = { networks: [network], hotTier: { works: true }, openCircuits: [] }

const keysOf = (overview: Partial<OperatorOverview>, networks: Partial<NetworksAnswer> = {}) =>
  findAttention({ ...well, ...overview }, { ...working, ...networks }).map(({ key }) => key)

it('finds nothing if all is healthy or unknown', () => {
  expect(keysOf({})).toEqual([])
  const unknown = { deadLetters: { files: null, copies: null, events: null }, events: null, violations: null }
  expect(keysOf({ ...unknown, copies: null, unfinishedClaimsMax: null })).toEqual([])
  expect(findAttention(well, undefined)).toEqual([])
})

it('finds an unavailable bucket, network, or worker, and a full network', () => {
  expect(keysOf({}, { hotTier: { works: false } })).toEqual(['hot tier'])
  expect(keysOf({}, { networks: [{ ...network, works: false }] })).toEqual(['down a'])
  expect(keysOf({}, { networks: [{ ...network, freeBytes: 10 }] })).toEqual(['full a'])
  expect(keysOf({}, { networks: [{ ...network, freeBytes: 10, role: 'leaving' }] })).toEqual([])
  const circuit = { service: 'sync', process: '1', needs: 'a', openedAt: '2026-01-01T00:00:00Z' }
  expect(keysOf({}, { openCircuits: [circuit] })).toEqual(['circuit 1 a'])
})

it('finds dead letters, lost copies, and inconsistent rows', () => {
  expect(keysOf({ deadLetters: { files: 1, copies: 2, events: 3 } })).toEqual(['files', 'copies', 'events'])
  expect(keysOf({ copies: [{ network: 'a', left: 0, lost: 1 }] })).toEqual(['lost a'])
  expect(keysOf({ events: { unpublished: 1, oldestSeconds: 301, resendLeftSeconds: 0 } })).toEqual(['unpublished'])
  expect(keysOf({ unfinishedClaimsMax: 4, violations: { no_hot_copy: 1 } })).toEqual(['claims', 'no_hot_copy'])
})
