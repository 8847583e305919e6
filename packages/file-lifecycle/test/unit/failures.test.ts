import { AppError } from '@tideport/service-kit/process/app-error'
import { NetworkError } from '@tideport/storage-network/errors'
import { expect, it } from 'vitest'
import { comesOfLoss, failureReason, isGone, permanentFailure, SourceError } from '../../src/work/failures.ts'

it.each(['refused', 'too_large'] as const)('gives up at once when the network says %s', (code) => {
  expect(permanentFailure(new NetworkError(code, ''))).toBe('network_refused')
})

it.each([
  new NetworkError('staged_lost', ''),
  new NetworkError('copy_failed', ''),
  new NetworkError('no_space', ''),
  new NetworkError('refused', '', { retryable: true }),
  // Said of a copy that was to be read: another one may be there.
  new NetworkError('not_found', ''),
  new NetworkError('integrity', ''),
  new Error('unknown'),
])('tries %s again', (error) => {
  expect(permanentFailure(error)).toBeNull()
})

it('takes a copy for gone by the answer of its network alone', () => {
  const codes = ['not_found', 'integrity', 'unreachable', 'copy_failed', 'refused'] as const
  expect(codes.filter((code) => isGone(new NetworkError(code, '')))).toEqual(['not_found', 'integrity'])
  expect(isGone(new Error('not_found'))).toBe(false)
})

it('finds that answer however deep it is wrapped', () => {
  const lost = new AppError('content_lost', '', { cause: new NetworkError('integrity', '') })
  expect(comesOfLoss(new SourceError('', { cause: lost }))).toBe(true)
  expect(comesOfLoss(new SourceError('', { cause: new NetworkError('unreachable', '') }))).toBe(false)
})

it('tells a source that is down from one that broke off', () => {
  const of = (cause: Error) => new SourceError('', { cause }).isDown
  expect(of(new NetworkError('unreachable', ''))).toBe(true)
  expect(of(new AppError('unavailable', ''))).toBe(true)
  expect(of(new NetworkError('integrity', ''))).toBe(false)
  expect(of(new Error('ECONNRESET'))).toBe(false)
})

it("tells a network's failure from the hot tier's, though both are unavailable", () => {
  expect(failureReason(new AppError('unavailable', '', { cause: new NetworkError('integrity', '') }))).toBe(
    'network_integrity',
  )
  expect(failureReason(new AppError('unavailable', '', { cause: new Error('ECONNREFUSED') }))).toBe('hot_tier')
})
