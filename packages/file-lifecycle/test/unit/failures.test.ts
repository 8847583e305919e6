import { AppError } from '@tideport/service-kit/process/app-error'
import { NetworkError } from '@tideport/storage-network/errors'
import { expect, it } from 'vitest'
import { comesOfLoss, failureReason, isGone, permanentFailure, SourceError } from '../../src/work/failures.ts'

it.each(['refused', 'too_large'] as const)('fails permanently at once when the network returns %s', (code) => {
  expect(permanentFailure(new NetworkError(code, ''))).toBe('network_refused')
})

it.each([
  new NetworkError('staged_lost', ''),
  new NetworkError('copy_failed', ''),
  new NetworkError('no_space', ''),
  new NetworkError('refused', '', { retryable: true }),
  // The error is about the read copy. Another copy may exist.
  new NetworkError('not_found', ''),
  new NetworkError('integrity', ''),
  new Error('unknown'),
])('retries after %s', (error) => {
  expect(permanentFailure(error)).toBeNull()
})

it('treats a copy as gone only after a response of its network', () => {
  const codes = ['not_found', 'integrity', 'unreachable', 'copy_failed', 'refused'] as const
  expect(codes.filter((code) => isGone(new NetworkError(code, '')))).toEqual(['not_found', 'integrity'])
  expect(isGone(new Error('not_found'))).toBe(false)
})

it('finds that response at any depth of causes', () => {
  const lost = new AppError('content_lost', '', { cause: new NetworkError('integrity', '') })
  expect(comesOfLoss(new SourceError('', { cause: lost }))).toBe(true)
  expect(comesOfLoss(new SourceError('', { cause: new NetworkError('unreachable', '') }))).toBe(false)
})

it('distinguishes an unavailable source from one that broke off', () => {
  const of = (cause: Error) => new SourceError('', { cause }).isDown
  expect(of(new NetworkError('unreachable', ''))).toBe(true)
  expect(of(new AppError('unavailable', ''))).toBe(true)
  expect(of(new NetworkError('integrity', ''))).toBe(false)
  expect(of(new Error('ECONNRESET'))).toBe(false)
})

it('distinguishes an unavailable network from an unavailable hot tier', () => {
  expect(failureReason(new AppError('unavailable', '', { cause: new NetworkError('integrity', '') }))).toBe(
    'network_integrity',
  )
  expect(failureReason(new AppError('unavailable', '', { cause: new Error('ECONNREFUSED') }))).toBe('hot_tier')
})
