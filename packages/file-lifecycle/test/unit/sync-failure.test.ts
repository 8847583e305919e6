import { NetworkError } from '@tideport/storage-network/errors'
import { expect, it } from 'vitest'
import { permanentFailure } from '../../src/copies/sync-failure.ts'

it.each([
  ['refused', 'network_refused'],
  ['too_large', 'network_refused'],
  ['not_found', 'hot_copy_missing'],
  ['integrity', 'hot_copy_missing'],
] as const)('gives up at once when the network says %s', (code, failure) => {
  expect(permanentFailure(new NetworkError(code, ''))).toBe(failure)
})

it.each([
  new NetworkError('staged_lost', ''),
  new NetworkError('copy_failed', ''),
  new NetworkError('no_space', ''),
  new NetworkError('refused', '', { retryable: true }),
  new Error('unknown'),
])('tries %s again', (error) => {
  expect(permanentFailure(error)).toBeNull()
})
